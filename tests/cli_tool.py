"""The command line tool as tests run it: in a directory of their own, with what it must say."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time


SOURCE = pathlib.Path(os.environ.get("XP_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent))
BUILD = pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build"))
TOOL = str(BUILD / "experior")
INSTRUMENTED = os.environ.get("XP_INSTRUMENTED", "0") == "1"
PLACE = tempfile.TemporaryDirectory(prefix="experior-cli-")
HERE = pathlib.Path(PLACE.name)
SUBCOMMANDS = ["list", "demos", "fit", "decide", "observe", "inspect", "sensitivity", "simulate", "study", "sweep", "report", "compare",
               "calibrate",
               "bench", "serve", "token", "audit"]


def environment(**more):
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    return {**plain, **more}


def wait_until_it_listens(process, number):
    """Until the program has a handler of its own for a signal: one that comes before ends it without a word."""
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        if int(re.search(r"^SigCgt:\s*(\w+)", status, re.M).group(1), 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)


def run(*words, stdin=None, code=0, **more):
    """Runs the tool in the test's own directory; its exit status must be `code`."""
    done = subprocess.run([TOOL, *map(str, words)], input=stdin, capture_output=True, text=True, cwd=HERE,
                          env=environment(), timeout=1200, check=False, **more)
    # A coverage build complains of its own files where no file may grow.
    done.stderr = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("libgcov "))
    assert done.returncode == code, f"{words}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def bad(*words, says=(), stdin=None, **more):
    """Must be refused: status 2, one sentence on standard error that holds `says`, nothing on standard output."""
    done = run(*words, stdin=stdin, code=2, **more)
    assert done.stdout == "", done.stdout
    assert done.stderr.startswith("experior") and done.stderr.count("\n") == 1, done.stderr
    for part in says:
        assert part in done.stderr, f"{part!r} is not in {done.stderr!r}"
    return done.stderr


def write(name, text):
    (HERE / name).write_text(text, encoding="utf-8")
    return name


def fitted(name, actions, *options):
    """A prior fitted to a list of actions."""
    run("fit", write(name + ".txt", "".join(f"{action}\n" for action in actions)), "-o", name + ".json", *options)
    return name + ".json"


def load(text):
    """JSON as the standard has it: no NaN, no Infinity."""
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")
    return json.loads(text, parse_constant=refuse)
