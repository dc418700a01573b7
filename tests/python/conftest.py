"""What the tests of the package share: the source tree, the command line tool, small environments."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

SOURCE = pathlib.Path(os.environ.get("XP_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build"))
DATA = SOURCE / "examples" / "data"


def tool(*words):
    """The command line tool, which must succeed; its standard output."""
    done = subprocess.run([str(BUILD / "experior"), *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same_numbers(*words):
    """The C program beside these tests; the whole numbers that it prints."""
    done = subprocess.run([str(BUILD / "tests" / "same_numbers"), *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.fixture
def choices():
    return np.repeat(np.arange(4), [6, 30, 14, 2])


@pytest.fixture
def model(choices):
    import experior

    return experior.Model.fit(choices)
