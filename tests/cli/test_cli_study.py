#!/usr/bin/env python3
"""Studies from the command line while they run, and what they tell besides their tables."""

import collections
import csv
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, TOOL, bad, environment, load, run, wait_until_it_listens  # noqa: E402

LINE = re.compile(r"^(\w+): (\d+) of (\d+) done \((\d+) %\) after \d+ (s|min)(, [\d.]+ (s|min|h) left)?$")


def start(*words, **more):
    return subprocess.Popen([TOOL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE,
                            env=environment(), **more)


def stop(process):
    """Asks it to stop; what it said on standard error."""
    wait_until_it_listens(process, signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=500)[1]


def wait_for(path):
    deadline = time.monotonic() + 500
    while not (HERE / path).exists() and time.monotonic() < deadline:
        time.sleep(0.02)


def claim_all_figures_and_tables_of_the_paper_are_one_command():
    done = run("study", "paper", "--scale", "smoke", "--problems", 1, "-o", "paper", "--brief")
    assert done.stdout == "report: paper/index.html\n", done.stdout
    assert sorted(path.stem for path in (HERE / "paper").glob("*.csv")) == [
        "figure2", "figure3a", "figure3b", "figure4", "table1", "table2", "table3"]


def claim_of_several_studies_those_that_have_begun_are_reported():
    def several(group, *words, code=0):
        return run("study", group, "--scale", "smoke", "-o", "several", *words, code=code)
    several("figure4", "--brief")
    for group in ("paper", "all"):
        done = several(group, "--so-far", "--brief")
        assert done.stdout == "report: several/index.html\n", done.stdout
        assert "experior study: figure2: there is nothing to report so far: none of " in done.stderr
        assert "figure4" not in done.stderr, done.stderr
    found = load(several("all", "--so-far", "--json").stdout)["studies"]
    assert [each["study"] for each in found] == ["figure4"]
    done = several("bandits", "--so-far", code=2)
    assert done.stdout == "" and done.stderr.count("there is nothing to report so far") == done.stderr.count("\n")
    done = several("paper", "--so-far", "--fresh", code=2)
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    (HERE / "several/figure4.json").unlink()
    done = several("paper", "--only", "deep_sea 0/ boot_dqn", "--brief")
    assert "table3: no unit of the study has all of" in done.stderr and (HERE / "several/figure4.json").exists()


def claim_words_that_no_unit_has_leave_nothing_behind():
    bad("study", "figure3b", "--scale", "smoke", "--only", "xyz", "-o", "unasked",
        says=["no unit of the study has all of 'xyz'"])
    assert not (HERE / "unasked").exists()


def claim_a_running_study_can_be_reported_so_far_and_refuses_a_second_writer():
    words = ["study", "table1", "--scale", "paper", "--threads", "2", "-o", "running"]
    process = start(*words)
    try:
        wait_for("running/study.sqlite")
        done = 0
        deadline = time.monotonic() + 500
        while done < 2 and time.monotonic() < deadline:  # the count grows as the study goes on
            part = subprocess.run([TOOL, *words, "--so-far"], capture_output=True, text=True, cwd=HERE,
                                  env=environment(), check=False)
            said = re.search(r"so far: (\d+) of \d+ units", part.stdout)
            assert said or "nothing to report so far" in part.stderr, (part.stdout, part.stderr)
            done = int(said.group(1)) if said else 0
        assert done >= 2 and process.poll() is None
        assert (HERE / "running/index.html").exists()
        bad(*words, says=["running/study.sqlite", "in use by another running study"])
        assert process.poll() is None
    finally:
        said = stop(process)
    assert process.returncode == 75 and "finished units are kept" in said, said
    assert not (HERE / "running/study.lock").exists()


def claim_a_long_run_without_a_terminal_says_now_and_then_how_far_it_is():
    running = [(name, start(*words)) for name, *words in (
        ("simulate", "simulate", "--tasks", "5000000", "--threads", "1"),
        ("table1", "study", "table1", "--scale", "paper", "--threads", "1", "-o", "long"))]
    for name, process in running:
        lines, limit = [], threading.Timer(500, process.kill)
        limit.start()
        for line in process.stderr:
            lines.append(line.rstrip("\n"))
            if LINE.match(lines[-1]):
                break
        limit.cancel()
        rest = stop(process)
        match = LINE.match(lines[-1]) if lines else None
        assert match, (lines, rest)
        forecasts = sum(" of work, " in line for line in lines + rest.split("\n"))
        assert forecasts <= (name == "table1"), (lines, rest)  # none if it takes longer than the first line
        label, done, total, percent = match.group(1), *map(int, match.groups()[1:4])
        assert label == name and 0 <= done < total and percent == round(100 * done / total), lines


def claim_a_short_run_says_nothing_of_how_far_it_is():
    assert "done (" not in run("simulate", "--tasks", "4", "--episodes", "10").stderr


def claim_seconds_per_agent_are_told_beside_the_results():
    first = run("study", "figure3b", "--scale", "smoke", "-o", "times")
    again = run("study", "figure3b", "--scale", "smoke", "-o", "times")
    assert "figure3b: seconds per agent, summed over its units\n" in first.stderr
    assert first.stderr == again.stderr and "seconds" not in first.stdout  # the store has them
    study = load(run("study", "figure3b", "--scale", "smoke", "-o", "times", "--json").stdout)["studies"][0]
    assert len(study["times"]) == 2
    for time_of in study["times"]:
        assert f"  {time_of['agent']}" in first.stderr
        assert 0 <= time_of["fit_seconds"] <= time_of["seconds"] and time_of["units"] > 0
    assert abs(sum(each["seconds"] for each in study["times"]) - study["seconds"]) < 1e-9


def claim_values_of_single_runs_are_written_on_request():
    words = ["study", "table3", "--scale", "smoke", "-o", "single", "--json"]
    run(*words)
    assert not (HERE / "single/table3-runs.csv").exists()
    rows = load(run(*words, "--runs").stdout)["studies"][0]["rows"]
    with open(HERE / "single/table3-runs.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["key", "agent", "group", "measure", "prior", "run", "value"]
    values = collections.defaultdict(list)
    for line in lines:
        values[line["agent"], line["group"], line["measure"]].append(float(line["value"]))
        assert line["key"].startswith("frozen_lake:") and f"/{line['prior']}/" in line["key"]
        assert line["run"] in ("1", "2")
    assert len(values) == len(rows)
    for row in rows:  # priors have equally many runs: the plain mean is the mean of their means
        own = values[row["agent"], row["group"], row["measure"]]
        assert len(own) == 2 * row["priors"] and abs(sum(own) / len(own) - row["mean"]) < 1e-9, row
    told = run("study", "figure3b", "--scale", "smoke", "-o", "single", "--runs").stdout
    assert told.endswith("runs: single/figure3b-runs.csv\nreport: single/index.html\n")


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
