#!/usr/bin/env python3
"""experior fit and decide on tables as people have them: options, what is said, pipes, memory."""

import gzip
import os
import pty
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, INSTRUMENTED, TOOL, bad, environment, load, run, write  # noqa: E402

CLINIC = ("id;treatment;age;doctor;price\n"
          + "".join(f"{i};{'drug A' if i % 3 else 'drug B'};{'old' if i % 2 else 'young'};Dr {i % 5};{i},5\n"
                    for i in range(60)) + "60;None;old;Dr 1;0,5\n")


def told(*words, **more):
    return load(run("fit", *words, "--json", **more).stdout)


def arms(description):
    return {arm["name"]: arm["count"] for arm in description["arms"]}


def claim_what_was_understood_is_told_as_text_and_as_json():
    write("clinic.csv", CLINIC)
    text = run("fit", "clinic.csv", "--action", "treatment").stdout
    for part in ("61 rows, text, semicolon-separated, with a header", "treatment (action); ignored: id, age, doctor",
                 "1 row: no action in 1", "drug B: 20, drug A: 40"):
        assert part in text, (part, text)
    got = told("clinic.csv", "--action", "treatment")
    assert got["rows"] == 61 and got["dropped"] == 1 and got["delimiter"] == ";", got
    assert got["columns"] == ["id", "treatment", "age", "doctor", "price"] and got["used"] == {"action": "treatment"}
    assert arms(got) == {"drug A": 40, "drug B": 20} and got["dropped_because"] == {"no action": 1}


def claim_every_way_to_bring_a_table_gives_the_same_model():
    write("clinic.csv", CLINIC)
    run("fit", "clinic.csv", "--action", "treatment", "-o", "a.json")
    (HERE / "clinic.csv.gz").write_bytes(gzip.compress(CLINIC.encode()))
    run("fit", "clinic.csv.gz", "--action", "treatment", "-o", "b.json")
    run("fit", "-", "--action", "treatment", "-o", "c.json", stdin=CLINIC)
    write("tabs.csv", CLINIC.replace(";", "\t"))
    run("fit", "tabs.csv", "--action", "TREATMENT", "--delimiter", "tab", "-o", "d.json")
    (HERE / "wide.csv").write_bytes(CLINIC.replace("\n", "\r\n").encode("utf-16"))
    run("fit", "wide.csv", "--action", "treatment", "-o", "e.json")
    first = (HERE / "a.json").read_bytes()
    assert all((HERE / f"{name}.json").read_bytes() == first for name in "bcde")


def claim_options_say_what_a_column_is():
    write("clinic.csv", CLINIC)
    got = told("clinic.csv", "--action", "treatment", "--expert", "doctor")
    assert got["experts"]["count"] == 5 and got["effective_choices"] <= 60, got
    bad("fit", "clinic.csv", "--action", "treatment", "--weight", "price", says=["price = '0,5'", "decimal point"])
    write("counted.csv", "what,times,w\nA,3,1\nB,2,2\n")
    assert arms(told("counted.csv", "--action", "what", "--count", "times", "--weight", "none")) == {"A": 3, "B": 2}
    weighted = told("counted.csv", "--action", "what", "--count", "times", "--weight", "w")
    assert abs(weighted["effective_choices"] - 49 / 11) < 1e-12, weighted
    write("bare.csv", "1|A\n2|B\n3|A\n")
    assert arms(told("bare.csv", "--no-header", "--action", 2)) == {"A": 2, "B": 1}
    write("case.csv", "action\nA\na\nA\n")
    bad("fit", "case.csv", says=["'A' and 'a' differ only in case", "--exact"])
    assert arms(told("case.csv", "--exact")) == {"A": 2, "a": 1}
    bad("fit", "case.csv", "--delimiter", "??", says=["--delimiter = '??'", "one character"])


def claim_a_table_that_can_be_read_in_two_ways_is_refused_with_the_way_out():
    write("list.txt", "treatment\nA\nB\nA\n")
    bad("fit", "list.txt", says=["list.txt", "'treatment' may be the name of the column or an arm", "--no-header"])
    assert arms(told("list.txt", "--action", "treatment")) == {"A": 2, "B": 1}
    assert arms(told("list.txt", "--no-header")) == {"treatment": 1, "A": 2, "B": 1}
    write("ids.csv", "user,drug\nu1,A\nu2,B\nu3,A\n")
    bad("fit", "ids.csv", says=["--action", "'user', 'drug'"])
    bad("fit", "ids.csv", "--action", "user", says=["3 labels in 3 rows", "if they are ids"])
    (HERE / "book.xlsx").write_bytes(b"PK\x03\x04" + bytes(50))
    bad("fit", "book.xlsx", says=["book.xlsx", "Excel's .xlsx", "save the sheet as CSV"])


def claim_options_that_would_be_ignored_are_refused():
    walks = write("walks.csv", "demonstration,step,state,action\n0,0,1,1\n0,1,2,0\n1,0,1,1\n")
    bad("fit", walks, "--expert", "demonstration", says=["holds trajectories", "--action"])
    assert arms(told(walks, "--action", "action", "--count", "none")) == {"0": 1, "1": 2}
    bad("fit", write("zero.txt", "0\n1\n"), "--env", "bernoulli_bandit", "--exact", says=["do not go with --env"])


def claim_histories_are_tables_too():
    run("fit", write("choices.csv", "action\nA\nB\nA\n"), "-o", "m.json")
    rows = write("h.csv", "time;action;reward\n1;A;1\n2;B;0\n3;A;\n4;A;1\n")
    counted = write("c.csv", "action,trials,successes\nA,2,2\nB,1,0\n")
    first = load(run("decide", "m.json", "--history", rows, "--json").stdout)
    second = load(run("decide", "m.json", "--history", counted, "--json").stdout)
    assert first["probabilities"] == second["probabilities"], (first, second)
    bad("decide", "m.json", "--history", write("x.csv", "action,outcome\nA,1\n"), says=["'reward' is missing"])


def little_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 20, 8 << 20))


def claim_memory_does_not_grow_with_the_table():
    """A table of 18 MB is read with 8 MiB of memory."""
    part = "".join(f"{i},some words to fill it,arm {i % 10}\n" for i in range(1000))
    with open(HERE / "many.csv", "w", encoding="utf-8") as table:
        table.write("id,note,action\n")
        for _ in range(50 if INSTRUMENTED else 500):
            table.write(part)
    limit = {} if INSTRUMENTED else {"preexec_fn": little_memory}
    got = told("many.csv", **limit)
    assert got["rows"] == (50_000 if INSTRUMENTED else 500_000) and len(got["arms"]) == 10
    with gzip.open(HERE / "many.csv.gz", "wb", compresslevel=1) as packed:
        packed.write((HERE / "many.csv").read_bytes())
    assert told("many.csv.gz", "--expert", "note", **limit)["arms"] == got["arms"]


def claim_progress_is_shown_on_a_terminal_and_nowhere_else():
    """The source is a pipe that is fed in parts with pauses, so there is something to show however fast it is read."""
    above, below = pty.openpty()
    with subprocess.Popen([TOOL, "fit", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=below, cwd=HERE,
                          env=environment()) as program:
        os.close(below)
        program.stdin.write(b"id,action\n")
        for part in range(3):
            program.stdin.write(b"".join(b"%d,arm %d\n" % (i, i % 10) for i in range(100_000)))
            program.stdin.flush()
            if part < 2:
                time.sleep(0.3)
        program.stdin.close()
        shown = b""
        try:
            while part := os.read(above, 4096):
                shown += part
        except OSError:
            pass  # the other end is closed
        assert program.wait() == 0
    os.close(above)
    assert b"reading: " in shown and b"so far" in shown, shown
    assert run("fit", "-", stdin="action\nA\nB\nA\n").stderr == ""


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
