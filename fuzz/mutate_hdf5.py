#!/usr/bin/env python3
"""Damaged HDF5 files are refused in one sentence: no crash of the program, no stray line, no hang.

    mutate_hdf5.py [--build DIR] [--count N] [--seed N]

Writes a small Minari dataset with DIR/tests/write_minari, damages copies of it (the same ones for the same seed) and
reads each with `experior fit`, which ends right after reading: the dataset has states, for which fit has no use. Fails
if the program is ended by a signal or not within a minute, or says anything but one sentence that names the file.
Files that do so are kept in DIR/mutated_hdf5."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SECONDS = 60  # the reader is stopped after 10 s of processor time
BLOCK = 8  # bytes of an address or a length


def damage(seed_file, index, seed):
    """Copy `index` of the seed file; copy 0 has eight bytes of ones at 120, on which HDF5 1.10.8 crashes."""
    data = bytearray(seed_file)
    if index == 0:
        data[120:120 + BLOCK] = b"\xff" * BLOCK
        return bytes(data)
    rng = random.Random(f"{seed}/{index}")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at:at + BLOCK] = rng.choice([b"\xff", b"\0", b"\x7f"]) * BLOCK
        elif kind == 3:
            data[at:at + BLOCK] = rng.randbytes(BLOCK)
        elif kind == 4:  # one place's bytes at another
            other, length = rng.randrange(len(data)), rng.randint(1, 64)
            data[at:at + length] = data[other:other + length]
        elif len(data) > 2 * BLOCK:  # cut short
            del data[max(at, BLOCK):]
    return bytes(data)


def judge(tool, path):
    """(what is wrong or None, how it ended)."""
    command = [tool, "fit", str(path), "-o", os.devnull, "--agent", "naive_ucb"]  # reads, then refuses
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s", "hung"
    said = done.stderr.decode(errors="replace")
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}", "crashed"
    sentence = re.fullmatch(rf"experior fit: {re.escape(str(path))}: ([ -~]+)\n", said)
    if done.returncode != 2 or done.stdout or not sentence:
        return f"status {done.returncode}, said {done.stdout!r} {said!r}", "strayed"
    if "ended by signal" in said or "took too much time" in said:
        return None, "refused, the reader was ended"
    return None, "read" if "acts in bandits only" in said else "refused"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "build")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tool, kept = str(given.build / "experior"), given.build / "mutated_hdf5"
    endings, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix="experior-hdf5-") as place:
        original = pathlib.Path(place) / "seed.hdf5"
        subprocess.run([given.build / "tests" / "write_minari", original], check=True)
        seed_file = original.read_bytes()
        if judge(tool, original) != (None, "read"):
            sys.exit(f"the undamaged file is not read: {judge(tool, original)}")

        def try_one(index):
            path = pathlib.Path(place) / f"{index}.hdf5"
            path.write_bytes(damage(seed_file, index, given.seed))
            found, ending = judge(tool, path)
            if found:
                kept.mkdir(exist_ok=True)
                (kept / path.name).write_bytes(path.read_bytes())
                print(f"{kept / path.name}: {found}", flush=True)
            path.unlink()
            return found, ending

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for found, ending in pool.map(try_one, range(given.count)):
                endings[ending] += 1
                wrong += found is not None
    print(f"{given.count} damaged files:", ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
