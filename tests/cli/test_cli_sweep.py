#!/usr/bin/env python3
"""experior sweep: what is wrong with a file, what comes of a good one, and that interruptions change nothing."""

import contextlib
import csv
import json
import os
import pty
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import BUILD, HERE, INSTRUMENTED, SOURCE, TOOL, bad, environment, load, run, write  # noqa: E402

GOOD = {"name": "grid", "environments": ["bernoulli_bandit:arms=3", "bernoulli_bandit:arms=4"],
        "experts": ["optimal"], "demonstrations": [20, 100], "agents": ["naive_ts", {"name": "naive_ucb",
                                                                                    "rho": [0.5, 1]}],
        "seeds": [1, 5], "problems": 3, "tasks": 4, "episodes": 30}


def sweep(file, directory, *words, code=0, **changes):
    return run("sweep", write(file, json.dumps({**GOOD, **changes})), "-o", directory, *words, code=code)


def values(directory, name="grid"):
    with open(HERE / directory / f"{name}-values.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def claim_ten_mistakes_are_ten_sentences_and_nothing_is_computed():
    done = sweep("ten.json", "ten", code=2, name="No Good", environments=["bernoulli_bandit:arms=1", "nowhere"],
                 experts=["optimist"], demonstrations=[0, "absent.csv"], agents=["naive_ts:colour=red", {"rho": 1}],
                 problems=0, colour="red")
    lines = done.stderr.splitlines()
    assert len(lines) == 11, done.stderr
    for part in ('name = "No Good" is not made of', "bernoulli_bandit.arms = 1", "'nowhere'", "'optimist'",
                 "demonstrations[0] = 0", "absent.csv", "colour", "agents[1] needs a 'name'", "problems = 0",
                 "'colour': there is no such key"):
        assert any(part in line for line in lines), (part, done.stderr)
    assert lines[-1].endswith("has 10 mistakes; nothing was computed")
    assert not (HERE / "ten").exists() and done.stdout == ""


def claim_what_does_not_fit_together_is_a_mistake_too():
    def says(sentence, **changes):
        done = sweep("mixed.json", "mixed", code=2, **changes)
        assert sentence in done.stderr, done.stderr
    says("cannot be in one sweep", environments=["bernoulli_bandit", "deep_sea:size=4"], agents=["behaviour_cloning"])
    says("agent 'oracle_ts' in 'deep_sea:size=4'", environments=["deep_sea:size=4"], agents=["oracle_ts"])
    write("states.csv", "0\n1\n7\n")
    says("have 8 actions", demonstrations=["states.csv"])
    says("needs environments with states", search={"measure": "mean return"})
    says("search.keep = 1 is not a share", search={"keep": 1})
    says("'environments' is an empty list", environments=[])
    says("1 is listed twice", seeds=[1, 1])
    run("sweep", write("broken.json", '{"name": '), "-o", "broken", code=2)


def refused(sentence, **changes):
    """One mistake, told before anything is made."""
    done = sweep("refused.json", "refused", code=2, **changes)
    assert sentence in done.stderr and done.stderr.count("\n") == 2, done.stderr
    assert not (HERE / "refused").exists()


def claim_a_mistake_names_the_value():
    refused('environments[1] = 5 is not a text like', environments=["bernoulli_bandit", 5])
    refused('experts[0] = {"optimal":1} is not a text', experts=[{"optimal": 1}])
    refused('environments[0] = "xxx', environments=["x" * 300])
    refused('search = true is not an object', search=True)
    refused('search.keep = "half" is not a share', search={"keep": "half"})
    refused("search.measure = 5 is not 'final regret'", search={"measure": 5})
    refused('name = 7 is not made of 1 to 63', name=7)
    refused("agents[0]: 'rho' = true is neither a number", agents=[{"name": "naive_ucb", "rho": [1, True]}])
    refused("agents[0]: 'rho' = \"1,x=2\" is neither", agents=[{"name": "naive_ucb", "rho": "1,x=2"}])
    refused("agents[0]: '' is not the name of a parameter", agents=[{"name": "naive_ucb", "": 1}])
    refused('seeds[1] = 1.5 is not a whole number', seeds=[1, 1.5])
    refused("'seeds' has 10001 entries, more than 10000", seeds=list(range(10001)))


def claim_what_is_no_json_is_named_with_its_place():
    for text, sentence in (("", "no.json: line 1, column 0 is not JSON: "),
                           (json.dumps(GOOD) + "\n// that is all", "no.json: line 2, column 1 is not JSON: "),
                           ('{"problems": NaN}', "is not JSON: invalid token near 'NaN'"),
                           ('{"name": "a\\u0000b"}', "no.json: line 1: a text has a zero character"),
                           ('{"seeds": 1,\n "seeds": 2}', "line 2, column 8 is not JSON: duplicate object key"),
                           ("[1]", "no.json: not a JSON object"),
                           ("[" * 5000 + "]" * 5000, "maximum parsing depth")):
        write("no.json", text)
        bad("sweep", "no.json", "-o", "no", says=[sentence])
        assert not (HERE / "no").exists()
    (HERE / "no.json").write_text(json.dumps(GOOD), encoding="utf-16")
    bad("sweep", "no.json", "-o", "no", says=["'no.json' is in UTF-16: save it as UTF-8"])


def claim_the_help_names_every_key():
    said = run("sweep", "--help").stdout
    for key in (*GOOD, "search", "folder"):
        assert f'"{key}"' in said, key


def claim_what_there_is_instead_is_said():
    refused("'agent': there is no such key; the keys are name, environments, experts", agent="naive_ts")
    refused("search.keeps: there is no such key; the keys are rounds, problems, keep and measure", search={"keeps": 0.5})
    refused("'experior list environments' shows them", environments=["bernouli_bandit"])
    refused("'experior list experts' shows them", experts=["optimum"])


def claim_a_name_of_a_study_is_refused():
    """Its report would have the same names."""
    refused('name = "table2" is the name of a study', name="table2")


def claim_a_report_is_never_written_over_the_sweep_file():
    (HERE / "own").mkdir()
    path = write("own/mine.json", json.dumps({"name": "mine", "environments": ["bernoulli_bandit:arms=3"], "experts": ["optimal"],
                                              "demonstrations": [20], "agents": ["naive_ts"], "problems": 2, "tasks": 2,
                                              "episodes": 20}))
    before = (HERE / "own/mine.json").read_bytes()
    bad("sweep", path, "-o", "own", says=["own/mine.json", "the sweep file itself", "another name"])
    assert sorted(entry.name for entry in (HERE / "own").iterdir()) == ["mine.json"]
    run("sweep", path, "-o", "own/out", "--brief")
    assert (HERE / "own/mine.json").read_bytes() == before


def claim_a_report_is_never_written_over_demonstrations():
    """Under whatever name it leaves there, or removes."""
    settings = {**GOOD, **DEEP, "name": "kept", "demonstrations": ["shown.csv"], "folder": "."}
    steps = "demonstration,step,state_position,action\n" + "".join(f"0,{t},{5 * t},1\n" for t in range(4))
    write("shown.csv", steps)
    write("kept_mine.json", json.dumps(settings))
    run("sweep", "kept_mine.json", "-o", "kept", "--brief")
    run("report", "kept")
    names = {entry.name for entry in (HERE / "kept").iterdir()} - {"study.sqlite"}
    assert {"kept-aggregates.csv", "kept-values.sqlite", "index.html"} < names, names
    (HERE / "kept_by").mkdir()
    for name in names | {"kept.svg", "kept-runs.csv"}:
        write(f"kept_by/{name}", steps)
        write("kept_mine.json", json.dumps({**settings, "folder": "kept_by", "demonstrations": [name]}))
        bad("sweep", "kept_mine.json", "-o", "kept_by", says=[f"kept_by/{name}", "a file of demonstrations", "another name"])
        assert [entry.name for entry in (HERE / "kept_by").iterdir()] == [name]
        assert (HERE / "kept_by" / name).read_text(encoding="utf-8") == steps
        (HERE / "kept_by" / name).unlink()
    run("sweep", "kept/kept.sweep", "-o", "kept", "--brief")  # its own copy is no such file


def claim_what_is_there_twice_in_other_words_is_refused():
    refused("environments: 'bernoulli_bandit:arms=3' and 'bernoulli_bandit:arms=3.0' are the same",
            environments=["bernoulli_bandit:arms=3", "bernoulli_bandit:arms=3.0"])
    refused("experts: 'noisily_rational:beta=2' and 'noisily_rational:beta=2e0' are the same",
            experts=["noisily_rational:beta=2", "noisily_rational:beta=2e0"])
    refused("agents: 'experior_maxent:beta=10,lambda=1' and 'experior_maxent:lambda=1.0,beta=10' are the same",
            agents=["experior_maxent:beta=10,lambda=1", "experior_maxent:lambda=1.0,beta=10"])
    refused("agents: 'naive_ucb:rho=1' is listed twice", agents=[{"name": "naive_ucb", "rho": [1, 1.0]}])
    refused("environments[0]: bernoulli_bandit sets 'arms' twice", environments=["bernoulli_bandit:arms=3,arms=4"])
    refused("agents[0]: naive_ucb sets 'rho' twice", agents=[{"name": "naive_ucb:rho=1", "rho": 2}])
    sweep("alike.json", "alike", agents=["naive_ucb", "naive_ucb:rho=1", "naive_ucb:rho=2"], problems=1)


def claim_agents_that_cannot_act_in_an_environment_are_found_first():
    for rewards in ("gaussian", "poisson", "fractional"):
        for agent in ("naive_ts", "experior_maxent", "experior_param:family=gamma"):
            refused(f"'reward_bandit:rewards={rewards}': reward_bandit pays {rewards} rewards but agent",
                    environments=[f"reward_bandit:rewards={rewards}", f"reward_bandit:arms=7,rewards={rewards}"],
                    agents=["naive_ucb", agent])
    refused("the oracle needs an environment whose distribution over tasks is known", agents=["oracle_ts"],
            environments=["reward_bandit"])
    refused("the sampler 'conjugate' cannot draw from a posterior of the prior 'max_entropy'",
            agents=["experior_maxent:sampler=conjugate"])
    sweep("gaussian.json", "gaussian", environments=["reward_bandit:rewards=gaussian"], problems=1,
          agents=["naive_ts:rewards=gaussian", "naive_ucb", "experior_maxent:rewards=gaussian"])


def claim_what_is_too_large_is_refused_with_its_size():
    deep = {"environments": ["deep_sea:size=4"], "agents": ["behaviour_cloning"]}
    refused("14400000 units (settings x agents x seeds x problems) are more than 2000000", problems=600000)
    refused("12288000 units in the last round of the search (512000 problems for all agents, settings",
            search={"rounds": 10, "problems": 1000}, seeds=[1], demonstrations=[5], environments=["bernoulli_bandit"],
            agents=[{"name": "naive_ucb", "rho": list(range(24))}])
    refused("1200000000000 returns of episodes", **deep, tasks=100000, episodes=1000000)
    refused("307200000000 returns of episodes", **deep, search={"rounds": 10, "problems": 100}, tasks=500, episodes=3000)
    refused("200000000 returns of episodes (tasks x episodes) in one unit", **deep, tasks=1000, episodes=200000)
    refused("400000000 tasks (units x tasks) to report on", **deep, problems=100000, tasks=1000, episodes=1)
    refused("1000000000 demonstrations in 'deep_sea:size=4', each of up to 4 steps, are 4000000000 steps", **deep,
            demonstrations=[10**9])


def claim_a_folder_that_is_not_there_is_named():
    write("folder.csv", "0\n1\n2\n")
    refused('folder = "/nonexistent": No such file or directory', folder="/nonexistent",
            demonstrations=[str(HERE / "folder.csv"), "folder.csv"])
    refused('folder = "folder.csv": Not a directory', folder="folder.csv")
    refused('folder = 5: that is not the name of a directory', folder=5)
    (HERE / "shelf").mkdir()
    sweep("shelf.json", "shelved", folder="shelf", problems=1)
    (HERE / "shelf").rmdir()
    run("report", "shelved")  # no file is looked for there


def claim_a_mark_of_utf_8_at_the_start_of_the_file_is_passed_over():
    write("mark.json", "\ufeff" + json.dumps({**GOOD, "problems": 1e0}))
    run("sweep", "mark.json", "-o", "mark")
    assert values("mark")


def claim_every_combination_is_in_the_tidy_table():
    sweep("good.json", "good")
    rows = values("good")
    keys = {tuple(row[column] for column in ("environment", "expert", "demonstrations", "agent", "measure", "seed",
                                             "problem", "run")) for row in rows}
    assert len(keys) == len(rows) == 2 * 2 * 3 * 2 * 3 * 3  # settings, agents, seeds, problems, measures
    with contextlib.closing(sqlite3.connect(HERE / "good" / "grid-values.sqlite")) as database:
        stored = database.execute("SELECT environment, agent, measure, seed, problem, value FROM value").fetchall()
    assert [(e, a, m, str(s), str(p)) for e, a, m, s, p, _ in stored] == \
        [(row["environment"], row["agent"], row["measure"], row["seed"], row["problem"]) for row in rows]
    assert [value for *_, value in stored] == [float(row["value"]) for row in rows]


def claim_the_rows_are_means_of_the_values():
    rows = load(sweep("good.json", "good", "--json").stdout)["rows"]
    for row in rows:
        mine = [float(value["value"]) for value in values("good")
                if value["agent"] == row["agent"] and value["measure"] == row["measure"] and
                f"{value['environment']}, {value['expert']}, {value['demonstrations']}" == row["setting"]]
        assert len(mine) == row["problems"] == 6
        assert abs(sum(mine) / 6 - row["mean"]) < 1e-12


def claim_another_sweep_of_that_name_is_mentioned():
    """Two files without a name, or one that was changed; the same file again is neither."""
    first = sweep("changed.json", "changed")
    again = sweep("changed.json", "changed", "--fresh")
    from_copy = run("sweep", "changed/grid.sweep", "-o", "changed")
    assert "differs" not in first.stderr + again.stderr + from_copy.stderr
    said = sweep("changed.json", "changed", problems=2).stderr
    assert "differs from 'changed/grid.sweep' of an earlier run, whose report is replaced" in said, said


def claim_the_page_speaks_of_what_it_shows():
    """One seed and one task in the singular, and of the paper only if its numbers are there."""
    sweep("page.json", "page", seeds=[1], tasks=1, problems=1, agents=["naive_ts"])
    page = (HERE / "page" / "index.html").read_text(encoding="utf-8")
    assert "1 problem, 1 task from each, T = 30 episodes" in page and "Balazadeh" not in page
    sweep("page.json", "page")
    assert "3 problems for each of 2 seeds, 4 tasks from each" in (HERE / "page" / "index.html").read_text(encoding="utf-8")
    run("study", "figure3b", "--scale", "smoke", "-o", "page", "--brief")
    assert "beside the results of" in (HERE / "page" / "index.html").read_text(encoding="utf-8")
    bad("sweep", "page.json", "-o", "page", "--threads", "-1", says=["'-1' is not a whole number from 0 to 1024"])
    bad("compare", "page", says=["AFTER is missing: the directory to compare it with"])


def claim_a_unit_is_that_of_simulate():
    """Problem 0 of seed 1, against the same numbers by another way."""
    sweep("one.json", "one", environments=["bernoulli_bandit:arms=3"], demonstrations=[20], agents=["naive_ucb"],
          seeds=[1], problems=1)
    mine = {row["measure"]: float(row["value"]) for row in values("one")}
    other = load(run("simulate", "--arms", 3, "--agent", "naive_ucb", "--demonstrations", 20, "--problems", 1, "--tasks",
                     4, "--episodes", 30, "--json").stdout)
    assert abs(mine["final regret"] - other["regret"]) < 1e-12


def claim_demonstrations_of_a_file_are_used_and_lie_beside_the_sweep():
    (HERE / "deep").mkdir()
    write("deep/shown.csv", "".join(f"{action}\n" for action in [0] * 60 + [1] * 30 + [2] * 10))
    run("sweep", write("deep/file.json", json.dumps({**GOOD, "environments": ["bernoulli_bandit:arms=3"],
                                                     "demonstrations": ["shown.csv"], "agents": ["behaviour_cloning"]})),
        "-o", "shown")
    assert {row["demonstrations"] for row in values("shown")} == {"shown.csv"}
    before = values("shown")
    write("deep/shown.csv", "".join(f"{action}\n" for action in [0] * 10 + [1] * 30 + [2] * 60))
    run("sweep", "deep/file.json", "-o", "shown")
    assert values("shown") != before  # other content is another unit


DEEP = {"environments": ["deep_sea:size=4"], "agents": ["behaviour_cloning:act=greedy"], "seeds": [1], "problems": 2,
        "episodes": 20}


def claim_files_with_other_demonstrations_have_other_units():
    """Also HDF5 files, which begin with the same bytes and have a zero among the first."""
    if not (BUILD / "tests" / "write_minari").exists():
        return  # the library was built without HDF5
    for name, action in (("left.hdf5", 0), ("right.hdf5", 1)):
        subprocess.run([BUILD / "tests" / "write_minari", HERE / name, str(action)], check=True)
    sweep("left.json", "hdf5", demonstrations=["left.hdf5"], **DEEP)
    sweep("right.json", "hdf5", demonstrations=["right.hdf5"], **DEEP)
    sweep("right.json", "hdf5_right", demonstrations=["right.hdf5"], **DEEP)
    assert values("hdf5") == values("hdf5_right")
    (HERE / "dataset" / "data").mkdir(parents=True)
    shutil.copy(HERE / "left.hdf5", HERE / "dataset" / "data" / "main_data.hdf5")
    sweep("left.json", "hdf5_left", demonstrations=["dataset", "right.hdf5"], **DEEP)
    found = {row["demonstrations"]: set() for row in values("hdf5_left")}
    for row in values("hdf5_left"):
        found[row["demonstrations"]].add((row["measure"], row["value"]))
    assert found["dataset"] != found["right.hdf5"]


def claim_experts_of_demonstrations_that_are_all_from_files_are_one():
    """Their settings would be the same under several names."""
    write("taken.csv", "0\n1\n2\n")
    experts = ["optimal", "random_optimal"]
    refused("2 experts, but all demonstrations are from files", experts=experts, demonstrations=["taken.csv"])
    sweep("taken.json", "taken", experts=experts, demonstrations=["taken.csv", 5], problems=1)


def claim_demonstrations_that_can_be_read_only_once_are_refused():
    os.mkfifo(HERE / "pipe")
    for name, what in (("-", "standard input"), ("pipe", "a pipe or a device"), ("/dev/null", "a pipe or a device")):
        done = sweep("once.json", "once", code=2, demonstrations=[name])
        assert f"demonstrations[0]: '{name}' is {what}" in done.stderr and "write them to a file" in done.stderr, done.stderr
    assert not (HERE / "once").exists()


def claim_a_file_serves_environments_with_more_actions_in_any_order():
    write("five.csv", "".join(f"{action}\n" for action in [0, 1, 1, 2, 3, 4] * 5))
    small, large = "bernoulli_bandit:arms=5", "bernoulli_bandit:arms=8"
    agents = ["behaviour_cloning", "experior_maxent:beta=inf,lambda=0.1"]
    for environments in ([small], [large], [small, large], [large, small]):
        sweep("arms.json", f"arms{len(environments)}{environments[0][-1]}", environments=environments, agents=agents,
              demonstrations=["five.csv"])
    for row in values("arms15") + values("arms18"):
        assert row in values("arms25") and row in values("arms28"), row
    for environments in (["bernoulli_bandit:arms=4", large], [large, "bernoulli_bandit:arms=4"]):
        done = sweep("arms.json", "none", code=2, environments=environments, agents=agents, demonstrations=["five.csv"])
        assert "'five.csv' in 'bernoulli_bandit:arms=4': they have 5 actions, but the environment has 4: the numbers from 0 to 3" in done.stderr, done.stderr
        assert done.stderr.count("\n") == 2, done.stderr


def claim_demonstrations_that_an_environment_cannot_have_are_refused():
    header = "demonstration,step,state_position,action\n"
    write("long.csv", header + "".join(f"0,{t},{8 * t},0\n" for t in range(8)))
    write("far.csv", header + "0,0,0,1\n0,1,99,1\n")
    write("flat.csv", "0\n1\n")
    write("named.csv", "left\nright\n")
    write("steps.jsonl", '{"actions": [0, 1, 1]}\n')
    for name, sentence in (("long.csv", "one of them has 8 steps, but an episode of the environment has at most 4"),
                           ("far.csv", "state 0 of step 1 = 99; in deep_sea it is a whole number from 0 to 15"),
                           ("flat.csv", "their states have size 0, but those of the environment have size 1"),
                           ("named.csv", "their actions have names, such as 'left'")):
        done = sweep("shape.json", "shape", code=2, **DEEP, demonstrations=[name])
        assert f"demonstrations '{name}' in 'deep_sea:size=4': {sentence}" in done.stderr, done.stderr
    for odd in ("-1", "1.5", "0.0"):
        write("odd.csv", f"0\n1\n{odd}\n2\n")
        done = sweep("shape.json", "shape", code=2, demonstrations=["odd.csv"])
        assert f"their actions have names, such as '{odd}'" in done.stderr, done.stderr
    done = sweep("shape.json", "shape", code=2, demonstrations=["steps.jsonl"])
    assert "one of them has 3 steps, but an episode of the environment has at most 1" in done.stderr, done.stderr
    assert not (HERE / "shape").exists()
    write("again.csv", "0\n1\n")
    done = sweep("shape.json", "shape", code=2, demonstrations=["flat.csv", "again.csv"])
    assert "demonstrations[1]: 'again.csv' holds the same demonstrations as 'flat.csv'" in done.stderr, done.stderr


def claim_what_only_a_fit_shows_names_the_environment():
    """State 3 of step 0 is in a column to which no dive from the first leads."""
    write("nowhere.csv", "demonstration,step,state_position,action\n0,0,3,1\n0,1,3,0\n")
    shape = {**DEEP, "environments": ["deep_sea:size=6", "deep_sea:size=4"], "agents": ["posterior_sampling"]}
    said = sweep("nowhere.json", "nowhere", "--threads", "1", code=2, **shape, demonstrations=["nowhere.csv"]).stderr
    # Already a pilot run finds it, in one of the two environments.
    assert re.search(r"agent 'posterior_sampling' in 'deep_sea:size=[46]' on problem \d: no context of deep_sea explains", said), said


def claim_a_search_reports_on_problems_that_took_no_part():
    agents = ["naive_ts", "naive_ucb", "ucb_explore", "experior_param"]
    done = load(sweep("search.json", "search", "--json", agents=agents, search={"rounds": 2, "problems": 2}).stdout)
    rounds = [(of["round"], of["problems"]) for of in done["candidates"]]
    assert rounds == [(1, 2)] * 4 + [(2, 4)] * 2
    kept = {of["agent"] for of in done["candidates"] if of["round"] == 2 and of["kept"]}
    assert len(kept) == 1 and {row["agent"] for row in done["rows"]} == kept
    said = sweep("search.json", "search", agents=agents, search={"rounds": 2, "problems": 2}).stdout
    last = {of["agent"]: f"{of['round']} of 2 +{'reported' if of['kept'] else 'dropped'} +{of['rank']:.2f}" for of in done["candidates"]}
    for agent, line in last.items():  # the last round of each
        assert re.search(rf"^{agent} +{line}$", said, re.M), (agent, line, said)
    assert "by final regret" in (HERE / "search" / "index.html").read_text(encoding="utf-8")
    deep = {**DEEP, "demonstrations": [20], "agents": ["behaviour_cloning", "replay"], "tasks": 1}
    for measure, chosen in (("final regret", {}), ("mean return", {"measure": "mean return"})):
        sweep("search.json", "searched", **deep, search={"rounds": 1, "problems": 2, **chosen})
        assert f"by {measure}" in (HERE / "searched" / "index.html").read_text(encoding="utf-8")
    assert all(int(row["problem"]) < 1000000 for row in values("search"))
    with contextlib.closing(sqlite3.connect(HERE / "search" / "study.sqlite")) as database:
        numbers = [int(key.split("/")[1]) for key, in database.execute("SELECT key FROM unit")]
    selecting = {number for number in numbers if number >= 1000000}
    assert len(selecting) == 4 and set(numbers) - selecting == {0, 1, 2}


def claim_problems_that_select_and_problems_that_report_cannot_be_made_to_meet():
    """Not by many problems, not by seeds, not by a directory in which others have left units of the same problems."""
    agents = ["naive_ts", "naive_ucb", "ucb_explore", "experior_param"]
    search = {"rounds": 2, "problems": 2}
    for wrong in ({"problems": 1000001}, {"search": {"rounds": 40}}, {"search": {"problems": 10**9}}):
        done = sweep("many.json", "many", code=2, **wrong)
        assert "is not a whole number in" in done.stderr or "are more than" in done.stderr, (wrong, done.stderr)
    whole = sweep("plain.json", "shared", agents=agents, problems=3)  # first all agents on the problems of the report
    found = load(sweep("search.json", "shared", "--json", agents=agents, search=search).stdout)
    alone = load(sweep("search.json", "apart", "--json", agents=agents, search=search).stdout)
    assert whole.returncode == 0 and found["candidates"] == alone["candidates"] and found["rows"] == alone["rows"]
    assert found["units_done"] == found["units_total"] == alone["units_done"]


def claim_agents_of_equal_rank_stay_equal_and_the_earlier_is_kept():
    """Three settings, whose thirds do not add up to whole numbers; at this seed the third and the fourth agent are equal."""
    done = load(sweep("ties.json", "ties", "--json", environments=[f"bernoulli_bandit:arms={arms}" for arms in (2, 3, 4)],
                      demonstrations=[20], agents={"name": "naive_ucb", "rho": [0.1, 0.2, 0.4, 0.8, 1, 2, 4, 8]}, seeds=[4],
                      problems=1, tasks=2, search={"rounds": 1, "problems": 1, "keep": 0.25}).stdout)
    assert [of["rank"] for of in done["candidates"]] == [places / 6 for places in (9, 19, 18, 18, 28, 34, 44, 46)]
    assert [of["agent"] for of in done["candidates"] if of["kept"]] == ["naive_ucb:rho=0.1", "naive_ucb:rho=0.4"]


def claim_a_fit_without_a_solution_is_counted_and_does_not_end_the_sweep():
    sweep("hopeless.json", "hopeless", environments=["bernoulli_bandit:arms=8"], demonstrations=[500],
          agents=["naive_ts", "experior_maxent:beta=0.1"])
    failed = [row for row in values("hopeless") if row["agent"].startswith("experior") and
              row["measure"] == "share without a solution"]
    assert len(failed) == 6 and any(row["value"] == "1" for row in failed)
    assert "12 of 12 units finished" in run("report", "hopeless").stdout  # without a solution is finished too


def claim_ten_thousand_units_interrupted_ten_times_have_the_same_rows():
    count = 500 if INSTRUMENTED else 2500
    many = json.dumps({**GOOD, "environments": ["bernoulli_bandit:arms=2"], "demonstrations": [10, 20], "agents":
                       ["naive_ts", "naive_ucb"], "seeds": [1], "problems": count, "tasks": 2, "episodes": 200})
    write("many.json", many)
    run("sweep", "many.json", "-o", "whole", "--brief")
    assert len(values("whole")) == 4 * count * 3
    chance, stopped = random.Random(3), 0
    words = [TOOL, "sweep", "many.json", "-o", "pieces", "--brief", "--threads", "1"]
    while stopped < 10:
        process = subprocess.Popen(words, cwd=HERE, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        time.sleep(chance.uniform(0.05, 0.4))
        process.send_signal(chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        process.communicate()
        if process.returncode == 0:  # it was through before the signal: begin again
            run("sweep", "many.json", "-o", "pieces", "--brief", "--fresh")
        stopped += 1
    run("sweep", "many.json", "-o", "pieces", "--brief")
    assert (HERE / "pieces" / "grid-values.csv").read_bytes() == (HERE / "whole" / "grid-values.csv").read_bytes()


def claim_the_time_left_is_told_from_the_start():
    """A quick agent says nothing of a slow one, so a pilot run is made of each in each environment."""
    write("slow.json", json.dumps({**GOOD, "environments": ["frozen_lake", "deep_sea:size=6"], "demonstrations": 20, "seeds": 1,
                                   "agents": ["behaviour_cloning", "boot_dqn"], "problems": 2, "tasks": 2, "episodes": 60}))
    above, below = pty.openpty()
    words = [TOOL, "sweep", "slow.json", "-o", "slow", "--brief", "--threads", "1"]
    with subprocess.Popen(words, cwd=HERE, env=environment(), stdout=subprocess.DEVNULL, stderr=below) as process:
        os.close(below)
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(above, 4096):
                said += piece
    os.close(above)
    assert process.returncode == 0, said
    shown = [int(done) for done in re.findall(rb"(\d)/8, [^\r]* left", said)]
    assert shown and min(shown) == 0, said


def claim_the_example_runs():
    done = run("sweep", SOURCE / "examples" / "data" / "sweep.json", "-o", "example")
    assert "report: example/index.html" in done.stdout and "sweep-values.sqlite" in done.stdout


claim.run(sys.modules[__name__])
