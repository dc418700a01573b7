#!/usr/bin/env python3
"""State between calls: decisions that are drawn, kept and rewarded by number; and tasks drawn from a model."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, SOURCE, TOOL, bad, environment, fitted, load, run, write  # noqa: E402

MODEL = fitted("state", ["a"] * 5 + ["b"] * 3 + ["c"])


def decide(state, *words):
    return load(run("decide", MODEL, "--state", state, "--json", *words).stdout)


def observe(state, *words, **more):
    return load(run("observe", MODEL, "--state", state, "--json", *words, **more).stdout)


# Decisions.


def claim_a_decision_is_drawn_from_the_law_that_is_printed_and_gets_the_next_number():
    for number in range(1, 5):
        drawn = decide("next.state", "--draw")
        assert drawn["decision_id"] == number and drawn["pending"] == number and drawn["observations"] == 0
        index = drawn["actions"].index(drawn["action"])
        assert drawn["action_index"] == index and drawn["probability"] == drawn["probabilities"][index]
        assert abs(sum(drawn["probabilities"]) - 1) < 1e-9
    text = run("decide", MODEL, "--state", "next.state", "--draw").stdout.splitlines()
    assert re.fullmatch(r"decision 5: [abc], of probability 0\.\d{4}", text[-1]), text
    assert text[-2].startswith("after 0 observations, 5 decisions pending; sampler "), text


def claim_without_draw_the_file_is_only_read():
    law = decide("asked.state")
    assert not {"decision_id", "action", "probability"} & set(law) and law["pending"] == 0
    assert not list(HERE.glob("asked.state*"))
    assert law["probabilities"] == load(run("decide", MODEL, "--json").stdout)["probabilities"]
    decide("asked.state", "--draw")
    before = (HERE / "asked.state").read_bytes()
    assert decide("asked.state")["pending"] == 1
    assert (HERE / "asked.state").read_bytes() == before


def claim_a_state_learns_what_a_history_would_teach():
    rows = "action,reward\n"
    for turn in range(12):
        drawn = decide("taught.state", "--draw")
        observe("taught.state", "--decision", str(drawn["decision_id"]), "--reward", str(turn % 2))
        rows += f"{drawn['action']},{turn % 2}\n"
    wanted = load(run("decide", MODEL, "--history", write("taught.csv", rows), "--json").stdout)
    kept = decide("taught.state")
    assert kept["observations"] == wanted["observations"] == 12
    assert max(abs(p - q) for p, q in zip(kept["probabilities"], wanted["probabilities"])) < 1e-12


def claim_several_decisions_at_once_are_those_drawn_one_by_one():
    several = decide("several.state", "--draw", "--count", "6", "--seed", "4")
    assert [one["decision_id"] for one in several["decisions"]] == [1, 2, 3, 4, 5, 6]
    assert several["decision_id"] == 1 and several["action"] == several["decisions"][0]["action"]
    singly = [decide("singly.state", "--draw", "--seed", "4") for _ in range(6)]
    assert [one["action"] for one in singly] == [one["action"] for one in several["decisions"]]
    assert len(run("decide", MODEL, "--state", "several.state", "--draw", "--count", "2").stdout.splitlines()) == 7


def claim_the_seed_belongs_to_the_first_decision():
    told = run("decide", MODEL, "--state", "fresh.state", "--draw", "--json")
    seed = load(told.stdout)["seed"]
    assert told.stderr == f"experior: fresh.state is new, with seed {seed}\n"
    first = [decide("fresh.state", "--draw") for _ in range(9)]
    assert {one["seed"] for one in first} == {seed}
    again = [decide("again.state", "--draw", "--seed", str(seed)) for _ in range(10)]
    assert [one["action"] for one in again[1:]] == [one["action"] for one in first]
    bad("decide", MODEL, "--state", "fresh.state", "--draw", "--seed", str(seed + 1), says=[f"its seed is {seed}"])
    bad("decide", MODEL, "--state", "fresh.state", "--seed", str(seed), says=["give --draw as well"])


# Rewards.


def claim_a_reward_is_refused_if_its_decision_is_no_longer_or_not_yet_pending():
    decide("twice.state", "--draw", "--count", "3")
    told = observe("twice.state", "--decision", "2", "--reward", "1")
    assert told == {"observed": 1, "forgotten": 0, "observations": 1, "pending": 2, "next_decision_id": 4}
    words = ["observe", MODEL, "--state", "twice.state"]
    bad(*words, "--decision", "2", "--reward", "1", says=["decision 2 is no longer pending", "given before"])
    bad(*words, "--decision", "4", "--reward", "1", says=["there is no decision 4"])
    bad(*words, "--decision", "1", "--reward", "1", "--decision", "2", "--reward", "0", says=["decision 2 is no longer"])
    bad(*words, "--decision", "1", "--reward", "1", "--decision", "1", "--reward", "0", says=["named twice"])
    bad(*words, "--decision", "1", "--reward", "nan", says=["not a number"])
    assert decide("twice.state")["pending"] == 2
    text = run(*words, "--decision", "1", "--reward", "1", "--decision", "3", "--reward", "0").stdout
    assert text == "2 rewards observed; 0 decisions pending\n", text


def claim_decisions_and_rewards_are_typed_in_pairs():
    decide("pairs.state", "--draw", "--count", "2")
    words = ["observe", MODEL, "--state", "pairs.state"]
    bad(*words, "--decision", "1", says=["--decision 1 has no --reward"])
    bad(*words, "--reward", "1", says=["follows no --decision"])
    bad(*words, "--decision", "1", "--decision", "2", "--reward", "1", says=["before the reward"])
    bad(*words, "--decision", "1", "--reward", "1", "--reward", "1", says=["follows no --decision"])
    bad(*words, says=["nothing to do"])
    bad("observe", MODEL, "--decision", "1", "--reward", "1", says=["--state is missing"])
    bad("observe", MODEL, "--state", "none.state", "--decision", "1", "--reward", "1", says=["there is no state"])
    assert not (HERE / "none.state").exists()
    assert decide("pairs.state")["pending"] == 2


def claim_rewards_come_from_a_table_all_or_none():
    decide("table.state", "--draw", "--count", "5")
    words = ["observe", MODEL, "--state", "table.state", "--rewards"]
    bad(*words, write("bad.csv", "decision,reward\n1,1\n9,1\n"), says=["bad.csv:3: there is no decision 9"])
    bad(*words, "gone.csv", says=["cannot read 'gone.csv'"])
    assert observe("table.state", "--rewards", write("good.csv", "reward,decision\n1,1\n0,2\n"))["observed"] == 2
    told = observe("table.state", "--rewards", "-", stdin='{"decision": 4, "reward": 1}\n')
    assert told["observed"] == 1 and told["pending"] == 2
    bad(*words, "-", stdin='{"decision": 4, "reward": 1}\n', says=["standard input:1: decision 4 is no longer pending"])


def claim_one_who_feeds_a_pipe_slowly_keeps_nobody_waiting():
    decide("pipe.state", "--draw")
    process = subprocess.Popen([TOOL, "observe", MODEL, "--state", "pipe.state", "--rewards", "-", "--json"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE, env=environment())
    process.stdin.write("decision,reward\n")
    process.stdin.flush()
    number = decide("pipe.state", "--draw")["decision_id"]
    out = process.communicate(f"1,1\n{number},0\n", timeout=120)[0]
    assert load(out)["observed"] == 2 and load(out)["pending"] == 0


def claim_what_gets_no_reward_is_listed_and_forgotten():
    decide("list.state", "--draw", "--count", "3")
    told = observe("list.state", "--list")
    assert [one["decision_id"] for one in told["pending_decisions"]] == [1, 2, 3]
    for one in told["pending_decisions"]:
        assert one["action"] in "abc" and 0 < one["probability"] < 1 and 0 <= one["age_seconds"] < 3600, one
    assert observe("list.state", "--forget", "2")["forgotten"] == 1
    bad("observe", MODEL, "--state", "list.state", "--forget", "2", says=["no longer pending"])
    assert observe("list.state", "--forget-older-than-hours", "1")["forgotten"] == 0
    assert "decision  action" in run("observe", MODEL, "--state", "list.state", "--list").stdout
    told = observe("list.state", "--forget-older-than-hours", "0", "--list")
    assert told["forgotten"] == 2 and told["pending_decisions"] == []


# What does not go together.


def claim_a_state_takes_its_own_model_and_nothing_that_it_cannot_keep():
    decide("own.state", "--draw")
    other = fitted("other", ["a"] * 6 + ["b"] * 3 + ["c"])
    for words in (["decide"], ["decide", "--draw"], ["observe", "--decision", "1", "--reward", "1"]):
        told = bad(words[0], other, "--state", "own.state", *words[1:], says=["keeps decisions of the model", "this is the model"])
        assert len(set(re.findall(r"\b[0-9a-f]{16}\b", told))) == 2, told
        assert "9 demonstrations" in told and "10 demonstrations" in told
    history = write("own.csv", "action,reward\na,1\n")
    bad("decide", MODEL, "--state", "own.state", "--history", history, says=["two ways to keep"])
    bad("decide", MODEL, "--state", "own.state", "--observation", "[1]", says=["docs/session.md"])
    bad("decide", MODEL, "--state", "own.state", "--sampler", "rejection", says=["its agent is"])
    bad("decide", MODEL, "--draw", "--count", "2", says=["--count is for", "--state"])
    bad("decide", MODEL, "--state", "own.state", "--count", "2", says=["--draw"])
    bad("decide", MODEL, "--state", "nowhere/own.state", "--draw", says=["cannot lock"])
    (HERE / "folder.state").mkdir()
    bad("decide", MODEL, "--state", "folder.state", "--draw", says=["not a regular file"])
    write("text.state", "action,reward\n")
    bad("decide", MODEL, "--state", "text.state", says=["is not a file of kept decisions"])
    steps = SOURCE / "examples/data/corridor.csv"
    run("fit", steps, "--agent", "behaviour_cloning", "-o", "steps.safetensors")
    bad("decide", "steps.safetensors", "--state", "steps.state", "--draw", says=["this model has states"])


# The page.


def shown(page, heading, commands):
    """Runs the commands that a section of a page shows; each must print what follows it there."""
    text = (SOURCE / "docs" / page).read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    place = HERE / page
    place.mkdir()
    (place / "examples").symlink_to(SOURCE / "examples")
    starts = [i for i, line in enumerate(lines) if line.startswith("$ experior ")]
    assert len(starts) == commands, lines
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        words = lines[start].split()[2:]
        done = subprocess.run([TOOL, *words], capture_output=True, text=True, cwd=place, env=environment(), check=False)
        wanted = "".join(f"{line}\n" for line in lines[start + 1:end])
        assert wanted in ("", done.stdout, done.stderr), f"{lines[start]}: {done.stdout}{done.stderr}"


def claim_the_page_on_sessions_shows_what_the_commands_print():
    shown("session.md", "State between calls", 5)


def claim_the_page_on_studies_shows_what_tasks_of_a_model_give():
    shown("study.md", "Your own setting", 2)


# Tasks of a model.


def claim_agents_are_compared_on_tasks_of_a_model():
    words = ["--tasks-from", MODEL, "--tasks", "200", "--episodes", "40", "--json"]
    told = load(run("simulate", *words, "--agent", "oracle_ts", "--agent", "naive_ts").stdout)
    assert told["tasks_from"] == MODEL and told["env"] is None
    regret = {each["agent"]: each["regret"] for each in told["agents"]}
    assert 0 < regret["oracle_ts"] < regret["naive_ts"], regret
    assert load(run("simulate", *words).stdout)["agent"] == "experior_maxent"
    for option in (["--env", "bernoulli_bandit"], ["--arms", "4"], ["--render", "film"]):
        bad("simulate", "--tasks-from", MODEL, *option, says=[option[0], "those of the model"])
    bad("simulate", "--tasks-from", "gone.json", says=["gone.json"])
    bad("simulate", "--tasks-from", "steps.safetensors", says=["the model has states"])


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
