"""Rooms stay small, and files are called what they say they are."""

import pathlib
import re
import sys

import claim

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_FILES = 25
# Included several times, with other definitions each time.
TEMPLATES = {"src/net/kernels/kernels_body.h", "src/net/kernels/kernels_lane.h", "src/net/kernels/kernels_rows.h"}
PREFIX = {"src": "XP", "cli": "CLI", "include/experior": "EXPERIOR", "tests": "XP_TESTS", "hdf5": "XP_HDF5"}


def sources(place, *endings):
    return [path for path in sorted((ROOT / place).rglob("*")) if path.suffix in endings]


def claim_no_folder_holds_more_than_25_files():
    for place in ["include", "src", "cli", "tests", "docs"]:
        for folder in [ROOT / place, *(path for path in (ROOT / place).rglob("*") if path.is_dir())]:
            files = [path for path in folder.iterdir() if path.is_file()]
            assert len(files) <= MOST_FILES, f"{folder.relative_to(ROOT)} holds {len(files)} files"


def claim_the_guard_of_a_header_is_its_path():
    for place, prefix in PREFIX.items():
        for path in sources(place, ".h"):
            if path.relative_to(ROOT).as_posix() in TEMPLATES:
                continue
            name = "_".join(path.relative_to(ROOT / place).with_suffix("").parts)
            guard = f"{prefix}_{name}_H".upper()
            assert f"#ifndef {guard}\n#define {guard}\n" in path.read_text(encoding="utf-8"), f"{path}: not {guard}"


def claim_a_source_begins_with_its_name():
    for place in ["include", "src", "cli"]:
        for path in sources(place, ".c", ".h"):
            assert re.match(rf"/\* {re.escape(path.name)}: \S", path.read_text(encoding="utf-8")), path


claim.run(sys.modules[__name__])
