#!/usr/bin/env python3
"""What do MPI and the store cost? Runs a study with two processes of one thread each, under mpirun, and with one process
of two threads, both in the same run: they take turns of a few seconds, and while one works all processes of the other
are stopped. A machine that gets slower or faster within minutes does so for both.

    overhead_mpi.py BUILD [--study NAME] [--scale WORD] [--turn SECONDS] [--control]

Prints for each the wall-clock seconds of its turns, its processor seconds (user + system, of all processes), and those
that were not spent inside units: planning, pilot runs, handing out, MPI, the store and the report. The rows must be the same.
Wall-clock needs an idle machine. With --control both have two threads, so that the ratio shows what the method itself
gets wrong.
"""

import argparse
import filecmp
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]
LOOK = 0.02  # seconds between two looks whether the one whose turn it is has ended


def family(root):
    """The process and all that it started, parents first."""
    children = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = pathlib.Path(entry.path, "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            except OSError:
                continue  # it has ended
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


class Run:
    """A program that can be stopped and continued with all its processes."""

    def __init__(self, name, words, directory):
        self.name, self.directory = name, directory
        self.log = open(directory.with_suffix(".log"), "w+", encoding="utf-8")
        self.wall = self.processor = 0.0
        self.ended = False
        begun = time.monotonic()
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=self.log, stdin=subprocess.DEVNULL)
        self.send(signal.SIGSTOP)
        self.wall += time.monotonic() - begun

    def send(self, what):
        for process in family(self.process.pid):
            try:
                os.kill(process, what)
            except ProcessLookupError:
                pass

    def turn(self, seconds):
        begun = time.monotonic()
        self.send(signal.SIGCONT)
        while not self.ended and time.monotonic() - begun < seconds:
            found, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if found != 0:
                self.ended = True
                self.processor = usage.ru_utime + usage.ru_stime
                self.process.returncode = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(LOOK)
        if not self.ended:
            self.send(signal.SIGSTOP)
        self.wall += time.monotonic() - begun
        if self.ended and self.process.returncode != 0:
            self.log.seek(0)
            sys.exit(f"overhead_mpi.py: {self.name} ended with {self.process.returncode}:\n{self.log.read()}")


def unit_seconds(tool, directory):
    told = subprocess.run([tool, "report", directory, "--json"], check=True, capture_output=True)
    return json.loads(told.stdout)["work"]["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--study", default="bandits")
    parser.add_argument("--scale", default="paper")
    parser.add_argument("--turn", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--control", action="store_true")
    given = parser.parse_args()
    tool = given.build.resolve() / "experior"
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)

        def start(label, launch, threads):
            return Run(label, [*launch, tool, "study", given.study, "--scale", given.scale, "-o", work / label, "--brief",
                               "--threads", str(threads)], work / label)

        runs = []
        try:
            runs.append(start("threads", [], 2))
            runs.append(start("again", [], 2) if given.control else start("processes", LAUNCH, 1))
            while not all(run.ended for run in runs):
                for run in runs:
                    if not run.ended:
                        run.turn(given.turn)
        finally:
            for run in runs:
                if not run.ended:
                    run.send(signal.SIGKILL)
                    run.process.wait()
        print("run,wall-clock seconds,processor seconds,of these outside of units")
        for run in runs:
            outside = run.processor - unit_seconds(tool, run.directory)
            print(f"{run.name},{run.wall:.2f},{run.processor:.2f},{outside:.2f}")
        print(f"ratio,{runs[1].wall / runs[0].wall:.4f},{runs[1].processor / runs[0].processor:.4f},")
        files = sorted(path.name for path in runs[0].directory.glob("*.csv"))
        same, differ, failed = filecmp.cmpfiles(runs[0].directory, runs[1].directory, files, shallow=False)
        if differ or failed or not same:
            sys.exit(f"overhead_mpi.py: other rows in {', '.join(differ + failed) or 'all files: there are none'}")


if __name__ == "__main__":
    main()
