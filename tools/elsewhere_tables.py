#!/usr/bin/env python3
"""Prints what study elsewhere has shown, as tables for docs/results/elsewhere.md.

    experior study elsewhere --scale paper --runs -o DIR …
    elsewhere_tables.py DIR [HALF]                           HALF: reporting (default) or selection

Only problems that all agents of a task have finished count. The rival of a task is the strongest simple baseline in
episodes 1 to 50 of the selection half, fixed there. Intervals are Student's at 95 %, paired by problem."""

import csv
import functools
import math
import pathlib
import sys
from collections import defaultdict

from agreement import exact_interval

OURS = "ExPerior-MaxEnt"
ABLATION = OURS + ", prior alone"
RIVALS = {"features": "Behaviour cloning", "delivery": "ExPerior-Param"}
RIVAL = "Replay"
FIRST, LAST, TEN = "score, episodes 1 to 50", "score, last 50 episodes", "score, episodes 1 to 10"
MARGIN, SHARE = -0.05, 0.95


def read(directory, half):
    """scores[task][measure][agent][problem]."""
    scores = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    with open(pathlib.Path(directory) / "elsewhere-runs.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            task, _, rest = row["group"].partition(", ")
            if rest == half:
                scores[task][row["measure"]][row["agent"]][int(row["prior"])] = float(row["value"])
    for measures in scores.values():
        for agents in measures.values():
            shared = set.intersection(*(set(values) for values in agents.values()))
            for agent, values in agents.items():
                agents[agent] = [values[problem] for problem in sorted(shared)]
    return dict(sorted(scores.items()))


@functools.cache
def student(freedom, steps=4000):
    """The 97.5 % point of Student's distribution: where the density, integrated by Simpson's rule, reaches 0.475."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def area(end):
        step = end / steps
        at = [scale * (1 + (i * step) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        return step / 3 * (at[0] + at[-1] + 4 * sum(at[1::2]) + 2 * sum(at[2:-1:2]))

    low, high = 0.0, 64.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if area(middle) < 0.475 else (low, middle)
    return low


def mean(values):
    return sum(values) / len(values)


def interval(values):
    """Mean of the values and its 95 % interval."""
    n, centre = len(values), mean(values)
    error = math.sqrt(sum((x - centre) ** 2 for x in values) / (n - 1) / n)
    reach = student(n - 1) * error
    return centre, error, centre - reach, centre + reach


def difference(agents, one, other):
    return interval([x - y for x, y in zip(agents[one], agents[other])])


def number(x, sign=False):
    return f"{x:{'+' if sign else ''}.2f}".replace("-", "−")


def cells(agents):
    best = max(mean(values) for values in agents.values())
    for agent, values in agents.items():
        centre, error, _, _ = interval(values)
        text = f"{number(centre)} ± {error:.2f}"
        if agent != OURS:
            _, _, low, high = difference(agents, agent, OURS)
            text += " ▲" if low > 0 else " ▼" if high < 0 else ""
        yield f"**{text}**" if f"{centre:.2f}" == f"{best:.2f}" else text


def scores_table(scores, measure):
    agents = list(next(iter(scores.values()))[measure])
    print(f"\n### {measure.removeprefix('score, ').capitalize()}\n")
    print(f"| task (n) | {' | '.join(agents)} |\n|{'---|' * (len(agents) + 1)}")
    for task, measures in scores.items():
        print(f"| {task} ({len(measures[measure][OURS])}) | {' | '.join(cells(measures[measure]))} |")


def against(agents, other):
    centre, _, low, high = difference(agents, OURS, other)
    return f"{number(centre, True)} [{number(low)}, {number(high)}] ({other})", centre, low, high


def goals_table(scores):
    met = [0, 0, 0, 0]
    print("| task (n) | minus the rival that was fixed, episodes 1 to 50 | minus the best other agent here | "
          "last 50 | best other agent | goal in episodes 1 to 50 | in the end |\n|---|---|---|---|---|---|---|")
    for task, measures in scores.items():
        first, last = measures[FIRST], measures[LAST]
        rival = RIVALS.get(task, RIVAL)
        text, centre, low, high = against(first, rival)
        others = [agent for agent in first if agent not in (OURS, ABLATION)]
        best = max(others, key=lambda agent: mean(first[agent]))
        best_last = max(others, key=lambda agent: mean(last[agent]))
        end, top = mean(last[OURS]), mean(last[best_last])
        well, ends_well = centre >= MARGIN and high >= 0, end >= SHARE * min(1, top)
        for i, holds in enumerate((well, ends_well, low > 0, high < 0)):
            met[i] += holds
        print(f"| {task} ({len(first[OURS])}) | {text} | {'the same' if best == rival else against(first, best)[0]} | "
              f"{number(end)} | {number(top)} ({best_last}) | {'met' if well else 'missed'} | "
              f"{'met' if ends_well else 'missed'} |")
    print(f"\nOf {len(scores)} tasks: goal in episodes 1 to 50 met in {met[0]}, in the end in {met[1]}; ahead of the rival "
          f"in {met[2]}, behind in {met[3]}.")


def failures(scores):
    print("\nRuns below 0.5 in the last 50 episodes, with exact 95 % intervals of their share:")
    for agent in next(iter(scores.values()))[LAST]:
        values = [x for measures in scores.values() for x in measures[LAST][agent]]
        failed, n = sum(x < 0.5 for x in values), len(values)
        low, high = exact_interval(failed, n)
        by_task = ", ".join(f"{task} {count}" for task, measures in scores.items()
                            if (count := sum(x < 0.5 for x in measures[LAST][agent])) > 0)
        print(f"- {agent}: {failed} of {n} [{low:.2f}, {high:.2f}]" + (f" ({by_task})" if agent == OURS else ""))


def scales(directory, half, scores):
    """What multiplying all rewards changes for our agent."""
    other = {scale: read(directory, f"{half}, rewards × {scale}") for scale in ("0.01", "100")}
    if not any(other.values()):
        return
    print(f"\n### {OURS}, rewards multiplied minus not\n")
    print("| task | " + " | ".join(f"× {scale}, {what}" for scale in other for what in ("episodes 1 to 50", "last 50")) + " |")
    print("|---|---|---|---|---|")
    for task, measures in scores.items():
        columns = []
        for found in other.values():
            for measure in (FIRST, LAST):
                scaled = found.get(task, {}).get(measure, {}).get(OURS, [])
                if len(scaled) != len(measures[measure][OURS]) or len(scaled) < 2:
                    columns.append("")
                    continue
                centre, _, low, high = interval([x - y for x, y in zip(scaled, measures[measure][OURS])])
                text = f"{centre:+.3f} [{low:.3f}, {high:.3f}]".replace("-", "−")
                columns.append("0" if max(abs(low), abs(high)) < 0.0005 else text)
        print(f"| {task} | " + " | ".join(columns) + " |")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    half = sys.argv[2] if len(sys.argv) == 3 else "reporting"
    scores = read(sys.argv[1], half)
    if not scores:
        sys.exit(f"elsewhere_tables.py: {sys.argv[1]} has no runs of the {half} half")
    goals_table(scores)
    failures(scores)
    for measure in (FIRST, LAST, TEN):
        scores_table(scores, measure)
    scales(sys.argv[1], half, scores)


if __name__ == "__main__":
    main()
