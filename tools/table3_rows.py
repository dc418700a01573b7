#!/usr/bin/env python3
"""Prints table3.csv of reports as tables for docs/results: a row per agent, a column per setting.

    table3_rows.py DIR... [--own]      --own: the settings "own set" instead of the paper's

Means over problems ± standard error, which is left out if it is less than 0.05. An agent that has no rows in the first report is taken from the
next one, of fewer problems (study --problems N --so-far); its number of problems then stands behind its name. A setting that an agent has not
finished is left empty."""

import csv
import pathlib
import sys

MEASURES = (
    ("Exact expected return, each agent by its own mixture", "expected return, exact"),
    ("Exact expected return of the policy that returned the most, one rule for all", "expected return of the policy chosen by returns, exact"),
    ("Mean return while acting, last tenth of the run", "mean return as it acts, last tenth of the run"),
)


def number(text):
    return f"{float(text):.1f}".replace("-", "−")


def cell(row):
    if row is None:
        return ""
    error = float(row["se"] or 0)
    return number(row["mean"]) + (f" ± {error:.1f}" if error >= 0.05 else "")


def read(directories, own):
    """Rows by (measure, agent, setting), and the number of problems of each agent."""
    rows, problems = {}, {}
    for directory in directories:
        with open(pathlib.Path(directory) / "table3.csv", encoding="utf-8", newline="") as file:
            found = [row for row in csv.DictReader(file) if row["group"].endswith("own set") == own]
        known = set(problems)
        for row in found:
            if row["agent"] not in known:
                rows[row["measure"], row["agent"], row["group"]] = row
                problems[row["agent"]] = int(row["priors"])
    return rows, problems


def main():
    directories = [word for word in sys.argv[1:] if word != "--own"]
    if not directories:
        sys.exit(__doc__)
    rows, problems = read(directories, "--own" in sys.argv)
    most = max(problems.values())
    for title, measure in MEASURES:
        for sight, name in (("pomdp", "hazard not seen"), ("mdp", "hazard seen")):
            found = {key[1:]: row for key, row in rows.items() if key[0] == measure and key[2].startswith(sight)}
            groups = list(dict.fromkeys(group for _, group in found))
            print(f"\n{title}:\n\n| {name}, {most} problems | " + " | ".join(group.partition(", ")[2] for group in groups) + " |")
            print("|---" * (len(groups) + 1) + "|")
            for agent in dict.fromkeys(agent for agent, _ in found):
                fewer = f", {problems[agent]} problems" if problems[agent] < most else ""
                print(f"| {agent}{fewer} | " + " | ".join(cell(found.get((agent, group))) for group in groups) + " |")


if __name__ == "__main__":
    main()
