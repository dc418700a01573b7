#!/usr/bin/env python3
"""What to do next, from the command line: drawn actions, what an answer is worth, how it depends on competence."""

import os
import pty
import select
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, SOURCE, TOOL, environment, fitted, load, run, write  # noqa: E402


# Draws.


def claim_a_draw_has_a_fresh_seed_that_draws_it_again():
    prior = fitted("fresh", [0, 1, 2, 3])
    history = write("fresh.csv", "action,reward\n0,1\n1,0\n")
    drawn = [load(run("decide", prior, "--history", history, "--draw", "--json").stdout) for _ in range(5)]
    assert len({each["seed"] for each in drawn}) == 5
    for each in drawn:
        assert each["seed"] < 2 ** 53, "a reader of JSON may keep numbers as doubles"
        index = each["actions"].index(each["action"])
        assert index == each["action_index"] and each["probability"] == each["probabilities"][index]
        assert load(run("decide", prior, "--history", history, "--seed", each["seed"], "--json").stdout) == each
    text = run("decide", prior, "--draw").stdout.splitlines()[-1]
    words = text.removeprefix("action: ").split(", of probability ")
    assert words[0] in "0123" and " drawn with seed " in words[1], text
    again = run("decide", prior, "--seed", text.split()[-1]).stdout.splitlines()[-1]
    assert again == text
    plain = load(run("decide", prior, "--json").stdout)
    assert not {"action", "action_index", "probability", "seed"} & set(plain)


def claim_one_seed_in_a_loop_draws_anew_in_every_round():
    # Each drawn action says in which interval of its law the random number was. If rounds share one number, their
    # intervals share a point; independent numbers would have 40 intervals of about 1/10 in common with odds of 10^-30.
    prior = fitted("loop", list(range(10)) * 20)
    rows, low, high, middles, rounds = "action,reward\n", 0.0, 1.0, [], 40
    for turn in range(rounds):
        history = write("loop.csv", rows)
        drawn = load(run("decide", prior, "--history", history, "--seed", "7", "--json").stdout)
        below = sum(drawn["probabilities"][:drawn["action_index"]])
        low, high = max(low, below), min(high, below + drawn["probability"])
        middles.append(below + drawn["probability"] / 2)
        rows += f"{turn % 10},{turn % 2}\n"
    assert low > high, f"one number in ({low}, {high}) explains all {rounds} draws"
    # The mean of 40 uniform numbers is 1/2 with a standard deviation of 0.046: five of them.
    assert abs(sum(middles) / rounds - 0.5) < 0.23, middles
    same = load(run("decide", prior, "--history", history, "--seed", "7", "--json").stdout)
    assert same == drawn
    for part in ("a longer history a new draw", "share a seed"):
        assert part in " ".join(run("decide", "--help").stdout.split())


# What an answer is worth.


def claim_an_answer_says_whether_it_is_computed_or_from_draws_or_from_a_chain():
    choices = [0] * 5 + [1] * 3 + [2] * 2
    uniform = ["--reference", "uniform"]
    sharp, soft = fitted("sharp", choices, *uniform), fitted("soft", choices, "--beta", "5", *uniform)
    beta, learned = fitted("arms", choices, "--method", "beta"), fitted("learned", choices)
    scaled = fitted("scaled", choices, "--beta", "5")
    wanted = [(sharp, "auto", "computed", "sampler quadrature, computed"),
              (learned, "auto", "computed", "sampler mixture, computed"),
              (scaled, "auto", "Markov chain", "sampler mixture_chain, 300 draws of a Markov chain (exact in the limit)"),
              (beta, "auto", "independent draws", "sampler conjugate, 300 independent draws"),
              (sharp, "rejection", "independent draws", "sampler rejection, 300 independent draws"),
              (soft, "auto", "Markov chain", "sampler mcmc, 300 draws of a Markov chain (exact in the limit)"),
              (soft, "sgld", "approximate chain", "sampler sgld, 300 draws of an approximate chain")]
    for prior, sampler, kind, sentence in wanted:
        words = ["decide", prior, "--sampler", sampler, "--draws", "300"]
        told = load(run(*words, "--json").stdout)
        assert told["kind"] == kind and "exact" not in told, told
        text = run(*words).stdout
        assert sentence in text and "exact draws" not in text, text
        seen = load(run("inspect", prior, "--sampler", sampler, "--tasks", "2", "--episodes", "2", "--json").stdout)
        assert seen["kind"] == kind, seen
    kinds = {each["name"]: each["kind"] for each in load(run("list", "samplers", "--json").stdout)["samplers"]}
    assert kinds == {"mixture": "computed", "mixture_chain": "Markov chain", "ranged": "independent draws", "pooled": "computed",
                     "quadrature": "computed", "tabulated": "computed", "conjugate": "independent draws",
                     "rejection": "independent draws", "mcmc": "Markov chain", "sgld": "approximate chain"}


# Competence.


def claim_sensitivity_compares_every_competence_by_one_rule():
    demos, history = SOURCE / "examples/data/treatments.csv", SOURCE / "examples/data/treatments_history.csv"
    told = load(run("sensitivity", demos, "--history", history, "--json").stdout)
    assert told["rule"] == "epsilon" and abs(told["epsilon"] - 3 / (2 * 120)) < 1e-15
    limit = next(each for each in told["betas"] if each["beta"] == "inf")
    assert 0 < limit["lambda"] < 1e9 and limit["draws"] == 0, limit
    # Experts of competence 400 choose as optimal ones do wherever means differ by more than 1/100.
    run("fit", demos, "--beta", "400", "--epsilon", told["epsilon"], "-o", "sharp400.json")
    near = load(run("decide", "sharp400.json", "--history", history, "--draws", "200000", "--json").stdout)
    gap = max(abs(p - q) for p, q in zip(near["probabilities"], limit["probabilities"]))
    assert gap < 0.012, f"beta = 400 and beta = inf are {gap} apart"
    # Another rule, as fit has it by default, is farther away than competence is.
    other = told["fit_default"]
    assert other["lambda"] == "inf" and other["beta"] == "inf"
    run("fit", demos, "-o", "default.json")
    assert other["probabilities"] == load(run("decide", "default.json", "--history", history, "--json").stdout)["probabilities"]
    assert max(abs(p - q) for p, q in zip(other["probabilities"], limit["probabilities"])) > 2 * gap
    text = run("sensitivity", demos, "--history", history).stdout
    assert "one rule for every beta" in text and "0.0125 nats" in text and "fit's default" in text, text


# Long fits.


def interrupted(*words):
    """Runs until its bar shows on a terminal that is standard error, then sends an interrupt."""
    terminal, slave = pty.openpty()
    process = subprocess.Popen([TOOL, *map(str, words)], stdout=subprocess.PIPE, stderr=slave, cwd=HERE,
                               env=environment(TERM="xterm"))
    os.close(slave)
    text, sent = b"", False
    while select.select([terminal], [], [], 500)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        text += piece
        if not piece:
            break
        if not sent and f"\033[K{words[0]} ".encode() in text:
            process.send_signal(signal.SIGINT)
            sent = True
    out = process.communicate(timeout=500)[0]
    os.close(terminal)
    assert sent, text
    assert process.returncode == 1 and out == b"", (process.returncode, out, text)
    assert b"interrupted; nothing" in text.splitlines()[-1], text


def claim_a_long_fit_shows_its_progress_and_stops_when_interrupted():
    many = write("many.csv", "action,count\n" + "".join(f"{arm},{1 + arm * arm % 97}\n" for arm in range(1000)))
    interrupted("fit", many, "--beta", "10", "-o", "never.json")
    interrupted("fit", many, "--method", "gamma", "-o", "never.json")
    interrupted("sensitivity", many)
    assert not (HERE / "never.json").exists()


def claim_a_long_fit_of_trajectories_stops_when_interrupted():
    walks = write("walks.jsonl", '{"states":[[0],[1],[2]],"actions":[1,1,0]}\n{"states":[[0],[3]],"actions":[0,1]}\n')
    for agent in ("experior_maxent:fit_steps=1000000,fit_rate=0",  # a network that does not move never follows
                  "experior_maxent:prior=max_entropy,chain_steps=10000000",
                  "experior_param:pretrain_steps=1000000,networks=100"):
        interrupted("fit", walks, "--agent", agent, "-o", "never.safetensors")
    assert not (HERE / "never.safetensors").exists()


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
