#!/usr/bin/env python3
"""Executes the notebooks of examples/ in place, or only checks them.

    run_notebooks.py [NOTEBOOK ...]           runs each from its own folder and writes what it printed into it
    run_notebooks.py --check [NOTEBOOK ...]   every notebook was run to its end, and its code passes mypy --strict

Running needs nbclient and ipykernel, checking mypy.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def code_cells(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def unfinished(path):
    """What is wrong with how a notebook was run, or None."""
    for number, cell in enumerate(code_cells(path), start=1):
        if cell["execution_count"] != number:
            return f"{path}: cell {number} was not run in order"
        if any(output["output_type"] == "error" for output in cell["outputs"]):
            return f"{path}: cell {number} failed"
    return None


def check(paths):
    wrong = [sentence for sentence in map(unfinished, paths) if sentence]
    with tempfile.TemporaryDirectory() as folder:
        scripts = []
        for path in paths:
            script = pathlib.Path(folder) / f"{path.stem}.py"
            text = "\n\n".join("".join(cell["source"]) for cell in code_cells(path))
            # A last line that is shown is an expression statement, which a script may hold as well.
            script.write_text(re.sub(r";$", "", text, flags=re.M) + "\n", encoding="utf-8")
            scripts.append(str(script))
        typed = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
                                "--disable-error-code=import-untyped", *scripts], cwd=ROOT, check=False)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong or typed.returncode else 0


def run(paths):
    import nbclient
    import nbformat

    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3",
                                resources={"metadata": {"path": str(path.parent)}}).execute()
        for cell in notebook.cells:
            cell.get("metadata", {}).pop("execution", None)
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, path)
    return 0


def main():
    words = sys.argv[1:]
    checking = "--check" in words
    paths = [pathlib.Path(word).resolve() for word in words if word != "--check"]
    paths = paths or sorted((ROOT / "examples").glob("*.ipynb"))
    return check(paths) if checking else run(paths)


if __name__ == "__main__":
    sys.exit(main())
