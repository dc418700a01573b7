#!/usr/bin/env python3
"""A table that is known, written in every way at random: delimiter, quotes, line ends, encoding, index, order and names of
columns, missing values, blank lines, comments, gzip. It is read right or refused; most are read.

    test_dialects.py [TABLES [SEED]]"""

import collections
import csv
import gzip
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import claim

SOURCE = pathlib.Path(os.environ.get("XP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
TOOL = str(pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build")) / "experior")
POOLS = [["left", "right", "up"], ["drug A", "drug B, twice", 'the "new" one'], ["café", "thé", "naïve"], ["A|x", "B;y", "C,z"],
         ["1", "2", "5"], ["007", "008", "012"], ["0", "1", "2"], ["yes", "no"], ["1.5", "2.5"], ["true", "false"],
         ["two\nlines", "one line"], ["左", "右"], ["10%", "20%", "50%"], ["none", "some"], ["-1", "0", "1"], ["=", "<", ">"]]
MISSING = ["", "NA", "NaN", "None", "null", "N/A"]
NOTES = ["fine", "a, b", "x;y", 'said "no"', "tab\there", "1,5", "", "two\nlines", "a|b", "ends in quote\"", "#", "é"]
NAMES = ["action", "Action", "treatment", "chosen drug", "größe", "x,y", "a;b"]


def make(draw):
    """The choices, the cells of the other columns, and what must be read."""
    pool = draw.choice(POOLS)
    rows = draw.randrange(8, 40)
    choices = [draw.choice(pool) for _ in range(rows)]
    for i in range(len(pool) * 2):  # every arm twice, so that labels recur
        choices[i % rows] = pool[i % len(pool)]
    missing = draw.choice(MISSING)
    gaps = draw.random() < 0.4
    cells = [missing if gaps and i > 6 and draw.random() < 0.2 else label for i, label in enumerate(choices)]
    counts = collections.Counter(label for label in cells if label != missing or not gaps)
    return cells, counts, rows - sum(counts.values())


def columns_of(draw, cells):
    name = draw.choice(NAMES)
    columns = [(name, cells)]
    if draw.random() < 0.7:
        columns.append(("note", [draw.choice(NOTES) for _ in cells]))
    if draw.random() < 0.5:
        columns.append(("price", [f"{draw.randrange(9)},{draw.randrange(10, 99)}" for _ in cells]))
    if draw.random() < 0.5:
        columns.append(("day", [f"2024-0{draw.randrange(1, 10)}-11" for _ in cells]))
    if draw.random() < 0.3:
        columns.append(("x", ["7" for _ in cells]))
    draw.shuffle(columns)
    index = draw.choice([None, "", "Unnamed: 0", "id"])
    if index is not None:
        columns.insert(0, (index, [str(i) for i in range(len(cells))]))
    return name, columns


def write(draw, columns):
    """The bytes of the table."""
    end = draw.choice(["\n", "\r\n", "\n", "\r"])
    out = io.StringIO(newline="")
    delimiter = draw.choice(",;\t|")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end,
                        quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    trailing = [""] if draw.random() < 0.15 else []
    writer.writerow([name for name, _ in columns] + trailing)
    for row in zip(*(cells for _, cells in columns)):
        writer.writerow(list(row) + trailing)
        if draw.random() < 0.02 and len(columns) > 1:
            out.write(end)
    text = out.getvalue()
    if draw.random() < 0.1:
        text = f"sep={delimiter}{end}" + text
    elif draw.random() < 0.1:
        text = f"# made by a program{end}" + text
    if draw.random() < 0.2:
        text = text.rstrip("\r\n")
    encoding = draw.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"])
    data = text.encode(encoding, "replace" if encoding == "latin-1" else "strict")
    return gzip.compress(data) if draw.random() < 0.2 else data, encoding


def number(name):
    """Whole numbers are one number however they are written."""
    return str(int(float(name))) if name.replace(".0", "").isdigit() and name[:1] != "0" else name


def attempt(seed, place):
    """'read' or 'refused'; anything else is an error."""
    draw = random.Random(seed)
    cells, counts, dropped = make(draw)
    name, columns = columns_of(draw, cells)
    data, encoding = write(draw, columns)
    path = pathlib.Path(place) / "table"
    path.write_bytes(data)
    done = subprocess.run([TOOL, "fit", str(path), "--action", name, "--json"], capture_output=True, text=True, check=False,
                          encoding="utf-8", errors="replace")
    if done.returncode != 0:
        sentence = done.stderr.split(": ", 2)[-1]
        assert done.returncode == 2 and len(sentence) > 20, f"table {seed}: {done.stderr}"
        return "refused"
    told = json.loads(done.stdout)
    got = {number(arm["name"]): arm["count"] for arm in told["arms"] if arm["count"]}
    assert encoding != "latin-1" or "?" not in str(counts), seed
    wanted = {number(label): count for label, count in counts.items()}
    assert got == wanted and told["dropped"] == dropped and told["rows"] == len(cells), \
        f"table {seed}: {got}, {told['dropped']} dropped of {told['rows']}, but {wanted}, {dropped} of {len(cells)}\n{data[:300]}"
    return "read"


def try_tables(tables, seed):
    with tempfile.TemporaryDirectory() as place:
        return collections.Counter(attempt(seed * 1_000_000 + i, place) for i in range(tables))


def claim_a_table_written_in_any_way_is_read_right_or_refused():
    seen = try_tables(200, 1)
    assert seen["read"] > 100, seen


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        print(dict(try_tables(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)))
    else:
        claim.run(sys.modules[__name__])
