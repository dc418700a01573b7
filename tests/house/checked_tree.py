"""A checking script of tools/ on this tree, and on small trees made for it."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def check(script, root=ROOT):
    """Exit status and output of tools/<script> on a tree."""
    words = [sys.executable, "-B", ROOT / "tools" / script, root]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def check_files(script, files):
    """The same on a tree of these files, by name."""
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "src").mkdir()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check(script, root)
