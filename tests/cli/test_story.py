#!/usr/bin/env python3
"""The screen with which `make run` ends: short, and made from the files that the program wrote."""

import csv
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, SOURCE, TOOL, environment, load, run  # noqa: E402

DEMOS, HISTORY = SOURCE / "examples/data/treatments.csv", SOURCE / "examples/data/treatments_history.csv"


def story(study="table2", report="story"):
    return subprocess.run([SOURCE / "tools/story.sh", TOOL, DEMOS, HISTORY, "story-model.json", report, study],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=HERE, env=environment(), check=False)


def rows():
    with open(HERE / "story/table2.csv", encoding="utf-8", newline="") as file:
        return {row["agent"]: row for row in csv.DictReader(file) if row["group"] == "all"}


def claim_a_brief_study_says_only_where_its_report_is():
    told = run("study", "table2", "--scale", "smoke", "--brief", "-o", "story")
    assert told.stdout == "report: story/index.html\n" and "seconds per agent" not in told.stderr
    table = run("study", "table2", "--scale", "smoke", "-o", "story").stdout
    assert table.count("\n") > 90 and table.endswith(told.stdout)
    both = run("study", "table2", "--scale", "smoke", "--brief", "--json", "-o", "story").stdout
    assert load(both)["studies"][0]["rows"]


def claim_the_story_fits_one_screen_and_ends_with_the_report():
    done = story()
    assert done.returncode == 0 and done.stderr == "", done.stderr
    lines = done.stdout.splitlines()
    # Names of files are as long as the directory of this test.
    assert len(lines) <= 20 and max(len(line.replace(str(DEMOS), "")) for line in lines) <= 100, done.stdout
    assert lines[-1].endswith(" story/index.html")


def claim_the_storys_decisions_are_those_of_the_program():
    told = story().stdout
    first = load(run("decide", "story-model.json", "--json").stdout)
    later = load(run("decide", "story-model.json", "--history", str(HISTORY), "--json").stdout)
    with open(DEMOS, encoding="utf-8", newline="") as file:
        chosen = list(csv.DictReader(file))
    assert f"{sum(int(line['count']) for line in chosen)} choices" in told
    for i, line in enumerate(chosen):
        numbers = [line["count"], f"{first['probabilities'][i]:.4f}", f"{later['probabilities'][i]:.4f}"]
        assert re.search(r"^  " + re.escape(line["action"]) + "".join(rf" +{re.escape(n)}" for n in numbers) + "$", told,
                         re.MULTILINE), (line, numbers, told)


def claim_the_storys_regret_is_that_of_the_csv():
    told, row = story().stdout, rows()
    baselines = [each for each in row.values() if each["spec"].startswith(("naive_", "behaviour_cloning"))]
    simple = min(baselines, key=lambda each: float(each["mean"]))["agent"]
    assert f"{row['Oracle-TS']['priors']} simulated problems" in told
    for agent in ("Oracle-TS", "ExPerior-MaxEnt (β=∞)", simple):
        numbers = [float(row[agent][key] or "nan") for key in ("mean", "se", "difference", "difference_low", "difference_high")]
        wanted = r" +{:.1f} ± {:.1f} +".format(*numbers).replace(".", r"\.")
        if agent != "Oracle-TS":
            wanted += re.escape("{:+.1f} [{:+.1f}, {:+.1f}]".format(*numbers[2:]))
        assert re.search(r"^  " + re.escape(agent) + wanted, told, re.MULTILINE), (agent, wanted, told)


def claim_a_story_without_its_study_fails():
    assert story(report="nowhere").returncode != 0
    run("study", "figure3b", "--scale", "smoke", "--brief", "-o", "story")
    done = story(study="figure3b")
    assert done.returncode != 0 and "lacks the agents" in done.stderr, done


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
