#!/usr/bin/env python3
"""Prints table3.csv of a report as tables for docs/results: a row per agent, a column per setting.

    table3_rows.py DIR [--own]      --own: the settings "own set" instead of the paper's

Means over problems ± standard error, which is left out if it is less than 0.05; n, the number of problems, stands in the first cell. A setting that
an agent has not finished is left empty."""

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


def main():
    own = "--own" in sys.argv
    directory = [word for word in sys.argv[1:] if word != "--own"][0]
    with open(pathlib.Path(directory) / "table3.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["group"].endswith("own set") == own]
    for title, measure in MEASURES:
        for sight, name in (("pomdp", "hazard not seen"), ("mdp", "hazard seen")):
            found = {(row["agent"], row["group"]): row for row in rows if row["measure"] == measure and row["group"].startswith(sight)}
            groups = list(dict.fromkeys(group for _, group in found))
            problems = sorted({int(row["priors"]) for row in found.values()})
            n = f"{problems[0]} problems" if len(problems) == 1 else f"{problems[0]} to {problems[-1]} problems"
            print(f"\n{title}:\n\n| {name}, {n} | " + " | ".join(group.partition(", ")[2] for group in groups) + " |")
            print("|---" * (len(groups) + 1) + "|")
            for agent in dict.fromkeys(agent for agent, _ in found):
                print(f"| {agent} | " + " | ".join(cell(found.get((agent, group))) for group in groups) + " |")


if __name__ == "__main__":
    main()
