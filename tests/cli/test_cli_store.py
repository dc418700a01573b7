#!/usr/bin/env python3
"""Finished units of a study in bad company: moved rows, an earlier format, full disks, a directory that is taken away,
files that a killed program left."""

import contextlib
import fcntl
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, TOOL, bad, environment, run  # noqa: E402

QUICK = ["study", "figure3b", "--scale", "smoke", "-o"]


def change(directory, sql):
    with contextlib.closing(sqlite3.connect(HERE / directory / "study.sqlite")) as database, database:
        return database.executescript(sql)


def claim_a_unit_that_was_filed_under_another_seed_is_not_taken_for_it():
    run(*QUICK, "seed")
    change("seed", "UPDATE unit SET seed = 2")
    done = run(*QUICK, "seed", "--seed", "2")
    assert "8 units are damaged and are computed again" in done.stderr, done.stderr
    assert done.stdout.replace("seed/", "fresh/") == run(*QUICK, "fresh", "--seed", "2").stdout


def claim_units_of_another_version_are_computed_again_and_it_is_said():
    first = run(*QUICK, "version")
    change("version", "UPDATE unit SET version = '0.0.9'")
    again = run(*QUICK, "version")
    assert again.stdout == first.stdout
    assert "finished units are of another version or revision and are computed again" in again.stderr, again.stderr
    assert "computed again" not in run(*QUICK, "version").stderr


def claim_a_store_of_the_first_format_is_refused_with_the_way_out():
    (HERE / "old").mkdir()
    change("old", "PRAGMA application_id = 1481659220; PRAGMA user_version = 1; CREATE TABLE unit (version TEXT NOT NULL,"
                  " seed INTEGER NOT NULL, key TEXT NOT NULL, regret REAL, numbers BLOB NOT NULL,"
                  " PRIMARY KEY (version, seed, key)) WITHOUT ROWID")
    bad(*QUICK, "old", says=["old/study.sqlite", "is of an earlier version", "move it away"])
    bad(*QUICK, "old", "--so-far", says=["is of an earlier version"])


def claim_a_directory_named_like_a_uri_is_a_path():
    for name in ("file:x", "file:y?mode=memory", ":memory:"):
        run(*QUICK, name)
        assert (HERE / name / "study.sqlite").is_file(), name
        assert "report: " in run(*QUICK, name, "--so-far").stdout
    assert not (HERE / "x").exists()


def small_files(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


@contextlib.contextmanager
def small_disk(size):
    """A disk of so many bytes, or None where none can be mounted."""
    place = HERE / f"disk{size}"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    mounted = shutil.which("mount") and subprocess.run(words, capture_output=True, check=False).returncode == 0
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)


def claim_a_full_disk_is_called_so():
    # No file may grow beyond so many bytes: first the store fails, then the report.
    for size, file in ((8192, "full/study.sqlite"), (16384, "full/figure3b.json")):
        shutil.rmtree(HERE / "full", ignore_errors=True)
        said = bad(*QUICK, "full", says=[file], preexec_fn=small_files(size))
        assert "no space left" in said if "sqlite" in file else "File too large" in said, said
    assert "report: " in run(*QUICK, "full").stdout  # room was made
    for size in (4096, 12288, 32768):
        with small_disk(size) as place:
            if place is None:
                print("  a small disk cannot be mounted here: only files of limited size are checked")
                return
            said = bad(*QUICK, place / "full", says=[str(place)])
            assert "no space left" in said.lower(), said


def claim_a_directory_that_is_removed_under_a_running_study_is_an_error():
    for action in (lambda: shutil.rmtree(HERE / "gone"), lambda: (HERE / "gone").rename(HERE / "away")):
        process = subprocess.Popen([TOOL, "study", "table1", "--scale", "paper", "-o", "gone"], cwd=HERE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        store = HERE / "gone/study.sqlite"
        while process.poll() is None and not (store.exists() and store.stat().st_size > 0):
            time.sleep(0.02)
        time.sleep(1)  # it is open by now; the study takes minutes
        action()
        (HERE / "gone").mkdir()  # another may have taken its place: that one is not written to
        try:
            out, err = process.communicate(timeout=500)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert process.returncode == 2 and out == "" and "gone/study.sqlite" in err, (process.returncode, out, err)
        assert "was removed or replaced while the study ran" in err, err
        assert not any((HERE / "gone").iterdir())
        (HERE / "gone").rmdir()


def claim_files_that_a_killed_writer_left_are_removed_and_others_are_not():
    place = HERE / "left"
    place.mkdir()
    stale = ["figure3b.json.experior-12-0.tmp", "index.html.experior-99999-7.tmp"]
    others = ["figure3b.json.tmp", "notes.12-0.tmp", ".experior-1-0.tmp", "x.experior-1-.tmp", "x.experior-1-2.tmp.txt"]
    for name in [*stale, *others, "busy.experior-1-0.tmp"]:
        (place / name).write_text("half")
    (place / "folder.experior-1-0.tmp").mkdir()
    os.mkfifo(place / "pipe.experior-1-0.tmp")
    with open(place / "busy.experior-1-0.tmp", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as a writer does that is not through
        run(*QUICK, "left")
    left = {path.name for path in place.iterdir()}
    assert not left & set(stale), left
    assert left >= {*others, "busy.experior-1-0.tmp", "folder.experior-1-0.tmp", "pipe.experior-1-0.tmp"}, left
    run(*QUICK, "left")
    assert not (place / "busy.experior-1-0.tmp").exists()


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
