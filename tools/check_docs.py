#!/usr/bin/env python3
"""Checks that what the documentation points to exists.

In every Markdown file of the tree: the target of a relative link, its heading if it names one, and each word in
backticks that is a path below one of the top folders (`src/net/net.c`) or the name of a C file (`net.c`).
Patterns (`src/env/<name>.c`, `tests/*.c`) are not looked up.

    check_docs.py [ROOT]      prints file:line of each offence; exit status 1 if there is one
"""

import pathlib
import re
import sys

FOLDERS = ("bench", "cli", "cmake", "data", "docs", "examples", "fuzz", "hdf5", "include", "python", "src", "tests", "tools")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:" + "|".join(FOLDERS) + r")/[\w./-]*)`")
C_FILE = re.compile(r"`([\w-]+\.[ch])`")


def prose(text):
    """Yields (line number, line) outside code blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def headings(path):
    """Anchors of a page, as GitHub makes them."""
    anchors = set()
    for _, line in prose(path.read_text(encoding="utf-8")):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower()
            anchors.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return anchors


def pages(root):
    for path in sorted(root.rglob("*.md")):
        top = path.relative_to(root).parts[0]
        if top in FOLDERS or path.parent == root:
            yield path


def offences(root):
    c_files = {path.name for folder in FOLDERS for path in (root / folder).rglob("*.[ch]")}
    for page in pages(root):
        for number, line in prose(page.read_text(encoding="utf-8")):
            place = f"{page.relative_to(root).as_posix()}:{number}"
            for link in LINK.findall(line):
                if "://" in link:
                    continue
                name, _, anchor = link.partition("#")
                target = page.parent / name if name else page
                if not target.exists():
                    yield f"{place}: link to {link}, which does not exist"
                elif anchor and anchor not in headings(target):
                    yield f"{place}: link to {link}, but the page has no such heading"
            for name in PATH.findall(line):
                if not (root / name).exists():
                    yield f"{place}: names {name}, which does not exist"
            for name in C_FILE.findall(line):
                if name not in c_files:
                    yield f"{place}: names {name}; no file is called that"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    found = list(offences(root))
    for offence in found:
        print(offence)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
