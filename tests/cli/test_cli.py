#!/usr/bin/env python3
"""The command line tool as people and programs use it: usage, flows, JSON."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import BUILD, HERE, INSTRUMENTED, SOURCE, SUBCOMMANDS, bad, fitted, load, run, write  # noqa: E402


# Usage.


def claim_every_subcommand_explains_itself_with_an_example():
    for name in SUBCOMMANDS:
        text = run(name, "--help").stdout
        assert text.startswith(f"Usage: experior {name}"), text
        assert "Example" in text and f"$ experior {name}" in text, text
        assert run("help", name).stdout == text
        assert "(null)" not in text, text  # an option without a word for its value
        assert max(len(line) for line in text.splitlines()) <= 80 or "http" in text, text


def claim_the_overview_lists_every_subcommand():
    text = run("--help").stdout
    assert text == run("help").stdout == run(code=2).stderr
    for name in SUBCOMMANDS:
        assert f"\n  {name} " in text
    assert "manual" not in text


def claim_the_version_is_that_of_the_headers():
    header = (SOURCE / "include/experior/base.h").read_text()
    number = [header.split(f"XP_VERSION_{part} ")[1].split()[0] for part in ("MAJOR", "MINOR", "PATCH")]
    assert run("--version").stdout == f"experior {'.'.join(number)}\n"


def claim_slips_get_a_suggestion():
    bad("simulat", says=["'simulate'"])
    bad("help", "demso", says=["'demos'"])
    bad("demos", "--cuont", "3", says=["'--cuont'", "'--count'"])
    bad("demos", "--parameter-mx", "3", says=["parameter_max"])
    bad("demos", "--expert", "optimla", says=["'optimal'"])
    bad("list", "prior", says=["'priors'"])
    bad("list", "nonsense", says=["'nonsense'", "'experior list' shows"])
    bad("simulate", "--agent", "nobody", says=["'nobody'", "experior list agents"])
    bad("simulate", "--env", "nothing_like_it", says=["nothing_like_it", "experior list environments"])


def claim_bad_usage_is_refused_in_a_sentence():
    bad("--count", "3", says=["subcommand"])
    bad("demos", "--count", says=["--count needs a value"])
    bad("demos", "--count", "--seed", "1", says=["--count needs a value"])
    bad("demos", "--count=", says=["--count needs a value"])
    bad("demos", "--count", "3", "--count", "4", says=["--count is given twice"])
    bad("demos", "--count", "0", says=["--count = 0", "[1, 1000000000]"])
    bad("demos", "--count", "3.5", says=["3.5"])
    bad("demos", "--count", "1e3", says=["1e3"])
    bad("demos", "--seed", "-1", says=["--seed", "-1"])
    bad("demos", "--seed", "18446744073709551616", says=["18446744073709551616"])
    bad("demos", "--format", "xml", says=["xml", "csv|jsonl"])
    bad("demos", "extra", says=["'extra'"])
    bad("demos", "-z", says=["'-z'"])
    bad("demos", "--beta", "2", says=["--beta", "noisily_rational", "optimal"])
    bad("list", "--json=yes", says=["--json takes no value"])
    bad("fit", says=["DEMOS is missing"])
    bad("study", "table2", says=["--output is missing"])
    bad("study", "table2", "--scale", "smoke", "-o", "empty", "--so-far", says=["nothing to report so far"])
    bad("study", "table2", "-o", "empty", "--so-far", "--fresh", says=["choose one of the two"])
    bad("study", "table2", "--scale", "smoke", "-o", "empty", "--only", "oracel_ts", says=["'oracel_ts'", "the first key is 'bernoulli"])
    bad("study", "tabel2", "-o", "x", says=["'tabel2'", "'table2'"])
    assert not (HERE / "x").exists()


def claim_files_that_are_mixed_up_are_told_apart():
    run("demos", "--count", 50, "-o", "mixed.csv")
    run("fit", "mixed.csv", "-o", "mixed.json")
    bad("decide", "mixed.csv", says=["mixed.csv: is not a model", "experior fit"])
    bad("decide", write("short.txt", "a\n"), says=["short.txt: is not a model"])
    bad("fit", "mixed.json", says=["mixed.json:1: is not a JSON object, as every line must be"])


def claim_a_number_stands_on_one_line_with_its_per_cent_sign():
    lines = run("inspect", fitted("wrapped", ["a"] * 6 + ["b"]), "--tasks", 20, "--draws", 300).stdout.splitlines()
    assert any(" %" in line for line in lines) and not any(line.lstrip().startswith("%") for line in lines), lines


def claim_one_cell_of_a_study_can_be_run_alone_as_the_help_says():
    words = re.search(r'--only "([^"]*)"', run("study", "--help").stdout.replace("\n", " ")).group(1)
    done = run("study", "table3", "--scale", "paper", "-o", "cell", "--only", words, "--json")
    study = load(done.stdout)["studies"][0]
    exact = [row for row in study["rows"] if row["measure"] == "expected return, exact"]
    assert [(row["spec"], row["group"], row["priors"]) for row in exact] == [("posterior_sampling:beta=10", "mdp, n = 9, β = 10", 15)]
    assert abs(exact[0]["mean"] - 12.67) < 0.01, exact


def claim_options_may_be_written_in_every_usual_way():
    plain = run("demos", "--arms", "3", "--count", "7", "--seed", "5").stdout
    assert run("demos", "--arms=3", "--count=7", "--seed=5").stdout == plain
    assert run("demos", "--arms", "3", "--count", "7", "--seed", "5", "-o", "-").stdout == plain
    assert run("demos", "--arms", "3", "--count", "7", "--seed", "5", "-o-", "--").stdout == plain
    assert (run("demos", "--parameter-max", "2").stdout == run("demos", "--parameter_max", "2").stdout
            != run("demos").stdout)
    write("--odd.txt", "action\na\nb\n")
    assert "actions" in run("fit", "--", "--odd.txt").stdout


# What there is.


def claim_the_list_names_every_type_and_parameter():
    stages = load(run("list", "--json").stdout)
    assert list(stages) == ["environments", "experts", "priors", "q_priors", "samplers", "agents", "studies", "rewards"]
    text = run("list").stdout
    for stage, types in stages.items():
        assert types, stage
        alone = load(run("list", stage, "--json").stdout)
        assert alone == {stage: types}
        for each in types:
            assert each["summary"] and f"  {each['name']}\n" in text
            for parameter in each["parameters"]:
                assert parameter["summary"] and parameter["kind"] in ("real", "integer", "choice")
                assert f"      {parameter['name']}: " in text
                if parameter["kind"] == "choice":
                    assert parameter["default"] in parameter["choices"]
    assert all("kind" in each for each in stages["samplers"])
    assert [each["for"] for each in stages["agents"] if each["name"] == "experior_maxent"] == ["bandits", "states"]
    assert text.index("for bandits:") < text.index("  naive_ts\n") < text.index("with states:")


def claim_the_manual_page_is_made_from_the_same_tables():
    page = run("manual").stdout
    for name in SUBCOMMANDS:
        assert f".Ss {name}\n" in page
    for name in ("history", "epsilon", "parameter\\-max", "demonstrations"):
        assert "Fl \\-" + name in page, name
    built = BUILD / "experior.1"
    if built.exists():
        assert built.read_text() == page
    if shutil.which("mandoc"):
        lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=page, capture_output=True, text=True, check=False)
        assert lint.returncode == 0 and lint.stdout == "", lint.stdout + lint.stderr


# Flows.


def claim_demonstrations_lead_to_a_decision():
    run("demos", "--env", "bernoulli_bandit", "--arms", "10", "--expert", "optimal", "--count", "1000", "--seed", "1",
        "--format", "jsonl", "-o", "demos.jsonl")
    fit = load(run("fit", "demos.jsonl", "-o", "prior.json", "--json").stdout)
    assert fit["demonstrations"] == 1000 and len(fit["arms"]) == 10 and fit["converged"] is True
    assert sum(fit["counts"]) == 1000
    shares = [count / 1000 for count in fit["counts"] if count]
    assert math.isclose(fit["entropy_bits"], -sum(p * math.log2(p) for p in shares), rel_tol=1e-12)
    first = load(run("decide", "prior.json", "--json").stdout)
    assert first["observations"] == 0 and first["actions"] == [str(arm) for arm in range(10)]
    assert first["kind"] == "computed" and "action" not in first
    # With optimal experts and exact matching P(a is best) is the smoothed frequency, in closed form.
    for count, probability in zip(fit["counts"], first["probabilities"]):
        assert math.isclose(probability, (count + 0.5) / (1000 + 5), abs_tol=1e-6), (count, probability)
    text = run("decide", "prior.json").stdout
    assert "0 observations" in text and f"{first['probabilities'][3]:.4f}" in text


def claim_the_formats_and_standard_input_give_the_same_prior():
    run("demos", "--arms", "4", "--count", "300", "--seed", "3", "-o", "d.csv")
    run("demos", "--arms", "4", "--count", "300", "--seed", "3", "-o", "d.jsonl", "--format", "jsonl")
    csv, jsonl = (HERE / "d.csv").read_text(), (HERE / "d.jsonl").read_text()
    assert csv.count("\n") == 301 and jsonl.startswith("{")
    run("fit", "d.csv", "-o", "a.json", "--arms", "4")
    run("fit", "d.jsonl", "-o", "b.json")
    run("fit", "-", "-o", "c.json", "--arms", "4", stdin=csv)
    assert run("fit", "d.jsonl", "-o", "-").stdout == (HERE / "b.json").read_text()
    assert (HERE / "a.json").read_bytes() == (HERE / "c.json").read_bytes()
    models = [load((HERE / name).read_text()) for name in ("a.json", "b.json")]
    for model in models:  # what a table had to say is not in the demonstrations
        del model["checksum"]
        model.pop("evidence", None)
    assert models[0] == models[1]


def claim_demonstrations_with_states_are_written_and_bandit_tools_refuse_them():
    run("demos", "--env", "deep_sea", "--goal", "any", "--count", "1000", "-o", "sea.csv")
    run("demos", "--env", "deep_sea", "--goal", "any", "--count", "1000", "-o", "sea.jsonl", "--format", "jsonl")
    lines = (HERE / "sea.csv").read_text().splitlines()
    assert lines[0] == "demonstration,step,state_0,action" and len(lines) == 1 + 30 * 1000
    rows = [json.loads(line) for line in (HERE / "sea.jsonl").read_text().splitlines()]
    assert len(rows) == 30 and sum(row.get("count", 1) for row in rows) == 1000
    first = [line.split(",") for line in lines[1:31]]
    shown = ([[int(cell)] for _, _, cell, _ in first], [int(action) for _, _, _, action in first])
    assert shown in [(row["states"], row["actions"]) for row in rows]
    for name in ("sea.csv", "sea.jsonl"):
        bad("fit", name, "--agent", "naive_ts", says=["agent naive_ts acts in bandits only"])
        bad("fit", name, "--method", "beta", says=["the prior 'beta' is for demonstrations without states"])
    bad("simulate", "--env", "frozen_lake", "--agent", "naive_ucb", "--tasks", "1", "--episodes", "1",
        says=["agent naive_ucb acts in bandits only; frozen_lake has states"])
    bad("demos", "--env", "deep_sea", "--goal-low", "5", "--goal-high", "3", says=["goal_low = 5 is after goal_high = 3"])


def claim_an_action_that_nobody_chose_is_said_where_csv_cannot():
    arms = ["demos", "--arms", "40", "--count", "3", "--seed", "1", "-o", "few"]
    left = ["demos", "--env", "deep_sea", "--size", "4", "--goal-low", "0", "--goal-high", "0", "--count", "2", "-o", "left"]
    assert "no demonstration chose action 39" in run(*arms).stderr
    assert "fit with --arms 40 or write --format jsonl" in run(*arms).stderr
    assert "name --env again with fit or write --format jsonl" in run(*left).stderr
    for words in (arms, left):
        assert "no demonstration chose" not in run(*words, "--format", "jsonl").stderr


def claim_fit_q_says_where_it_went():
    for words in (["fit-q"], ["fit-q", "walks.jsonl", "-o", "networks.safetensors", "--method", "modes"]):
        bad(*words, says=["fit-q is now part of fit: 'experior fit DEMOS -o MODEL'"])


def claim_rewards_move_the_decision_and_names_are_kept():
    prior = fitted("named", ["stay"] * 6 + ["go"] * 3 + ["wait"])
    write("history.csv", "action,reward\n" + "stay,0\n" * 12 + "go,1\n" * 3)
    before = load(run("decide", prior, "--json").stdout)
    after = load(run("decide", prior, "--history", "history.csv", "--json").stdout)
    assert before["actions"] == after["actions"] == ["stay", "go", "wait"]
    assert after["observations"] == 15
    assert after["probabilities"][0] < before["probabilities"][0] / 4
    assert after["probabilities"][1] > before["probabilities"][1]
    for law in (before, after):
        assert math.isclose(sum(law["probabilities"]), 1, rel_tol=1e-9)
    piped = run("decide", prior, "--history", "-", "--json", stdin=(HERE / "history.csv").read_text())
    assert load(piped.stdout) == after
    text = run("decide", prior, "--history", "history.csv", "--seed", "1").stdout
    assert "stay" in text and "action: " in text


def claim_every_sampler_that_fits_the_prior_agrees():
    prior = fitted("agree", [0] * 5 + [1] * 3 + [2] * 2)
    write("agree.csv", "action,reward\n0,1\n0,0\n1,1\n2,0\n")
    exact = load(run("decide", prior, "--history", "agree.csv", "--sampler", "mixture", "--json").stdout)
    counted = load(run("decide", prior, "--history", "agree.csv", "--sampler", "rejection", "--draws", "20000",
                       "--json").stdout)
    assert exact["draws"] == 0 and counted["draws"] == 20000
    # Five standard deviations of a counted probability: false alarm below 1e-5 for three of them.
    for p, q in zip(exact["probabilities"], counted["probabilities"]):
        assert abs(p - q) < 5 * math.sqrt(p * (1 - p) / 20000), (p, q)
    bad("decide", prior, "--sampler", "conjugate", says=["conjugate"])
    stalled = run("decide", prior, "--sampler", "rejection", "--tries", "1", code=1)
    assert stalled.stdout == "" and "gives up" in stalled.stderr


def claim_an_action_is_drawn_only_with_a_seed_and_always_the_same():
    prior = fitted("seeded", [0] * 5 + [1] * 5)
    first = run("decide", prior, "--seed", "11", "--json").stdout
    assert run("decide", prior, "--seed", "11", "--json").stdout == first
    drawn = {load(run("decide", prior, "--seed", seed, "--json").stdout)["action"] for seed in range(12)}
    assert drawn == {"0", "1"}


def claim_a_prior_can_be_inspected():
    prior = fitted("looked", ["a"] * 70 + ["b"] * 20 + ["c"] * 10, "--reference", "uniform")
    seen = load(run("inspect", prior, "--tasks", "200", "--episodes", "100", "--json").stdout)
    assert seen["actions"] == ["a", "b", "c"] and seen["demonstrated"] == [0.7, 0.2, 0.1]
    law = seen["probability_best"]
    assert math.isclose(law[0], 70.5 / 101.5, abs_tol=1e-6)
    assert math.isclose(seen["entropy_bits"], -sum(p * math.log2(p) for p in law), rel_tol=1e-9)
    # E[best of three uniforms] = 3/4 whatever the arm; a losing arm's mean is 3/8. Draws: 10,000, 5 sigma.
    for p, mean in zip(law, seen["mean_reward"]):
        assert abs(mean - (p * 3 / 4 + (1 - p) * 3 / 8)) < 5 * 0.3 / math.sqrt(10000), (p, mean)
    assert seen["regret_saved"] > 0
    assert math.isclose(seen["regret_saved"], seen["uniform_regret"] - seen["regret"], rel_tol=1e-9)
    text = run("inspect", prior, "--tasks", "20", "--episodes", "20").stdout
    assert "█" in text and "regret without" in text and "experts' choices save" in text


def claim_sensitivity_shows_each_competence_and_says_which_are_impossible():
    demos = write("sure.csv", "action,count\na,95\nb,4\nc,1\n")
    rewards = "action,reward\na,0\nb,1\n"
    history = write("sure_history.csv", rewards)
    result = json.loads(run("sensitivity", demos, "--history", history, "--json").stdout)
    assert result["actions"] == ["a", "b", "c"]
    by_beta = {entry["beta"]: entry for entry in result["betas"]}
    assert not by_beta[0.5]["feasible"], "experts of competence 0.5 cannot be 95 % sure"
    run("fit", demos, "-o", "sure.json")
    exact = json.loads(run("decide", "sure.json", "--history", history, "--json").stdout)["probabilities"]
    assert result["fit_default"]["probabilities"] == exact
    for entry in result["betas"]:
        assert not entry["feasible"] or abs(sum(entry["probabilities"]) - 1) < 1e-9
    text = run("sensitivity", demos).stdout
    assert "–" in text and text.splitlines()[0].split()[-3:] == ["inf", "fit's", "default"], text
    piped = run("sensitivity", demos, "--history", "-", "--json", stdin=rewards).stdout
    assert json.loads(piped) == result
    bad("sensitivity", "-", "--history", "-", says=["one of them must be a file"])


def claim_a_picture_of_a_prior_is_drawn():
    prior = fitted("drawn", [0, 0, 1, 2])
    if not shutil.which("gnuplot"):
        run("inspect", prior, "--tasks", "2", "--episodes", "2", "--picture", "p.svg", code=2)
        return
    run("inspect", prior, "--tasks", "2", "--episodes", "2", "--picture", "p.svg")
    assert "<svg" in (HERE / "p.svg").read_text()


def claim_the_result_of_a_simulation_does_not_depend_on_threads():
    words = ["simulate", "--arms", "4", "--agent", "experior_maxent", "--agent", "naive_ucb", "--tasks", "40",
             "--priors", "2", "--episodes", "100", "--demonstrations", "200", "--seed", "9"]
    one, two = run(*words, "--threads", "1"), run(*words, "--threads", "2")
    assert one.stdout == two.stdout and "naive_ucb" in one.stdout
    first, second = (load(run(*words, "--threads", count, "--json").stdout) for count in (1, 2))
    assert first["agent_steps"] == 2 * 40 * 2 * 100 and first["seconds"] > 0
    for result in (first, second):
        del result["seconds"]
        for agent in result["agents"]:
            del agent["fit_seconds"], agent["act_seconds"]
    assert first == second
    assert first["agents"][0]["regret"] < first["agents"][1]["regret"]
    alone = load(run("simulate", "--arms", "3", "--tasks", "8", "--episodes", "20", "--json").stdout)
    assert alone["agent_steps"] == 160 and alone["regret"] == alone["agents"][0]["regret"]
    assert {"seconds", "regret_se", "regret_mean_over_episodes"} <= set(alone)


def claim_a_single_task_has_no_standard_error_and_says_so():
    told = run("simulate", "--tasks", "1", "--episodes", "5").stdout
    assert "nan" not in told and "  -  " in told and "over tasks; a single task has none\n" in told, told
    assert "has none" not in run("simulate", "--tasks", "2", "--episodes", "5").stdout
    assert load(run("simulate", "--tasks", "1", "--episodes", "5", "--json").stdout)["regret_se"] is None


def claim_a_simulation_with_states_prints_the_return_of_each_episode():
    words = ["simulate", "--env", "deep_sea", "--goal", "half", "--size", "10", "--agent", "posterior_sampling",
             "--episodes", "200", "--tasks", "3", "--seed", "5"]
    first, second = (load(run(*words, "--threads", count, "--json").stdout) for count in (1, 2))
    assert first["seconds"] > 0 and first["agent_steps"] == 3 * 200 * 10
    assert len(first["returns"]) == 200 and first["returns"] == second["returns"]
    assert abs(first["returns"][-1] - 0.99) < 1e-12
    assert first["agents"][0]["returns"] == first["returns"]
    assert abs(sum(0.99 - each for each in first["returns"]) - first["regret"]) < 1e-9
    text = run(*words).stdout
    assert "mean return of an episode" in text and "episodes 1-50" in text and "1-200" in text
    assert f"{sum(first['returns'][:50]) / 50:.4g}" in text
    both = load(run(*words, "--agent", "posterior_sampling:lambda=0", "--json").stdout)
    assert "returns" not in both and [len(each["returns"]) for each in both["agents"]] == [200, 200]
    assert both["agents"][0]["returns"] == first["returns"]
    assert "returns" not in load(run("simulate", "--tasks", "2", "--episodes", "3", "--json").stdout)
    bad("simulate", "--agent", "posterior_sampling", "--tasks", "1", "--episodes", "1",
        says=["agent posterior_sampling acts where the contexts can be listed; those of bernoulli_bandit cannot"])


def claim_a_simulation_draws_its_episodes():
    words = ["simulate", "--env", "deep_sea", "--goal", "half", "--size", "8", "--agent", "posterior_sampling",
             "--agent", "boot_dqn:members=3", "--episodes", "20", "--tasks", "1", "--seed", "5"]
    plain, drawn = run(*words), run(*words, "--render", "pictures")
    assert plain.stdout == drawn.stdout and "12 pictures written to pictures" in drawn.stderr
    agents = ("posterior_sampling", "boot_dqn-members-3")
    assert sorted(path.name for path in (HERE / "pictures").iterdir()) == sorted(
        f"deep_sea-{agent}-episode-{episode:04}.svg" for agent in agents for episode in (1, 2, 4, 8, 16, 20))
    returns = load(run(*words, "--json").stdout)["agents"]
    for path in (HERE / "pictures").iterdir():
        root = xml.etree.ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        assert root.tag == space + "svg" and root.find(f".//{space}animateMotion") is not None
        index = agents.index(path.name.split("-episode-")[0].removeprefix("deep_sea-"))
        episode = int(path.stem[-4:])
        shown = root.find(space + "title").text.split("return ")[1].split(" ")[0].replace("−", "-")
        assert abs(float(shown) - returns[index]["returns"][episode - 1]) <= 5e-5
        words_used = path.read_text()
        assert "http" not in words_used.replace("http://www.w3.org/2000/svg", "") and "href" not in words_used
    lake = ["simulate", "--env", "frozen_lake", "--hazards", "5", "--agent", "posterior_sampling", "--episodes", "9",
            "--tasks", "1"]
    for place in ("first", "second"):
        run(*lake, "--render", place, "--render-episodes", "9,3")
        assert len(list((HERE / place).iterdir())) == 2
    for path in (HERE / "first").iterdir():
        xml.etree.ElementTree.parse(path)
        assert path.read_bytes() == (HERE / "second" / path.name).read_bytes()
    bad("simulate", "--tasks", "1", "--episodes", "3", "--render", "none",
        says=["bernoulli_bandit has no board to draw"])
    bad(*lake, "--render", "none", "--render-episodes", "3,10", says=["episode 10 cannot be drawn", "1 to 9"])
    for wrong in ("x", "1,,2", "1,", "-1", "1 2", "99999999999999999999"):
        bad(*lake, "--render", "none", "--render-episodes", wrong, says=["is not a list like 1,5,20"])
    bad(*lake, "--render-episodes", "1", says=["--render"])
    assert not (HERE / "none").exists()


def claim_the_same_seed_gives_the_same_bytes():
    for words in (["demos", "--count", "50", "--expert", "noisily_rational", "--beta", "2"],
                  ["demos", "--count", "50", "--expert", "random_optimal", "--gamma", "0.3", "--format", "jsonl"]):
        first = run(*words, "--seed", "4").stdout
        assert first == run(*words, "--seed", "4").stdout != run(*words, "--seed", "5").stdout


def claim_samplers_are_calibrated_from_the_command_line():
    words = ["calibrate", "--simulations", "200", "--sampler", "quadrature", "--sampler", "rejection"]
    result = load(run(*words, "--threads", "1", "--json").stdout)
    assert result == load(run(*words, "--threads", "2", "--json").stdout)
    assert [each["sampler"] for each in result["samplers"]] and result["passed"] is True
    assert any(part in run(*words).stdout for part in "▁▂▃▄▅▆▇█")


def claim_the_benchmark_prints_numbers():
    if INSTRUMENTED:
        return
    result = load(run("bench", "--seconds", "0.1", "--json").stdout)
    names = [each["measure"] for each in result["measures"]]
    assert len(set(names)) == len(names) and "peak memory" in names
    assert all(each["value"] > 0 for each in result["measures"])


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
