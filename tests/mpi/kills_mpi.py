#!/usr/bin/env python3
"""Kills a process of a study of bandits, of figure4 or of a sweep at a random moment, and runs the command again.

    kills_mpi.py [TIMES] [SEED]     defaults: 100 times, seed 1

After the rerun, the rows must equal those of an undisturbed run. Prints one line per kill and, at the end, how many
kills hit a running process. The exit status is 1 if rows differ."""

import os
import random
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpi_tool  # noqa: E402
from cli_tool import HERE  # noqa: E402

SWEEP = """{"name": "killed", "environments": ["bernoulli_bandit:arms=4"], "experts": ["optimal"],
"demonstrations": [100], "agents": ["naive_ts", "naive_ucb", "experior_maxent"], "problems": 40, "tasks": 64,
"episodes": 1000}"""
JOBS = [("table2.csv", ["study", "table2", "--scale", "smoke"]),
        ("figure4.csv", ["study", "figure4", "--scale", "smoke"]),
        ("killed-values.csv", ["sweep", "killed.json"])]


def prepare():
    """Returns the rows of undisturbed runs and how long they take."""
    (HERE / "killed.json").write_text(SWEEP, encoding="utf-8")
    wanted = []
    for i, (rows, words) in enumerate(JOBS):
        began = time.monotonic()
        mpi_tool.run(2, *words, "-o", f"whole{i}", "--brief")
        wanted.append(((HERE / f"whole{i}" / rows).read_bytes(), time.monotonic() - began))
    return wanted


def wait(process):
    """Waits until mpirun ends; returns whether it ended by itself. OpenMPI 4.1 sometimes stays after all its processes have
    ended, if they were killed while MPI started (docs/cluster.md). Such an mpirun is ended after half a minute, with a
    message, and so is one whose processes do not end within a quarter of an hour."""
    idle, began = 0, time.monotonic()
    while process.poll() is None and idle < 30 and time.monotonic() - began < 900:
        time.sleep(0.05 if idle == 0 else 1)
        idle = idle + 1 if not mpi_tool.ranks(process) else 0
    stayed = process.poll() is None
    if stayed:
        print("mpirun stayed although all its processes had ended" if idle else "processes of mpirun did not end",
              flush=True)
    mpi_tool.end_group(process)
    process.communicate(timeout=600)
    return not stayed


def run_again(words, place):
    """The same command until it is through: once, unless mpirun stays."""
    for _ in range(5):
        process = mpi_tool.start(2, *words, "-o", place, "--brief")
        if wait(process):
            assert process.returncode == 0, f"the rerun of {words} ended with {process.returncode}"
            return
    raise AssertionError(f"five reruns of {words} did not end")


def kill_once(chance, which, seconds, number):
    """Kills one process at a random moment, runs again, and returns the rows, and whether it was still running."""
    rows, words = JOBS[which]
    place = f"kill{number}"
    process = mpi_tool.start(2 + number % 2, *words, "-o", place, "--brief")
    time.sleep(chance.uniform(0.0, seconds))
    alive = mpi_tool.ranks(process)
    if alive:
        try:
            os.kill(chance.choice(alive), signal.SIGKILL)
        except ProcessLookupError:
            alive = []
    wait(process)
    hit = bool(alive) and process.returncode != 0
    run_again(words, place)
    found = (HERE / place / rows).read_bytes()
    shutil.rmtree(HERE / place)
    return found, hit


def kill(times, seed, say=lambda text: print(text, flush=True)):
    """Returns how many kills hit, and how many times the rows differed."""
    chance = random.Random(seed)
    wanted = prepare()
    hits = wrong = 0
    for number in range(times):
        which = number % len(JOBS)
        found, hit = kill_once(chance, which, wanted[which][1], number)
        same = found == wanted[which][0]
        hits += hit
        wrong += not same
        say(f"{number + 1} of {times}: {JOBS[which][1][0]} {JOBS[which][1][1]}, {'killed' if hit else 'it had ended'}: "
            f"{'the same rows' if same else 'OTHER ROWS'}")
    return hits, wrong


if __name__ == "__main__":
    reason = mpi_tool.why_not()
    if reason is not None:
        sys.exit(f"kills_mpi.py: {reason}")
    TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    HITS, WRONG = kill(TIMES, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(f"{HITS} of {TIMES} kills hit a running process; rows differed {WRONG} times")
    sys.exit(1 if WRONG else 0)
