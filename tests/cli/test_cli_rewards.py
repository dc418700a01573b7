#!/usr/bin/env python3
"""Families of rewards from the command line: fit, decide, refuse, simulate, calibrate."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import bad, fitted, load, run, write  # noqa: E402

CHOICES = [0] * 70 + [1] * 20 + [2] * 10


def claim_every_family_is_listed_with_its_parameters():
    text = run("list", "rewards").stdout
    for family in ("bernoulli", "fractional", "gaussian", "poisson"):
        assert f"\n  {family}\n" in text, text
    assert "noise:" in text and "location:" in text


def claim_a_model_says_which_rewards_it_takes_and_learns_from_them():
    histories = {"gaussian": "action,reward\n0,251.5\n1,262.25\n0,249\n1,266\n0,-3e2\n",
                 "poisson": "action,reward\n0,3\n1,9\n0,2\n1,12\n",
                 "fractional": "action,reward\n0,0.25\n1,0.9\n0,0.1\n1,1\n"}
    for family, history in histories.items():
        model = fitted(family, CHOICES, "--rewards", family)
        first = load(run("decide", model, "--json").stdout)
        assert first["rewards"] == family
        assert abs(first["probabilities"][0] - 70.5 / 101.5) < 1e-4, first  # the experts' share, smoothed
        later = load(run("decide", model, "--history", write(family + ".csv", history), "--json").stdout)
        assert later["probabilities"][1] > first["probabilities"][1], (family, later)
        assert abs(sum(later["probabilities"]) - 1) < 1e-9
        assert f"of {family} rewards" in run("decide", model, "--history", family + ".csv").stdout


def claim_rewards_of_another_family_are_refused_with_the_row():
    half = write("half.csv", "action,reward\n0,1\n1,0.5\n")
    bad("decide", fitted("count", CHOICES, "--rewards", "poisson"), "--history", half,
        says=["half.csv", "0.5 is not a whole number"])
    bad("decide", fitted("coin", CHOICES), "--history", half, says=["half.csv:3", "0.5 is not 0 or 1"])
    run("decide", fitted("real", CHOICES, "--rewards", "gaussian"), "--history", half)


def claim_what_a_family_does_not_have_is_refused():
    table = write("choices.txt", "".join(f"{action}\n" for action in CHOICES))
    bad("fit", table, "--rewards", "gaussian", "--beta", "10", says=["only optimal experts"])
    bad("fit", table, "--rewards", "poisson", "--noise", "2", says=["poisson rewards have no such parameter"])
    bad("fit", table, "--rewards", "gaussian", "--mean", "0.2", says=["give location and scale"])
    bad("fit", table, "--rewards", "cauchy", says=["bernoulli|fractional|gaussian|poisson"])
    bad("inspect", fitted("seen", CHOICES, "--rewards", "gaussian"), says=["rewards are gaussian"])
    bad("simulate", "--tasks-from", "seen.json", "--agent", "naive_ts:rewards=gaussian", says=["location, scale"])


def claim_tasks_of_a_model_on_a_known_scale_pay_its_rewards():
    model = fitted("known", CHOICES, "--rewards", "gaussian", "--location", "5", "--scale", "2", "--noise", "3")
    done = load(run("simulate", "--tasks-from", model, "--agent", "naive_ts:rewards=gaussian", "--agent", "oracle_ts",
                    "--tasks", "200", "--episodes", "50", "--json").stdout)
    naive, oracle = (each["regret"] for each in done["agents"])
    assert oracle < naive, done


def claim_families_are_calibrated():
    for family in ("gaussian", "poisson", "fractional"):
        found = run("calibrate", fitted("calibrated_" + family, CHOICES, "--rewards", family, "--reference", "learned"),
                    "--simulations", "320").stdout
        assert "p > 0.001 throughout" in found, found


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
