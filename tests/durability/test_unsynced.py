#!/usr/bin/env python3
"""A loss of power at every moment that matters: after each call that opens, syncs, renames or closes a file, the process
is killed and what it had not synced is lost (unsynced.c). What was acknowledged is still there, nothing is there
twice, and every file loads. A build that does not sync fails that, as does a machine that does not sync one of file and
folder: the test can fail."""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import BUILD, HERE, SOURCE, TOOL, environment, load, run  # noqa: E402

AREA, SIDE = (HERE / name for name in ("area", "side"))
MODES = [{}, {"UNSYNCED_TORN": "1"}, {"UNSYNCED_RENAME": "late"}, {"UNSYNCED_RENAME": "late", "UNSYNCED_TORN": "1"}]
SIDE.mkdir()
run("fit", SOURCE / "examples/data/treatments.csv", "-o", "model.json")
run("decide", "model.json", "--state", "kept.state", "--draw", "--count", "4", "--seed", "7")
run("observe", "model.json", "--state", "kept.state", "--decision", "2", "--reward", "1")


def powerless(words, die_at, mode):
    """Runs a program that dies at a call and loses what it has not synced; its status and what it said."""
    sanitizer = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=HERE, timeout=120, check=False,
                          env=environment(LD_PRELOAD=str(BUILD / "tests" / "unsynced.so"), UNSYNCED_AREA=os.path.realpath(AREA),
                                          UNSYNCED_SIDE=str(SIDE), UNSYNCED_DIE_AT=str(die_at), ASAN_OPTIONS=sanitizer, **mode))
    assert done.returncode in (0, -9), f"{words}: {done.returncode}: {done.stderr}"
    return done.returncode, done.stdout


def state():
    """What the state file holds, None if there is none; an AssertionError if it does not load."""
    if not (AREA / "c.state").exists():
        return None
    told = load(run("observe", "model.json", "--state", AREA / "c.state", "--list", "--json").stdout)
    law = load(run("decide", "model.json", "--state", AREA / "c.state", "--json").stdout)["probabilities"]
    return told["observations"], told["next_decision_id"], [one["decision_id"] for one in told["pending_decisions"]], law


def prepare(kept):
    shutil.rmtree(AREA, ignore_errors=True)
    AREA.mkdir()
    if kept:
        shutil.copy(HERE / "kept.state", AREA / "c.state")


def crashes(words, kept, look, mode):
    """Kills the command at its first call, its second, ... until it gets through. Returns how often it was killed and
    every offence against: old or new, and new once it was acknowledged."""
    prepare(kept)
    before = look()
    done = subprocess.run([TOOL if word == "TOOL" else str(word) for word in words], capture_output=True, cwd=HERE, check=False)
    assert done.returncode == 0, done.stderr
    after, offences = look(), []
    assert after != before
    for die_at in range(1, 200):
        prepare(kept)
        status, said = powerless([os.environ.get("UNSYNCED_TOOL", TOOL) if word == "TOOL" else word for word in words],
                                 die_at, mode)
        try:
            found = look()
            if found not in (before, after):
                offences.append((die_at, "neither old nor new", found))
            elif said and found != after:
                offences.append((die_at, "acknowledged, then lost", found))
        except (AssertionError, ValueError) as error:
            offences.append((die_at, "does not load", str(error)[-200:]))
        for file in SIDE.iterdir():
            file.unlink()
        if status == 0:
            return die_at - 1, offences
    raise AssertionError("it does not end")


STATE = ["model.json", "--state", AREA / "c.state", "--json"]
COMMANDS = [(["TOOL", "decide", *STATE, "--draw", "--seed", "7"], False), (["TOOL", "decide", *STATE, "--draw"], True),
            (["TOOL", "observe", *STATE, "--decision", "1", "--reward", "0", "--decision", "3", "--reward", "1"], True),
            (["TOOL", "observe", *STATE, "--forget", "4"], True)]


def offences_of_state(modes=MODES, commands=COMMANDS, **more):
    points, offences = [], []
    for words, kept in commands:
        for mode in modes:
            count, found = crashes(words, kept, state, {**mode, **more})
            points.append(count)
            offences += found
    return points, offences


def claim_no_acknowledged_decision_or_reward_is_lost_at_any_moment():
    points, offences = offences_of_state()
    assert not offences, offences
    assert min(points) >= 10, points  # open, lock, open, lock, sync, close, rename, open, sync, close, close, end


def claim_a_build_that_does_not_sync_is_found_out():
    os.environ["UNSYNCED_TOOL"] = str(BUILD / "tests" / "experior_unsynced")
    try:
        for mode in MODES:
            _, offences = offences_of_state([mode], COMMANDS[2:3])
            assert offences, mode
    finally:
        del os.environ["UNSYNCED_TOOL"]


def claim_a_machine_that_syncs_only_files_or_only_folders_is_found_out():
    _, offences = offences_of_state(MODES[:1], COMMANDS[2:3], UNSYNCED_DEAF="file")
    assert any("load" in offence[1] for offence in offences), offences
    _, offences = offences_of_state(MODES[2:3], COMMANDS[2:3], UNSYNCED_DEAF="folder")
    assert any("lost" in offence[1] for offence in offences), offences


def old_or_new(name, words):
    """Crashes of a command that replaces a file: the look is the file's bytes."""
    offences = []

    def look():
        return (AREA / name).read_bytes() if (AREA / name).exists() else None
    for mode in MODES:
        offences += crashes(words, False, look, mode)[1]
    return offences


def claim_models_and_sessions_are_on_the_disk_when_their_commands_end():
    demos = SOURCE / "examples/data/treatments.csv"
    assert not old_or_new("m.json", ["TOOL", "fit", demos, "-o", AREA / "m.json"])
    assert not old_or_new("s.session", [BUILD / "tests/save_session", "model.json", AREA / "s.session", "3"])


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
