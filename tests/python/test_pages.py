"""The Python code of the pages runs as it stands there."""

import os
import re

import pytest

from conftest import SOURCE

PAGES = ["README.md", "docs/python.md"]


def blocks():
    for page in PAGES:
        for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", (SOURCE / page).read_text(), re.S | re.M), 1):
            yield pytest.param(code, id=f"{page}-{number}")


@pytest.mark.parametrize("code", blocks())
def test_a_block_of_code_runs(code, tmp_path, monkeypatch, capsys):
    pytest.importorskip("gymnasium")
    if "examples/data" in code:
        os.symlink(SOURCE / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "page", "exec"), {"__name__": "page"})
