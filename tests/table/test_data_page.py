#!/usr/bin/env python3
"""docs/data.md: every command on the page is run on the files on the page, and prints what the page shows."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402

SOURCE = pathlib.Path(os.environ.get("XP_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build"))
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def examples(text):
    """Yields (command, lines shown) of a console block; "..." stands for the rest."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def expect(command, shown, output):
    lines = output.splitlines()
    whole = not shown or shown[-1] != "..."
    wanted = shown if whole else shown[:-1]
    assert lines[:len(wanted)] == wanted and (not whole or len(lines) == len(wanted)), f"{command}\n{output}"


def claim_every_command_on_the_page_prints_what_it_shows():
    page = (SOURCE / "docs" / "data.md").read_text(encoding="utf-8")
    outputs = {}
    with tempfile.TemporaryDirectory() as place:
        for kind, name, text in BLOCK.findall(page):
            if kind == "text":
                (pathlib.Path(place) / name).write_text(text, encoding="utf-8")
                continue
            for command, shown in examples(text):
                words = shlex.split(command)
                assert words[0] == "experior", command
                done = subprocess.run([str(BUILD / "experior"), *words[1:]], cwd=place, capture_output=True, text=True,
                                      timeout=300, check=False)
                outputs[command] = done.stdout
                expect(command, shown, done.stdout + done.stderr)
    assert len(outputs) >= 10
    assert outputs["experior decide model.json --history log.csv"] == \
        outputs["experior decide model.json --history tally.csv"]


def claim_options_on_the_page_are_those_of_fit():
    page = (SOURCE / "docs" / "data.md").read_text(encoding="utf-8")
    told = subprocess.run([str(BUILD / "experior"), "fit", "--help"], capture_output=True, text=True, check=True).stdout
    for option in set(re.findall(r"`(--[a-z-]+)", page)) - {"--history", "--json"}:
        assert option in told, option


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
