"""Pictures with matplotlib: regret, returns, a prior, a belief. Every function draws on ``ax`` and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experior._core import InputError
from experior.inspection import Inspection
from experior.session import Session
from experior.studies import Series, SimulateResult, StudyResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as pyplot

    return pyplot.subplots()[1]


def _band(ax: Axes, series: Series) -> None:
    if series.scatter:
        ax.errorbar(series.x, series.y, yerr=series.se if len(series.se) else None, fmt="o", ms=3, label=series.agent)
        return
    (line,) = ax.plot(series.x, series.y, label=series.agent)
    if len(series.se):
        ax.fill_between(
            series.x, series.y - 1.96 * series.se, series.y + 1.96 * series.se, color=line.get_color(), alpha=0.2, lw=0
        )


def study(result: StudyResult, panel: str | None = None, ax: Axes | None = None) -> Axes:
    """The curves of a study in one panel (the first), with bands of ± 1.96 standard errors."""
    panels = list(dict.fromkeys(series.panel for series in result.series))
    if not panels:
        raise InputError(f"the study {result.study} has no curves; look at its rows")
    chosen = panels[0] if panel is None else panel
    if chosen not in panels:
        raise InputError(f"the study has no panel {chosen!r}, only {', '.join(panels)}")
    ax = _axes(ax)
    for series in result.series:
        if series.panel == chosen:
            _band(ax, series)
            ax.set_xlabel(series.x_label)
            ax.set_ylabel(series.y_label)
    ax.set_title(chosen)
    ax.legend(fontsize="small")
    return ax


def rows(result: StudyResult, group: str | None = None, ax: Axes | None = None) -> Axes:
    """The rows of a study in one group (the first): means with bars of ± 1.96 standard errors, the paper's beside."""
    groups = list(dict.fromkeys(str(row["group"]) for row in result.rows))
    chosen = groups[0] if group is None else group
    found = [row for row in result.rows if row["group"] == chosen]
    if not found:
        raise InputError(f"the study has no group {chosen!r}, only {', '.join(groups)}")
    ax = _axes(ax)
    places = np.arange(len(found))
    ax.errorbar([row["mean"] for row in found], places, xerr=[1.96 * row["se"] for row in found], fmt="o", label="here")
    ax.plot([row["paper_mean"] for row in found], places + 0.2, "x", color="gray", label="paper")
    ax.set_yticks(places, [str(row["agent"]) for row in found])
    ax.invert_yaxis()
    ax.set_xlabel(str(found[0]["measure"]))
    ax.set_title(chosen)
    ax.legend(fontsize="small")
    return ax


def returns(result: SimulateResult, window: int = 1, ax: Axes | None = None) -> Axes:
    """Mean return per episode of a simulation, as a moving average over ``window`` episodes."""
    if not 1 <= window <= result.returns.shape[1]:
        raise InputError(f"window = {window} is not from 1 to {result.returns.shape[1]}")
    ax = _axes(ax)
    for agent, values in zip(result.agents, result.returns, strict=True):
        smooth = np.convolve(values, np.ones(window) / window, mode="valid")
        ax.plot(np.arange(window, len(values) + 1), smooth, label=agent)
    ax.set_xlabel("episode")
    ax.set_ylabel("mean return")
    ax.legend(fontsize="small")
    return ax


def curves(runs: dict[str, Any], ylabel: str = "cumulative regret", ax: Axes | None = None) -> Axes:
    """Mean curves with bands of ± 1.96 standard errors: a matrix per name, one run per row."""
    ax = _axes(ax)
    for name, given in runs.items():
        matrix = np.atleast_2d(np.asarray(given, dtype=np.float64))
        mean, x = matrix.mean(axis=0), np.arange(1, matrix.shape[1] + 1)
        (line,) = ax.plot(x, mean, label=f"{name} (n = {matrix.shape[0]})")
        if matrix.shape[0] > 1:
            half = 1.96 * matrix.std(axis=0, ddof=1) / np.sqrt(matrix.shape[0])
            ax.fill_between(x, mean - half, mean + half, color=line.get_color(), alpha=0.2, lw=0)
    ax.set_xlabel("step")
    ax.set_ylabel(ylabel)
    ax.legend(fontsize="small")
    return ax


def prior(inspection: Inspection, ax: Axes | None = None) -> Axes:
    """What a model believes about the mean reward of each arm before the first reward: a density per arm."""
    ax = _axes(ax)
    low, high = inspection.curve_range
    points = inspection.curve.shape[1]
    x = low + (np.arange(points) + 0.5) * (high - low) / points
    for action, density in zip(inspection.actions, inspection.curve, strict=True):
        ax.plot(x, density, label=str(action))
    ax.set_xlabel("mean reward")
    ax.set_ylabel("density")
    ax.legend(fontsize="small")
    return ax


def belief(session: Session, ax: Axes | None = None) -> Axes:
    """What a learner believes now: the probability of each policy with states, of each best arm in a bandit."""
    ax = _axes(ax)
    bandit = session.describe()["state_size"] == 0
    weights = session.law() if bandit else session.belief
    if len(weights) == 0:
        raise InputError("this agent has no policies to tell of")
    labels = [str(action) for action in session.actions] if bandit else [str(i) for i in range(len(weights))]
    ax.bar(labels, weights)
    ax.set_xlabel("arm" if bandit else "policy (demonstrated ones first)")
    ax.set_ylabel("probability")
    return ax
