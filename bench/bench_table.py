#!/usr/bin/env python3
"""What `experior fit` takes for a table of 10 million rows and five columns: the time from start to end, processor time
and the most memory, from a file, from gzip and with experts. Prints lines "measure,value,unit".

    bench_table.py [BUILD_DIRECTORY [ROWS]]"""

import gzip
import os
import pathlib
import random
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARMS = ["drug A", "drug B", "standard care", "placebo", '"drug C, half dose"', "wait", "x1", "x2", "x3", "x4"]


def write_table(path, rows):
    draw = random.Random(1)
    part = [f"{draw.choice(['old', 'young', 'middle'])},{draw.choice(ARMS)},{draw.random():.3f},dr {draw.randrange(200)}\n"
            for _ in range(100_000)]
    with open(path, "w", encoding="utf-8") as table:
        table.write("id,age,treatment,price,doctor\n")
        for start in range(0, rows, len(part)):
            table.writelines(f"{start + i},{row}" for i, row in enumerate(part[:rows - start]))


def measure(name, tool, *words):
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    begin = time.perf_counter()
    child = os.posix_spawn(tool, [tool, "fit", *words, "--action", "treatment"], {}, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"experior fit {' '.join(words)}: exit status {os.waitstatus_to_exitcode(status)}")
    print(f"{name},{time.perf_counter() - begin:.2f},s")
    print(f"{name}: processor,{used.ru_utime + used.ru_stime:.2f},s")
    print(f"{name}: memory,{used.ru_maxrss / 1024:.1f},MiB", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    tool = str((build / "experior").resolve())
    with tempfile.TemporaryDirectory() as place:
        table = os.path.join(place, "table.csv")
        write_table(table, rows)
        measure(f"fit {rows} rows", tool, table)
        measure(f"fit {rows} rows with experts", tool, table, "--expert", "doctor")
        with open(table, "rb") as plain, gzip.open(table + ".gz", "wb", compresslevel=1) as packed:
            while chunk := plain.read(1 << 20):
                packed.write(chunk)
        measure(f"fit {rows} rows of gzip", tool, table + ".gz")


if __name__ == "__main__":
    main()
