#!/usr/bin/env python3
"""The command line tool when things go wrong: bad input, full disks, readers who leave, interruption."""

import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, INSTRUMENTED, TOOL, bad, environment, fitted, load, run, wait_until_it_listens, write  # noqa: E402


# Bad input. Each is one sentence that names what is wrong; nothing is written.


def refused_fit(text, says, *options):
    write("bad.csv", text)
    write("kept.json", "what was here before")
    before = sorted(path.name for path in HERE.iterdir())
    bad("fit", "bad.csv", "-o", "kept.json", *options, says=["bad.csv", *says])
    bad("fit", "bad.csv", "-o", "new.json", *options)
    assert (HERE / "kept.json").read_text() == "what was here before"
    assert sorted(path.name for path in HERE.iterdir()) == before


def claim_bad_demonstrations_are_refused_by_file_line_and_value():
    refused_fit("", [])
    refused_fit("demonstration,step,action\n", [])
    refused_fit("demonstration,step,action\n0,0,1\n1,0\n", ["3"])
    refused_fit("demonstration,step,action\n0,0,1\n1,0,2,9\n", ["3"])
    refused_fit("demonstration,step,state0,action\n0,0,0.5,1\n1,0,nan,1\n", ["3", "nan"])
    refused_fit('{"action": 1}\n{"action": \n', ["2"])
    bad("fit", write("bad.h5", "0\n1\n"), "-o", "new.json", says=["bad.h5", "HDF5"])


def claim_arms_and_parameters_out_of_range_are_refused():
    write("one.txt", "0\n0\n0\n")
    bad("fit", "one.txt", "-o", "none.json")
    bad("fit", "one.txt", "-o", "none.json", "--arms", "1", says=["--arms = 1", "[2, 1024]"])
    write("two.txt", "0\n1\n")
    bad("fit", "two.txt", "-o", "none.json", "--beta", "-1", says=["beta", "-1", "[0, inf]"])
    bad("fit", "two.txt", "-o", "none.json", "--beta=nan", says=["beta", "nan"])
    bad("fit", "two.txt", "-o", "none.json", "--beta", "much", says=["beta", "much"])
    bad("fit", "two.txt", "-o", "none.json", "--method", "magic", says=["magic"])
    bad("fit", "missing.txt", "-o", "none.json", says=["missing.txt", "No such file"])
    bad("fit", ".", "-o", "none.json", says=["'.'"])
    assert not (HERE / "none.json").exists()


def claim_bad_histories_are_refused_by_file_line_and_value():
    prior = fitted("strict", ["up", "down", "up"])
    for text, says in (("action,reward\nup,1\nsideways,0\n", ["3", "sideways"]),
                       ("action,reward\nup,1\nup\n", ["3"]),
                       ("action,reward\nup,inf\n", ["2", "inf"]),
                       ("action,reward\nup,yes\n", ["2", "yes"]),
                       ("action,reward\nup,0.5\n", ["2", "0.5"]),
                       ("arm,reward\nup,1\n", ["column 'action' is missing"])):
        bad("decide", prior, "--history", write("h.csv", text), says=["h.csv", *says])
    bad("decide", prior, "--history", "missing.csv", says=["missing.csv"])
    numbered = fitted("numbered", [0, 1, 2])
    bad("decide", numbered, "--history", write("h.csv", "action,reward\n3,1\n"), says=["h.csv", "2", "3"])


def claim_damaged_priors_are_refused_at_every_length():
    prior = fitted("whole", [0, 1, 1, 2])
    text = (HERE / prior).read_text()
    for length in {0, 1, len(text) // 4, len(text) // 2, 3 * len(text) // 4, len(text.rstrip()) - 1}:
        write("cut.json", text[:length])
        bad("decide", "cut.json", says=["cut.json"])
        bad("inspect", "cut.json", says=["cut.json"])
    bad("decide", write("list.json", "[1, 2]"), says=["list.json"])
    bad("decide", "whole.txt", says=["whole.txt"])
    bad("decide", "missing.json", says=["missing.json"])


def claim_places_that_cannot_be_written_are_refused():
    prior = fitted("place", [0, 1])
    write("file", "in the way")
    for target in ("nowhere/out", "file/out", "."):
        bad("fit", "place.txt", "-o", target, says=[target])
        bad("demos", "--count", "5", "--arms", "2", "--format", "jsonl", "-o", target, says=[target])
    bad("study", "table2", "-o", "file", says=["file"])
    assert (HERE / "file").read_text() == "in the way"
    assert not (HERE / "nowhere").exists() and prior


def claim_a_full_disk_is_reported_and_leaves_nothing_behind():
    fitted("disk", [0, 1])
    for words in (["list"], ["list", "--json"], ["demos", "--count", "5"], ["demos", "--count", "100000"],
                  ["fit", "disk.txt"], ["decide", "disk.json"], ["manual"], ["--help"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=HERE,
                                  env=environment(), check=False)
        assert done.returncode == 2, words
        assert "standard output" in done.stderr and "No space left" in done.stderr, (words, done.stderr)
    bad("fit", "disk.txt", "-o", "/dev/full", says=["/dev/full", "No space left"])
    # A disk that fills while a file is written: no file may grow beyond 64 bytes.
    write("target.json", "as it was")
    before = sorted(path.name for path in HERE.iterdir())

    def fill():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    for words in (["fit", "disk.txt"], ["demos", "--count", "500"]):
        for target in ("target.json", "fresh.json"):
            done = subprocess.run([TOOL, *words, "-o", target], capture_output=True, text=True, cwd=HERE,
                                  env=environment(), preexec_fn=fill, check=False)
            assert done.returncode == 2 and target in done.stderr, done
    assert (HERE / "target.json").read_text() == "as it was"
    assert sorted(path.name for path in HERE.iterdir()) == before


# Terminals, pipes, signals.


def claim_a_reader_who_leaves_ends_the_program_quietly():
    for words in (["list", "--json"], ["demos", "--count", "200000"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([TOOL, *words], stdout=writer, stderr=subprocess.PIPE, cwd=HERE, env=environment(),
                              check=False)
        os.close(writer)
        assert done.returncode == 0 and done.stderr == b"", done


def on_a_terminal(*words, **variables):
    """What the tool prints when standard output and error are a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.chdir(HERE)
            os.execve(TOOL, [TOOL, *words], environment(TERM="xterm", **variables))
        finally:
            os._exit(127)
    text = b""
    while select.select([terminal], [], [], 500)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.waitpid(child, 0)
    os.close(terminal)
    return text


def claim_colours_are_for_terminals_and_can_be_refused():
    assert b"\033[1m" in on_a_terminal("list", "experts")
    assert b"\033" not in on_a_terminal("list", "experts", NO_COLOR="1")
    assert "\033" not in run("list", "experts").stdout


def claim_names_from_files_cannot_steer_the_terminal():
    write("evil.csv", "action,count\n\"\033[2Jx\",5\ny,3\n")
    fit = subprocess.run([TOOL, "fit", "evil.csv", "-o", "evil.json"], capture_output=True, text=True, cwd=HERE,
                         env=environment(), check=False)
    assert "\033" not in fit.stdout + fit.stderr
    if fit.returncode == 0:
        assert "\033" not in run("decide", "evil.json").stdout + run("inspect", "evil.json", "--tasks", "2").stdout
    assert "\033" not in bad("fit", "no\033[2Jfile")


def claim_an_interrupted_study_goes_on_and_ends_like_one_that_was_not():
    words = [TOOL, "study", "figure2", "--scale", "quick", "--threads", "1", "-o", "study"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE,
                               env=environment())
    wait_until_it_listens(process, signal.SIGINT)
    time.sleep(0.1)  # some units may finish, all cannot: they take seconds
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=500)
    assert process.returncode == 75, (process.returncode, out, err)
    assert out == "" and "finished units are kept" in err and "run the same command" in err, err
    assert not (HERE / "study/index.html").exists()
    if INSTRUMENTED:
        return  # the rest takes minutes there
    part = subprocess.run([*words, "--so-far"], capture_output=True, text=True, cwd=HERE, env=environment(), check=False)
    assert (part.returncode == 0 and "\nso far: " in part.stdout) or "nothing to report so far" in part.stderr
    done = run(*words[1:])
    assert "report: study/index.html" in done.stdout and "interrupted" not in done.stderr, done.stderr
    assert "<html" in (HERE / "study/index.html").read_text()
    whole = run("study", "figure2", "--threads", "1", "-o", "whole")
    assert whole.stdout.replace("whole/", "study/") == done.stdout
    assert (HERE / "whole/figure2.csv").read_bytes() == (HERE / "study/figure2.csv").read_bytes()
    rows = load(run("study", "figure2", "-o", "whole", "--json").stdout)["studies"][0]["rows"]
    assert len(rows) > 10 and all(row["mean"] is not None for row in rows)


def claim_an_interrupted_simulation_stops_with_a_sentence():
    process = subprocess.Popen([TOOL, "simulate", "--tasks", "1000000", "--threads", "1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=HERE, env=environment())
    wait_until_it_listens(process, signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=500)
    assert process.returncode == 1 and out == "" and "interrupted" in err, (process.returncode, out, err)


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
