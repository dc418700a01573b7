#!/usr/bin/env python3
"""What `experior decide` costs a program that runs it for one decision: the time from the start of the process to its
end, beside that of /bin/true, in turn, so that a busy machine slows both. With --state it reads a file of kept decisions;
with --draw as well it also writes one and waits for the disk, whose speed that row shows: two calls of fsync in the folder
for temporary files. Prints lines "measure,value,unit".

    bench_startup.py [BUILD_DIRECTORY [PAIRS]]"""

import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def milliseconds(command):
    null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, flags, 0)
            for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY))]
    begin = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, {}, file_actions=null)
    status = os.waitpid(child, 0)[1]
    end = time.perf_counter_ns()
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return (end - begin) / 1e6


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    tool, data = str((build / "experior").resolve()), ROOT / "examples" / "data"
    with tempfile.TemporaryDirectory() as place:
        prior = os.path.join(place, "prior.json")
        milliseconds([tool, "fit", str(data / "treatments.csv"), "-o", prior])
        state = os.path.join(place, "kept.state")
        milliseconds([tool, "decide", prior, "--state", state, "--draw", "--count", "100", "--seed", "1"])
        commands = {"decide": [tool, "decide", prior, "--history", str(data / "treatments_history.csv")],
                    "decide --state": [tool, "decide", prior, "--state", state],
                    "decide --state --draw": [tool, "decide", prior, "--state", state, "--draw"],
                    "/bin/true": ["/bin/true"]}
        times = {name: [] for name in commands}
        for _ in range(pairs):
            for name, command in commands.items():
                times[name].append(milliseconds(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name} from start to end,{value:.2f},ms")
    for name in list(medians)[:-1]:
        print(f"{name} less /bin/true,{medians[name] - medians['/bin/true']:.2f},ms")


if __name__ == "__main__":
    main()
