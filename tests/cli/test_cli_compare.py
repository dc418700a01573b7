#!/usr/bin/env python3
"""experior compare and experior report on stores of every kind: unlike ones, unfinished, broken, of other programs."""

import contextlib
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, TOOL, bad, environment, load, run, write  # noqa: E402

GRID = {"name": "grid", "environments": ["bernoulli_bandit:arms=3"], "experts": ["optimal"], "demonstrations": [20],
        "agents": ["naive_ts", "naive_ucb"], "seeds": [1, 5], "problems": 3, "tasks": 4, "episodes": 30}


def sweep(directory, *words, code=0, **changes):
    return run("sweep", write("grid.json", json.dumps({**GRID, **changes})), "-o", directory, "--brief", *words, code=code)


def study(directory, name="figure3b", *words):
    return run("study", name, "--scale", "smoke", "-o", directory, "--brief", *words)


def change(directory, sql):
    with contextlib.closing(sqlite3.connect(HERE / directory / "study.sqlite")) as database, database:
        return database.executescript(sql)


def compared(before, after):
    return load(run("compare", before, after, "--json").stdout)


def claim_the_same_computation_twice_has_not_changed():
    sweep("one")
    sweep("two", "--threads", "1")
    done = run("compare", "one", "two")
    assert "0 of 2 rows changed; 12 units in both, 0 only before, 0 only after" in done.stdout, done.stdout
    rows = compared("one", "two")["rows"]
    assert len(rows) == 2 and all(row["identical"] == row["problems"] == 6 and row["low"] == row["high"] == 0 for row in rows)
    everything = run("compare", "one", "two", "--all").stdout
    assert "naive_ucb" in everything and "0 of 2 rows changed" in everything, everything


def claim_problems_of_a_search_are_not_mixed_with_those_of_the_report():
    agents = ["naive_ts", "naive_ucb", "oracle_ts", "experior_maxent"]
    sweep("searched", agents=agents, seeds=[1], search={"rounds": 2, "problems": 2, "keep": 0.5})
    rows = [row for row in compared("searched", "searched")["rows"] if row["measure"] == "final regret"]
    counts = {search: sorted(row["problems"] for row in rows if row["setting"].endswith(",search") == search) for search in (True, False)}
    assert counts == {True: [2, 2, 4, 4], False: [3]}, rows  # the winner alone is reported, on 3 problems of its own


def claim_damaged_units_are_left_out_and_it_is_said():
    sweep("intact")
    shutil.copytree(HERE / "intact", HERE / "scarred")
    change("scarred", "UPDATE unit SET numbers = zeroblob(length(numbers)) WHERE key IN (SELECT key FROM unit LIMIT 1)")
    done = run("compare", "intact", "scarred")
    count = int(re.search(r"(\d+) damaged units are left out", done.stderr)[1])
    found = compared("intact", "scarred")
    assert found["units_damaged"] == count > 0 and found["units_only_before"] == count, found


def claim_unlike_stores_have_nothing_in_common_and_it_is_said():
    sweep("mine")
    study("theirs")
    sweep("seeds", seeds=[2])
    sweep("longer", episodes=31)
    for other in ("theirs", "seeds", "longer"):
        done = run("compare", "mine", other, code=1)
        assert done.stderr.count("\n") == 1 and "have no unit in common" in done.stderr, done.stderr
        assert "0 of 0 rows changed; 0 units in both, 12 only before" in done.stdout, done.stdout
        assert load(run("compare", "mine", other, "--json", code=1).stdout)["rows"] == []


def claim_what_only_one_store_has_is_counted_and_the_rest_compared():
    sweep("all")
    sweep("fewer", agents=["naive_ts"], problems=2)
    found = compared("all", "fewer")
    assert (found["units_in_both"], found["units_only_before"], found["units_only_after"]) == (4, 8, 0)
    assert [row["agent"] for row in found["rows"]] == ["naive_ts"]
    sweep("single", agents=["naive_ts"], problems=1, seeds=[1])
    row, = compared("all", "single")["rows"]
    assert row["problems"] == 1 and row["low"] == row["high"] == row["difference"] == 0


def claim_what_is_no_store_is_refused_with_a_sentence():
    sweep("good")
    (HERE / "empty").mkdir(exist_ok=True)
    bad("compare", "good", "empty", says=["'empty' has no finished units"])
    bad("compare", "nowhere", "good", says=["'nowhere' has no finished units"])
    write("file", "text")
    bad("compare", "good", "file", says=["file"])
    (HERE / "other").mkdir(exist_ok=True)
    write("other/study.sqlite", "this is no database, but it is long enough to look like something" * 20)
    bad("compare", "good", "other", says=["other/study.sqlite", "is not a file of finished study units"])
    (HERE / "foreign").mkdir(exist_ok=True)
    change("foreign", "CREATE TABLE unit (key TEXT)")
    bad("compare", "foreign", "good", says=["is another program's database"])
    shutil.copytree(HERE / "good", HERE / "newer")
    change("newer", "PRAGMA user_version = 3")
    bad("compare", "good", "newer", says=["has format 3; this library reads format 2"])
    shutil.copytree(HERE / "good", HERE / "torn")
    change("torn", "UPDATE unit SET numbers = zeroblob(208)")
    bad("compare", "good", "torn", says=["'torn' has no finished units"])


def claim_units_of_any_version_are_compared_and_the_latest_counts():
    """A unit is sealed with its version, so one of another version is made by hand, with its seal."""
    sweep("now")
    shutil.copytree(HERE / "now", HERE / "then")

    def seal(seed, *texts, numbers):
        value = 0xcbf29ce484222325
        for byte in seed.to_bytes(8, "little") + b"".join(text.encode() + b"\0" for text in texts) + numbers:
            value = (value ^ byte) * 0x100000001b3 % 2**64
        return value.to_bytes(8, "little")
    with contextlib.closing(sqlite3.connect(HERE / "then" / "study.sqlite")) as database, database:
        rows = database.execute("SELECT key, seed, revision, version, numbers FROM unit").fetchall()
        for key, seed, revision, version, blob in rows:
            assert seal(seed, key, revision, version, numbers=blob[:-8]) == blob[-8:]
            for other, sign in (("0.10.0", b"\x00" * 8), ("0.9.9", b"\x01" * 8)):  # ten comes after nine
                numbers = sign + blob[8:-8]
                database.execute("INSERT INTO unit VALUES (?, ?, ?, ?, 0, ?)",
                                 (key, seed, revision, other, numbers + seal(seed, key, revision, other, numbers=numbers)))
    found = compared("now", "then")
    assert found["units_in_both"] == 12 and all(row["after"] == 0 for row in found["rows"]), found
    with open(HERE / "now" / "grid-values.csv", encoding="utf-8", newline="") as file:
        values = {agent: [] for agent in GRID["agents"]}
        for row in csv.DictReader(file):
            if row["measure"] == "final regret":
                values[row["agent"]].append(float(row["value"]))
    for row in found["rows"]:
        mine = values[row["agent"]]
        mean = sum(mine) / 6
        # Student's 97.5 % quantile with 5 degrees of freedom, from tables: 2.570582.
        margin = 2.570582 * (sum((value - mean) ** 2 for value in mine) / 5 / 6) ** 0.5
        assert abs(row["before"] - mean) < 1e-12 and abs(row["difference"] + mean) < 1e-12
        assert abs(row["high"] - row["difference"] - margin) < 1e-6 * margin, (row, margin)
        assert abs(row["difference"] - row["low"] - margin) < 1e-6 * margin


def claim_a_fit_that_lost_its_solution_is_a_change():
    hopeless = {"environments": ["bernoulli_bandit:arms=8"], "demonstrations": [500],
                "agents": ["naive_ts", "experior_maxent:beta=0.1"]}
    sweep("failing", **hopeless)
    rows = compared("failing", "failing")["rows"]
    failed = [row for row in rows if row["measure"] == "share without a solution"]
    assert [row["agent"] for row in failed] == ["experior_maxent:beta=0.1"] and failed[0]["before"] > 0
    assert failed[0]["difference"] == 0 and failed[0]["identical"] == failed[0]["problems"] == 6


def claim_a_store_can_be_compared_and_reported_on_while_it_is_written():
    sweep("whole", problems=400, tasks=8, episodes=200)
    words = [TOOL, "sweep", "grid.json", "-o", "running", "--brief", "--threads", "1"]
    process = subprocess.Popen(words, cwd=HERE, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        done = subprocess.run([TOOL, "compare", "whole", "running", "--json"], cwd=HERE, env=environment(), text=True,
                              capture_output=True, check=False)
        assert done.returncode in (0, 2), done.stderr  # 2: nothing is finished yet
        if done.returncode == 0:
            assert all(row["identical"] == row["problems"] for row in load(done.stdout)["rows"])
        else:
            assert "has no finished units" in done.stderr, done.stderr
    assert process.returncode == 0
    assert compared("whole", "running")["units_only_before"] == 0


def claim_a_report_of_a_study_says_what_is_finished_and_what_it_took():
    study("report")
    study("report", "table2")
    done = run("report", "report")
    assert "figure3b, smoke, seed 1:" in done.stdout and "table2, smoke, seed 1:" in done.stdout
    assert re.search(r"all finished units, each counted once: \d+ units, [\d.]+ s of processor time", done.stdout)
    found = load(run("report", "report", "--json").stdout)
    assert {each["study"] for each in found["studies"]} == {"figure3b", "table2"}
    with contextlib.closing(sqlite3.connect(HERE / "report" / "study.sqlite")) as database:
        assert found["work"]["units"] == database.execute("SELECT count(*) FROM unit").fetchone()[0]
    assert found["work"]["units"] == found["work_of_the_paper"]["units"]
    assert abs(found["work"]["seconds"] - found["work_of_the_paper"]["seconds"]) < 1e-9
    assert 0 < found["work"]["fit_seconds"] < found["work"]["seconds"]
    assert found["work"]["seconds"] <= sum(each["seconds"] for each in found["studies"]) * (1 + 1e-9)


def claim_reporting_on_a_sweep_changes_nothing():
    (HERE / "deep").mkdir(exist_ok=True)
    write("deep/shown.csv", "".join(f"{action}\n" for action in [0] * 60 + [1] * 30 + [2] * 10))
    run("sweep", write("deep/file.json", json.dumps({**GRID, "demonstrations": ["shown.csv", 10], "agents":
                                                     ["behaviour_cloning", "naive_ts"]})), "-o", "kept", "--brief")
    before = (HERE / "kept" / "grid-values.csv").read_bytes()
    done = run("report", "kept")
    assert "grid, sweep, 2 seeds: 24 of 24 units finished" in done.stdout, done.stdout
    assert (HERE / "kept" / "grid-values.csv").read_bytes() == before


def claim_an_unfinished_sweep_is_reported_as_far_as_it_is():
    sweep("part")
    total = 12
    change("part", "DELETE FROM unit WHERE key LIKE '%naive_ucb%'")
    shutil.rmtree(HERE / "bare", ignore_errors=True)
    (HERE / "bare").mkdir()
    for name in ("study.sqlite", "grid.sweep"):  # as an interruption leaves it: no report yet
        shutil.copy(HERE / "part" / name, HERE / "bare" / name)
    done = run("report", "bare")
    assert f"6 of {total} units finished" in done.stdout, done.stdout
    assert "naive_ts" in (HERE / "bare" / "grid.csv").read_text(encoding="utf-8")


def claim_aggregates_leave_out_groups_in_which_an_agent_lacks_runs():
    study("gaps", "figure4")
    whole = run("report", "gaps").stdout
    assert "(none with fewer than five problems)" in whole and "cannot be compared" not in whole, whole
    change("gaps", "DELETE FROM unit WHERE key LIKE 'deep_sea:size=6,goal=half/1/%explore%'")
    done = run("report", "gaps").stdout
    assert "46 of 48" not in done and "47 of 48" in done and "so their means cannot be compared" in done, done
    rows = load(run("report", "gaps", "--json").stdout)["studies"][0]["aggregates"]
    assert {(row["groups"], row["problems"], row["runs"]) for row in rows if row["agent"].startswith("ExPLORe")} == {(3, 2, 12)}
    assert {(row["groups"], row["problems"], row["runs"]) for row in rows if not row["agent"].startswith("ExPLORe")} == {(4, 2, 16)}
    assert all(row["improvement"][0] is not None for row in rows if row["agent"] != "Naive Boot-DQN")
    assert all(row["iqm"][1] is None for row in rows)


def claim_a_search_that_is_not_finished_is_named_and_the_rest_reported():
    study("both")
    sweep("both", agents=["naive_ts", "naive_ucb", "ucb_explore"], search={"rounds": 1, "problems": 2})
    change("both", "DELETE FROM unit WHERE key LIKE '%/1000001/%'")
    done = run("report", "both", code=2)
    assert "figure3b, smoke, seed 1:" in done.stdout
    assert "the search is not finished: 6 units of round 1 are missing" in done.stderr, done.stderr


def claim_what_cannot_be_reported_is_refused_with_a_sentence():
    (HERE / "nothing").mkdir(exist_ok=True)
    bad("report", "nothing", says=["'nothing' has no finished units"])
    bad("report", "nothing", "--json", says=["'nothing' has no finished units"])
    bad("report", "absent", says=["'absent'", "No such file or directory"])
    write("plain", "text")
    bad("report", "plain", says=["'plain'", "Not a directory"])
    (HERE / "broken").mkdir(exist_ok=True)
    write("broken/study.sqlite", "no database at all " * 100)
    bad("report", "broken", says=["broken/study.sqlite", "is not a file of finished study units"])
    sweep("mistaken")
    write("mistaken/grid.sweep", json.dumps({**GRID, "agents": ["nobody"]}))
    done = run("report", "mistaken", code=2)
    assert "there is no agent 'nobody'" in done.stderr or "'nobody'" in done.stderr, done.stderr


claim.run(sys.modules[__name__])
