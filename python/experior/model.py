"""Models: what demonstrations taught."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experior import _core, _tables
from experior._core import InputError
from experior._support import Doubles, Progress, count_of, doubles, labels_of, progress_bar, seed_of, space_of
from experior.demonstrations import Demonstrations, episodes_of, steps_of
from experior.inspection import Inspection

if TYPE_CHECKING:
    from experior.session import Session

Path = str | os.PathLike[str]


def _default_agent(beta: float | None, mean: float | None) -> str:
    """The agent that the command line fits to choices unless one is named."""
    settings = ["reference=beta", f"mean={mean!r}"] if mean is not None else ["reference=learned"]
    if beta is not None:
        settings += ["unit=relative", f"beta={beta!r}"]
    return "experior_maxent:" + ",".join(settings)


class _Fitter:
    """`Model.fit`, of the class or of an unfitted model."""

    def __init__(self, unfitted: Model | None, owner: type[Model]) -> None:
        self._unfitted = unfitted
        self._owner = owner

    def __call__(
        self,
        data: Any,
        y: Any = None,
        *,
        action: str | None = None,
        by: Any = None,
        expert: str | None = None,
        weight: str | None = None,
        count: str | None = None,
        arms: int | None = None,
        exact: bool = False,
        agent: str | None = None,
        beta: float | None = None,
        mean: float | None = None,
        seed: int | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Model:
        """Fits a model to choices or trajectories.

        ``data`` is a list, array or Series of choices; a DataFrame or the path of a table with a column ``action``;
        `Demonstrations` or a list of trajectories (observations, actions). ``by``, ``expert``, ``weight`` and
        ``count`` name columns of a table; for lists and arrays ``by`` is another one of the same length. ``arms``
        declares arms that nobody chose. ``agent`` is a spec; ``beta`` and ``mean`` set the default agent's.
        """
        model = self._unfitted if self._unfitted is not None else self._owner()
        chosen = {"agent": agent, "beta": beta, "mean": mean, "seed": seed, "threads": threads}
        model.set_params(**{name: value for name, value in chosen.items() if value is not None})
        wanted = 0 if arms is None else count_of(arms, "arms", 2)
        columns = {"expert": expert, "weight": weight, "count": count}
        choices: _core.Choices | None = None
        demos: _core.Demos | None = None
        if isinstance(data, Demonstrations):
            demos = data._core
        elif _tables.is_path(data) or _tables.is_frame(data):
            if by is not None and not isinstance(by, str):
                raise InputError("by= names one column of the table, as a text; join several columns into one first")
            found = _tables.read_table(data, action=action, by=by, arms=wanted, exact=exact, progress=progress, **columns)
            choices, demos = (found, None) if isinstance(found, _core.Choices) else (None, found)
        elif _are_trajectories(data):
            demos = _demos_of(data, wanted)
        else:
            if any(column is not None for column in (action, *columns.values())):
                raise InputError("action=, expert=, weight= and count= name columns of a table")
            choices = _tables.count_choices(data, by, wanted)
        model._fit(demos, choices, by is not None, progress)
        return model


class _Fit:
    def __get__(self, instance: Model | None, owner: type[Model]) -> _Fitter:
        return _Fitter(instance, owner)


def _are_trajectories(data: Any) -> bool:
    if hasattr(data, "iterate_episodes"):
        return True
    if isinstance(data, np.ndarray) or not isinstance(data, list | tuple) or not data:
        return False
    return not isinstance(data[0], str) and (
        isinstance(data[0], dict | tuple) or hasattr(data[0], "acts") or hasattr(data[0], "actions")
    )


def _demos_of(data: Any, actions: int) -> _core.Demos:
    """Trajectories of plain arrays: a row of numbers per step."""
    made: Demonstrations | None = None
    for episode in episodes_of(data):
        observations, taken = steps_of(episode)
        length = len(np.atleast_1d(taken))
        rows = doubles(observations, "observations")
        rows = rows.reshape(rows.shape[0], -1) if rows.ndim > 0 else rows.reshape(1, 1)
        if rows.shape[0] not in (length, length + 1):
            raise InputError(f"a trajectory has {rows.shape[0]} observations and {length} actions")
        if made is None:
            made = Demonstrations(actions, rows.shape[1])
        made.add(taken, rows[:length])
    if made is None:
        raise InputError("there are no trajectories")
    return made._core


class Model:
    """What demonstrations taught: a prior over what experts must have known, and the agent that acts on it.

    ``Model.fit(choices)`` fits one; ``Model.load(path)`` reads a file of the library, whichever language wrote it. A
    fitted model never changes and may be shared by threads. For scikit-learn, ``Model(agent=…)`` is an unfitted
    estimator, whose ``fit`` fits it in place; ``get_params``, ``set_params`` and ``sklearn.base.clone`` work.
    """

    fit = _Fit()

    def __init__(
        self,
        agent: str | None = None,
        *,
        beta: float | None = None,
        mean: float | None = None,
        seed: int = 1,
        threads: int = 0,
    ) -> None:
        self.agent = agent
        self.beta = beta
        self.mean = mean
        self.seed = seed
        self.threads = threads
        self._handle: _core.Model | None = None

    def _fit(
        self,
        demos: _core.Demos | None,
        choices: _core.Choices | None,
        by: bool,
        progress: Progress,
        space: tuple[int, tuple[str, ...] | None, tuple[int, ...], int] | None = None,
        env: _core.Env | None = None,
    ) -> None:
        if self.agent is not None and (self.beta is not None or self.mean is not None):
            raise InputError("beta= and mean= are for the default agent; write them into the spec of agent=")
        states = choices is None and demos is not None and demos.describe()["state_size"] > 0
        agent = self.agent or ("experior_maxent" if states or env is not None else _default_agent(self.beta, self.mean))
        seed, threads = seed_of(self.seed), count_of(self.threads, "threads", 0)
        with progress_bar(progress, "fit") as tell:
            self._handle = _core.model_fit(agent, demos, choices, env, space, by, seed, threads, tell)

    @classmethod
    def _of(cls, handle: _core.Model) -> Model:
        model = cls()
        model._handle = handle
        about = handle.describe()
        model.agent, model.seed = about["agent"], about["seed"]
        return model

    @property
    def _core(self) -> _core.Model:
        if self._handle is None:
            raise InputError("the model is not fitted yet: call fit")
        return self._handle

    @classmethod
    def blank(cls, space: Any, agent: str = "naive_ts", seed: int = 1) -> Model:
        """A model that no expert taught, for agents that need none: ``space`` is the number of arms, or their names."""
        model = cls(agent, seed=seed)
        model._fit(None, None, False, False, space_of(space))
        return model

    @classmethod
    def load(cls, path: Path) -> Model:
        """Reads a model's file, of the command line, of C or of Python."""
        return cls._of(_core.model_load(path))

    def save(self, path: Path) -> None:
        """Writes the file whole or not at all: JSON for a bandit, safetensors with states."""
        self._core.save(path)

    def law(self, history: Any = None, *, segment: str | None = None, draws: int = 0) -> Doubles:
        """The probability of each action, in the order of `actions`, after a history of (action, reward) pairs.

        The history may be a list of pairs, a pair of arrays, a DataFrame with the columns ``action`` and ``reward``,
        a dict of the two, or the path of a table that ``experior decide --history`` reads.
        """
        from experior.session import Session

        session = Session(self, seed=1, segment=segment)
        if _tables.is_path(history):
            about = self._core.describe()
            numbers, paid = _core.history_load(history, about["actions"], about["action_names"])
            session._observe_batch(np.frombuffer(numbers, dtype=np.int64), np.frombuffer(paid, dtype=np.float64))
            return session.law(draws=draws)
        actions, rewards = _history_of(history)
        if len(actions) > 0:
            session.observe_batch(actions, rewards)
        return session.law(draws=draws)

    def session(self, seed: int = 1, **options: Any) -> Session:
        """``Session(model, seed=seed)``."""
        from experior.session import Session

        return Session(self, seed=seed, **options)

    def inspect(
        self, *, seed: int = 1, tasks: int = 1000, episodes: int = 1000, html: Path | None = None,
        progress: Progress = None,
    ) -> Inspection:
        """What a bandit's model believes and what it is worth; ``html`` also writes a page about it."""
        with progress_bar(progress, "inspect") as tell:
            found = _core.inspect(
                self._core, seed_of(seed), count_of(tasks, "tasks"), count_of(episodes, "episodes"), html or "", tell
            )
        return Inspection(self.actions, found)

    @property
    def actions(self) -> tuple[Any, ...]:
        """What the actions are called: names, or numbers from 0."""
        about = self._core.describe()
        return labels_of(about["action_names"]) or tuple(range(about["actions"]))

    @property
    def action_counts(self) -> NDArray[np.int64]:
        """How often each action was demonstrated."""
        counts = np.zeros(len(self.actions), dtype=np.int64)
        self._core.action_counts(counts)
        return counts

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of its segments; empty without ``by=``."""
        return tuple(one["name"] for one in self._core.segments())

    def segment(self, name: str) -> Model:
        """A model of its own for one segment."""
        return Model._of(self._core.segment(str(name)))

    @property
    def pooling(self) -> dict[str, Any]:
        """How much segments have in common (docs/method/segments.md)."""
        return self._core.pooling()

    @property
    def info(self) -> dict[str, Any]:
        """What the model is: agent, prior, origin, space."""
        return self._core.describe()

    @property
    def diagnosis(self) -> dict[str, Any]:
        """How the fit ended."""
        return self._core.diagnose()

    @property
    def evidence(self) -> dict[str, Any]:
        """What is known of the table that it was fitted to."""
        return self._core.evidence()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings of a fit, for scikit-learn."""
        return {"agent": self.agent, "beta": self.beta, "mean": self.mean, "seed": self.seed, "threads": self.threads}

    def set_params(self, **params: Any) -> Model:
        """Changes settings of the next fit, for scikit-learn."""
        for name, value in params.items():
            if name not in self.get_params():
                raise InputError(f"a model has no setting {name!r}, only {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._handle is not None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.get_params(), "bytes": self._handle.to_bytes() if self._handle is not None else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state["bytes"]
        self.__dict__.update({name: value for name, value in state.items() if name != "bytes"})
        self._handle = _core.model_parse(data, "the pickled model") if data is not None else None

    def __repr__(self) -> str:
        if self._handle is None:
            return f"<Model: not fitted, agent {self.agent or 'by default'}>"
        about = self.info
        return f"<Model: {about['agent']}, {about['actions']} actions, {about['demonstrations']} demonstrations>"


def _history_of(history: Any) -> tuple[Any, Any]:
    """Actions and rewards of whatever a history was given as."""
    if history is None:
        return [], []
    if _tables.is_frame(history) or isinstance(history, dict):
        for column in ("action", "reward"):
            if column not in history:
                raise InputError(f"the history has no column {column!r}")
        return list(history["action"]), history["reward"]
    if isinstance(history, tuple) and len(history) == 2 and all(hasattr(part, "__len__") for part in history):
        return history[0], history[1]
    try:
        pairs = list(history)
        return [action for action, _ in pairs], [reward for _, reward in pairs]
    except (TypeError, ValueError):
        raise InputError("a history is a list of (action, reward) pairs") from None
