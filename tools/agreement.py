#!/usr/bin/env python3
"""Where do our results and the paper's agree? Verdicts on the cells of committed tables.

    agreement.py [DIR]      # table2.csv, figure4.csv and table3.csv of DIR (docs/results)

The same verdicts as the studies' own findings (src/paper/agreement.h). A cell is equivalent if the 90 % interval of the difference lies within
the margin (two one-sided tests at 5 %), different if it is not and the 95 % interval leaves 0 out, otherwise undecided. Margins: 2 of final
regret, a fifth of what Naive-TS loses against the oracle; 0.1 of a return in Deep Sea, a tenth of what the goal pays; 2 of a return in Frozen
Lake, what one step costs. Windows do not overlap, and runs that several cells share count once.

Then the runs that failed, as counts with exact 95 % intervals (Clopper and Pearson 1934), as if runs were independent: in Deep Sea those not
solved in the end, in Frozen Lake those that end more than 0.5 below the optimum.
"""

import csv
import math
import pathlib
import sys

WINDOWS = {f"return, episodes {window}" for window in ("1-200", "201-500", "501-1000", "1001-2000")}
STUDIES = (
    ("table2", 2, 0.05, {"final regret"}),
    ("figure4", 0.1, 0.00005, WINDOWS),
    ("table3", 2, 0.005, {"expected return, exact"}),
)


def verdict(row, margin, digit):
    away = abs(float(row["mean"]) - float(row["paper_mean"]))
    error = math.hypot(float(row["se"] or 0), float(row["paper_se"] or 0))
    if away + digit + 1.6448536269514722 * error <= margin:
        return "equivalent"
    return "different" if away - digit > 1.959963984540054 * error else "undecided"


def cells(path, measures):
    seen = set()
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            numbers = (row["agent"], row["spec"], row["measure"], row["mean"], row["paper_mean"])
            same_runs = row["agent"].startswith("Naive") and path.stem == "table3" and numbers in seen
            if row["measure"] in measures and row["paper_mean"] and not same_runs and row["agent"] != "Optimal":
                seen.add(numbers)
                yield row


def exact_interval(count, trials):
    """Bisection on the binomial distribution function."""

    def at_most(k, share):
        return sum(math.comb(trials, i) * share**i * (1 - share) ** (trials - i) for i in range(k + 1))

    def solve(holds):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    low = solve(lambda share: 1 - at_most(count - 1, share) < 0.025) if count > 0 else 0
    high = solve(lambda share: at_most(count, share) > 0.025) if count < trials else 1
    return low, high


def failures(directory):
    for study, measure in (("figure4", "share of runs solved in the end"), ("table3", "share of runs within 0.5 of the optimum")):
        found, seen = {}, set()
        with open(directory / f"{study}.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                cell = row["group"].split(", β")[0] if row["agent"].startswith("Naive") else row["group"]
                if row["measure"] == measure and (row["agent"], cell) not in seen:
                    seen.add((row["agent"], cell))
                    runs = int(row["priors"]) * int(row["runs"] or 1)
                    entry = found.setdefault(row["agent"], [0, 0, []])
                    failed = round((1 - float(row["mean"])) * runs)
                    entry[0] += failed
                    entry[1] += runs
                    if failed:
                        entry[2].append(f"{row['group']} {failed} of {runs}")
        print(f"{study}: failed runs")
        for agent, (count, runs, where) in found.items():
            low, high = exact_interval(count, runs)
            print(f"  {agent}: {count} of {runs} [{low:.3f}, {high:.3f}]{': ' if where else ''}{'; '.join(where)}")


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/results")
    for study, margin, digit, measures in STUDIES:
        found = {}
        for row in cells(directory / f"{study}.csv", measures):
            kinds = found.setdefault(row["agent"], {"equivalent": [], "different": [], "undecided": []})
            window = row["measure"].removeprefix("return, episodes ") if study == "figure4" else ""
            kinds[verdict(row, margin, digit)].append(row["group"] + (f" ({window})" if window else ""))
        print(f"{study}: equivalent within ±{margin} / different / undecided, of distinct cells")
        for agent, kinds in found.items():
            counts = [len(names) for names in kinds.values()]
            print(f"  {agent}: {counts[0]} / {counts[1]} / {counts[2]} of {sum(counts)}")
            for kind in ("different", "undecided"):
                if kinds[kind]:
                    print(f"      {kind}: {'; '.join(kinds[kind])}")
    failures(directory)


if __name__ == "__main__":
    main()
