#!/usr/bin/env python3
"""How long would a study take on many processes? A small simulation of the crew (src/run/crew/crew.c).

    simulate_cluster.py --store DIR [--store DIR]... [--only WORD] [--total ENVIRONMENT=SECONDS:UNITS:BYTES]...
                        [--leader MICROSECONDS] [--latency MICROSECONDS] [--pilot SECONDS]

Unit times (processor seconds) and message sizes are read from DIR/study.sqlite, of one store or of several together. The
studies need not be finished. A unit that is there more than once counts once.

--only      keeps only the units whose keys contain the word, such as t=1500
--total     scales the units of an environment to another scale: so many seconds altogether, so many units, and so many
            bytes per message. The unit times of DIR are repeated and scaled in proportion
--pilot     seconds before the first unit, if unit times are not known in advance: those of the longest pilot run

The rules are those of the crew and, for known unit times, of src/study/compute.c. Process 0 hands out units and computes
some itself. A process holds two units while there are more than two per process and they are short (0.25 s). The longest
units begin first. A unit of 2 to 16 tasks that takes more than half of each process's share of the work is divided into
its tasks, at the price of one fit per task. The leader serves one message at a time.

Not simulated: processors of different speeds, a full network, the file system of the store, failures.
"""

import argparse
import contextlib
import heapq
import pathlib
import re
import sqlite3
import struct
from typing import NamedTuple

SECONDS, FIT, HEAD = 5, 4, 25  # places in an xp__unit_result, and its length, in doubles
MOST_PARTS = 16  # src/study/compute.c: units of more tasks are short


class Unit(NamedTuple):
    seconds: float
    fit: float  # of these
    size: float  # bytes of its message
    tasks: int


def read_units(directories, only):
    """Returns the units of each environment."""
    found = {}
    for directory in directories:
        path = pathlib.Path(directory, "study.sqlite").resolve()
        if not path.is_file():
            raise SystemExit(f"simulate_cluster.py: there is no {path}")
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as store:
            for key, seed, blob in store.execute("SELECT key, seed, numbers FROM unit ORDER BY key, seed, version"):
                if only in key:
                    numbers = struct.unpack(f"<{HEAD}d", blob[:8 * HEAD])
                    tasks = int(re.search(r"[/,]tasks=(\d+)", key)[1])
                    found[key, seed] = Unit(numbers[SECONDS], numbers[FIT], len(blob) - 8 + 24, tasks)
    units = {}
    for (key, _), unit in sorted(found.items()):
        units.setdefault(key.split("/")[0].split(":")[0], []).append(unit)
    if not units:
        raise SystemExit("simulate_cluster.py: the stores have no such unit")
    return units


def stretch(units, total, count, size):
    """As many units as there are elsewhere, with the times of these in proportion."""
    many = [units[i % len(units)] for i in range(count)]
    factor = total / sum(unit.seconds for unit in many)
    return [Unit(unit.seconds * factor, unit.fit * factor, size, unit.tasks) for unit in many]


def divide(units, processes):
    """(seconds, bytes) of what is handed out: units that would bound the total in parts, each with a fit of its own."""
    share = sum(unit.seconds for unit in units) / processes
    parts = []
    for unit in sorted(units, reverse=True):
        if processes > 1 and unit.seconds > share / 2 and 1 < unit.tasks <= MOST_PARTS:
            part = unit.fit + (unit.seconds - unit.fit) / unit.tasks
            parts += [(part, unit.size / unit.tasks)] * unit.tasks
        else:
            parts.append((unit.seconds, unit.size))
    return parts


def simulate(units, processes, leader, latency, bandwidth=1e9):
    """Seconds until the last result is in. Events are the ends of units."""
    parts = divide(units, processes)
    waiting = iter(parts)
    left = len(parts)
    free = 0.0  # when the leader can serve the next message
    queues = [[] for _ in range(processes)]
    events, done = [], 0.0
    quick = [False] * processes

    def give(process, now):
        nonlocal left, free
        most = 2 if left > 2 * processes and quick[process] else 1
        while left and len(queues[process]) < most:
            part = next(waiting)
            left -= 1
            free = max(free, now) + leader
            queues[process].append((free + (latency if process else 0), part))

    def begin(process, now):
        arrived, (seconds, size) = queues[process][0]
        end = max(now, arrived) + seconds
        heapq.heappush(events, (end, process, size))

    for process in range(processes):
        give(process, 0.0)
        if queues[process]:
            begin(process, 0.0)
    while events:
        now, process, size = heapq.heappop(events)
        quick[process] = queues[process].pop(0)[1][0] < 0.25
        if queues[process]:
            begin(process, now)
        free = max(free, now + (latency + size / bandwidth if process else 0)) + leader
        done = max(done, free)
        before = len(queues[process])
        give(process, free)
        if before == 0 and queues[process]:
            begin(process, free)
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", action="append", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--total", action="append", default=[])
    parser.add_argument("--leader", type=float, default=100.0)
    parser.add_argument("--latency", type=float, default=1000.0)
    parser.add_argument("--pilot", type=float, default=0.0)
    options = parser.parse_args()
    units = read_units(options.store, options.only)
    for total in options.total:
        name, numbers = total.split("=")
        seconds, count, size = numbers.split(":")
        if name not in units:
            raise SystemExit(f"simulate_cluster.py: --total {name}: the stores have units of {', '.join(sorted(units))} only")
        units[name] = stretch(units[name], float(seconds), int(count), int(size))
    for name in sorted(units):
        times = sorted(unit.seconds for unit in units[name])
        print(f"{name}: {len(times)} units, {sum(times):.0f} s, median {times[len(times) // 2]:.3g} s, longest "
              f"{times[-1]:.3g} s")
    everything = [unit for name in sorted(units) for unit in units[name]]
    alone = options.pilot + sum(unit.seconds for unit in everything)
    print(f"together: {len(everything)} units, {alone:.0f} s; the longest unit is {100 * max(everything).seconds / alone:.3g} % "
          "of the total")
    print("processes,seconds,speed-up,efficiency")
    for power in range(11):
        processes = 2 ** power
        seconds = options.pilot + simulate(everything, processes, options.leader * 1e-6, options.latency * 1e-6)
        print(f"{processes},{seconds:.1f},{alone / seconds:.1f},{alone / seconds / processes:.3f}")


if __name__ == "__main__":
    main()
