"""Studies of the catalogue, and simulations in any setting."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from experior import _core
from experior._core import InputError
from experior._support import Doubles, Progress, count_of, from_bytes, progress_bar, seed_of
from experior.families import Family
from experior.model import Model

_KINDS = {
    "environments": 0, "experts": 1, "priors": 2, "states_priors": 3, "samplers": 4, "agents": 5, "studies": 6,
    "rewards": 7,
}


def catalogue(kind: str) -> list[dict[str, Any]]:
    """What the library offers by name: "agents", "environments", "experts", "studies", …, with parameters."""
    if kind not in _KINDS:
        raise InputError(f"{kind!r} is none of {', '.join(_KINDS)}")
    return _core.catalogue(_KINDS[kind])


def _html_table(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, float):
            return "" if np.isnan(value) else f"{value:.4g}"
        return html.escape(str(value))

    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(row[column])}</td>" for column in columns) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


class Series:
    """A curve or scatter of a study, beside the paper's."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.agent: str = given["agent"]
        self.panel: str = given["panel"]
        self.x_label: str = given["x_label"]
        self.y_label: str = given["y_label"]
        self.scatter: bool = given["scatter"]
        self.x, self.y, self.se = (from_bytes(given[name]) for name in ("x", "y", "se"))
        self.paper_x, self.paper_y, self.paper_se = (from_bytes(given[f"paper_{name}"]) for name in ("x", "y", "se"))

    def __repr__(self) -> str:
        return f"<Series: {self.agent}, {self.panel}, {len(self.x)} points>"


class StudyResult:
    """What a study found: `rows` beside the paper's numbers, `series` for plots, notes and findings in words."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.study: str = given["study"]
        self.title: str = given["title"]
        self.scale: str = given["scale"]
        self.reference: str | None = given["reference"]
        self.seed: int = given["seed"]
        self.rows: list[dict[str, Any]] = given["rows"]
        self.series = [Series(one) for one in given["series"]]
        self.notes: list[str] = given["notes"]
        self.findings: list[str] = given["findings"]
        self.values: list[dict[str, Any]] = given["values"]
        """The value of every single run, with ``runs=True``."""
        self.text: str = given["text"]
        """The rows as a table for a terminal."""

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def values_frame(self) -> Any:
        """The values of single runs as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.values)

    def __repr__(self) -> str:
        return f"<StudyResult: {self.title}\n{self.text}>"

    def _repr_html_(self) -> str:
        columns = ("group", "agent", "measure", "mean", "se", "difference", "difference_se", "paper_mean", "paper_se")
        sentences = "".join(f"<li>{html.escape(text)}</li>" for text in (*self.findings, *self.notes))
        return f"<h4>{html.escape(self.title)}</h4>{_html_table(self.rows, columns)}<ul>{sentences}</ul>"


def study(
    name: str,
    *,
    scale: str = "quick",
    directory: str | os.PathLike[str] = "out",
    report: str | os.PathLike[str] | None = None,
    threads: int = 0,
    seed: int = 1,
    fresh: bool = False,
    runs: bool = False,
    progress: Progress = None,
) -> StudyResult:
    """Runs a study, such as "table2", or resumes it.

    Finished units are kept in ``directory``: after Ctrl-C the same call resumes. ``report`` is a folder for the JSON,
    CSV and HTML that the command line writes.
    """
    with progress_bar(progress, name) as tell:
        return StudyResult(
            _core.study(
                name, scale, directory, report or "", count_of(threads, "threads", 0), seed_of(seed), fresh, runs, tell
            )
        )


class SimulateResult:
    """Agents side by side: `rows` with regret, and `returns`, the mean return of each episode (agents × episodes)."""

    def __init__(self, rows: list[dict[str, Any]], returns: Doubles, setting: str) -> None:
        self.rows, self.returns, self.setting = rows, returns, setting
        for row, values in zip(rows, returns, strict=True):
            row["mean_return"] = float(values.mean())

    @property
    def agents(self) -> list[str]:
        """Their specs."""
        return [str(row["agent"]) for row in self.rows]

    def to_frame(self) -> Any:
        """One row per agent, as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def returns_frame(self) -> Any:
        """Mean returns, one column per agent and one row per episode, as a pandas DataFrame."""
        import pandas

        index = pandas.RangeIndex(1, self.returns.shape[1] + 1, name="episode")
        return pandas.DataFrame(self.returns.T, columns=self.agents, index=index)

    def __repr__(self) -> str:
        lines = [f"{row['agent']}: regret {row['regret']:.4g} ± {row['regret_se']:.2g}" for row in self.rows]
        return f"<SimulateResult: {self.setting}\n" + "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        columns = ("agent", "regret", "regret_se", "mean_return", "agent_steps")
        return f"<h4>{html.escape(self.setting)}</h4>{_html_table(self.rows, columns)}"


def simulate(
    env: str | Family,
    agents: str | Sequence[str],
    *,
    expert: str | None = None,
    model: Model | None = None,
    problems: int = 16,
    tasks: int = 128,
    episodes: int = 1500,
    demonstrations: int = 1000,
    threads: int = 0,
    seed: int = 1,
    progress: Progress = None,
) -> SimulateResult:
    """Measures agents on the same tasks with the same demonstrations and the same luck.

    ``env`` is a spec such as "deep_sea:size=10", or a `Family` of anyone's environments, whose own expert then
    demonstrates. With ``model`` nobody demonstrates: all agents act from it. Regret is NaN where optimal values are
    not known, as in a Family; look at the returns there.
    """
    specs = (agents,) if isinstance(agents, str) else tuple(agents)
    if not specs:
        raise InputError("there are no agents to simulate")
    family = env if isinstance(env, Family) else None
    if family is None and not isinstance(env, str):
        raise InputError(f"an environment is a spec or a Family, not {type(env).__name__}")
    if family is not None and family.expert is None and expert is None and model is None:
        raise InputError("the family has no expert to demonstrate: give it one, or give model=")
    returns = np.zeros((len(specs), count_of(episodes, "episodes")))
    with progress_bar(progress, "simulate") as tell:
        rows = _core.simulate(
            None if family is not None else str(env), family._core if family is not None else None,
            expert or "optimal", model._core if model is not None else None, specs, count_of(problems, "problems"),
            count_of(tasks, "tasks"), episodes, count_of(demonstrations, "demonstrations", 0),
            count_of(threads, "threads", 0), seed_of(seed), returns, tell,
        )
    return SimulateResult(rows, returns, family.name if family is not None else str(env))
