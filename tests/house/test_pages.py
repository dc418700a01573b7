"""What the pages show is what the program prints: every block of commands in them is run, page by page.

A block is indented by four spaces and begins with a line "$ command"; what follows, up to the next command or the end
of the block, is its output. A line "..." stands for any number of lines. The commands of a page run in one folder, in
their order, with the program on the path and the repository's build/ and examples/ beside them.

    test_pages.py --show PAGE      prints the page's commands with what the program prints now
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import claim

ROOT = pathlib.Path(os.environ["XP_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["XP_BINARY_DIR"])
PROGRESS = re.compile(r"[\w ]+: \d+ of \d+ done \(")  # said of what takes long, on a slow machine
PAGES = ("README.md", "docs/tutorial.md", "docs/inspect.md")


def transcript(text):
    """Yields (command, expected lines) for each command of a page."""
    command, expected, blank = None, [], 0
    for line in text.splitlines() + ["end"]:
        if line.strip() == "":
            blank += 1  # within the output, if more of it follows
            continue
        if command is not None and (line.startswith("    $ ") or not line.startswith("    ")):
            yield command, expected
            command = None
        if line.startswith("    $ "):
            command, expected = line[6:].partition("  #")[0], []
        elif line.startswith("    ") and command is not None:
            expected += [""] * blank + [line[4:]]
        blank = 0


def matches(expected, actual):
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + r"\n" for line in expected)
    return re.fullmatch(pattern, actual) is not None


def outputs(name):
    """Yields (command, expected lines, exit status, output) for each command of a page, run in order."""
    commands = transcript((ROOT / name).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for link, target in (("build", BUILD), ("examples", ROOT / "examples")):
            os.symlink(target, os.path.join(folder, link))
        environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        for command, expected in commands:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            lines = [line.rstrip() for line in done.stdout.splitlines() if not PROGRESS.match(line)]
            yield command, expected, done.returncode, "".join(f"{line}\n" for line in lines)


def run_page(name):
    count = 0
    for command, expected, code, actual in outputs(name):
        wanted = expected or (["..."] if code == 0 else [])
        assert matches(wanted, actual), f"{name}: $ {command}\n--- the page\n" + "\n".join(expected) + \
            f"\n--- the program (exit {code})\n{actual}"
        count += 1
    return count


def claim_the_pages_show_what_the_program_prints():
    for name in PAGES:
        count = run_page(name)
        print(f"{name}: {count} commands")
        assert count > 0, f"{name} shows no command"


def claim_a_page_that_shows_something_else_is_found():
    assert matches(["a", "...", "c"], "a\nb\nb\nc\n") and matches(["..."], "") and matches([], "")
    assert not matches(["a"], "b\n") and not matches(["a"], "a\nb\n") and not matches([], "a\n")


if len(sys.argv) == 3 and sys.argv[1] == "--show":
    for command, _, _, actual in outputs(sys.argv[2]):
        print(f"    $ {command}\n" + "".join(f"    {line}\n" for line in actual.splitlines()))
elif os.environ.get("XP_INSTRUMENTED") == "1":
    print("instrumented: pages show the release build, and other tests run the same commands; left out")
    print("0 passed, 0 failed")
else:
    claim.run(sys.modules[__name__])
