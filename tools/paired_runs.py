#!/usr/bin/env python3
"""In which runs of a study does one agent end higher than another, and by how much?

    paired_runs.py DIR STUDY AGENT OTHER [--measure MEASURE] [--without WORDS]

after 'experior study STUDY --runs -o DIR'. Reads DIR/STUDY-runs.csv. AGENT and OTHER are labels as in that file, MEASURE
is one of its measures (default: 'expected return, exact'); settings that contain WORDS are left out. Runs are paired by
setting, problem and task: both agents faced the same. Prints every pair that differs by more than 0.05, AGENT minus
OTHER."""

import argparse
import csv
import pathlib
import sys

LEAST = 0.05


def read(path, agents, measure, without):
    found = {}
    measures = set()
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["agent"] in agents and not (without and without in row["group"]):
                measures.add(row["measure"])
                if row["measure"] == measure:
                    found[row["agent"], row["group"], int(row["prior"]), int(row["run"] or 0)] = float(row["value"])
    for agent in agents:
        if not any(key[0] == agent for key in found):
            sys.exit(f"paired_runs.py: '{agent}' has no values of '{measure}' in {path}; measures there: "
                     f"{', '.join(sorted(measures)) or 'none of these agents'}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("directory", "study", "agent", "other"):
        parser.add_argument(name)
    parser.add_argument("--measure", default="expected return, exact")
    parser.add_argument("--without", metavar="WORDS")
    given = parser.parse_args()
    agent, other = given.agent, given.other
    path = pathlib.Path(given.directory, f"{given.study}-runs.csv")
    found = read(path, (agent, other), given.measure, given.without)
    pairs = [(key[1:], value - found[other, *key[1:]])
             for key, value in found.items() if key[0] == agent and (other, *key[1:]) in found]
    higher = sum(by > LEAST for _, by in pairs)
    lower = sum(by < -LEAST for _, by in pairs)
    print(f"{len(pairs)} runs paired: {higher} end higher, {lower} lower, {len(pairs) - higher - lower} at the same value")
    for (group, problem, run), by in sorted(pairs):
        if abs(by) > LEAST:
            print(f"- {group}, problem {problem}, run {run}:", f"{by:+.1f}".replace("-", "−"))


if __name__ == "__main__":
    main()
