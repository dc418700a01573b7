#!/usr/bin/env python3
"""How many hours does the whole paper take, told from a store in which some problems are finished?

    paper_hours.py DIR      after 'experior study paper --scale paper --problems N -o DIR'

Prints for each part its finished units and their seconds of processor time, then what all of its problems come to. Problems
that are not finished are taken to be like those that are: mean ± standard error of the prediction."""

import contextlib
import pathlib
import sqlite3
import statistics
import struct
import sys

SECONDS = 5  # place in an xp__unit_result, in doubles
PARTS = (("studies of bandits", "bernoulli_bandit", False, None), ("figure4", "deep_sea", False, 15),
         ("table3, the paper's settings", "frozen_lake", False, 15), ("table3, own set", "frozen_lake", True, 4))


def read(directory):
    """Seconds by (environment, own set, problem): one per unit."""
    found = {}
    path = pathlib.Path(directory, "study.sqlite").resolve()
    if not path.is_file():
        raise SystemExit(f"paper_hours.py: there is no {path}")
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as store:
        for key, blob in store.execute("SELECT key, numbers FROM unit"):
            environment, problem = key.split("/")[:2]
            place = environment.split(":")[0], "own_context" in key, int(problem)
            found.setdefault(place, []).append(struct.unpack_from("<d", blob, 8 * SECONDS)[0])
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = read(sys.argv[1])
    whole = error = 0.0
    for name, environment, own, wanted in PARTS:
        problems = {place[2]: times for place, times in found.items() if place[:2] == (environment, own)}
        if not problems:
            raise SystemExit(f"paper_hours.py: nothing of {name} is finished")
        most = max(map(len, problems.values()))
        sums = [sum(times) for times in problems.values() if wanted is None or len(times) == most]
        units, done = sum(map(len, problems.values())), sum(map(sum, problems.values()))
        total, off = done, 0.0
        if wanted is not None and len(sums) < wanted:
            missing = wanted - len(sums)
            total = wanted * statistics.mean(sums)
            spread = statistics.stdev(sums) if len(sums) > 1 else float("nan")
            off = spread * (missing + missing ** 2 / len(sums)) ** 0.5
        of = f"{len(sums)} of {wanted} problems" if wanted is not None else "all"
        print(f"{name}: {of}, {units} units, {done:.0f} s; whole: {total:.0f} ± {off:.0f} s")
        whole, error = whole + total, (error ** 2 + off ** 2) ** 0.5
    print(f"together: {whole / 3600:.2f} ± {error / 3600:.2f} core-hours")


if __name__ == "__main__":
    main()
