"""Sessions: one learner in one task."""

from __future__ import annotations

import os
from pathlib import Path as _FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experior import _core
from experior._core import InputError
from experior._support import Doubles, count_of, doubles, from_bytes, labels_of, seed_of, space_of, whole_numbers
from experior.model import Model

Path = str | os.PathLike[str]


class Session(_core.Session):
    """A learner that knows a model and learns from rewards.

    A bandit: ``action = session.act()``, then ``session.observe(action, reward)``, which may come late and in any
    order. With states: ``act(state)``, then ``observe(action, reward, next_state, terminated, truncated)``.

    Agents that need no model take ``space``: the number of arms or their names, or, with states, (actions, names or
    None, number of categories of each state number or 0, horizon).

    A session belongs to one thread at a time: threads that share one are told so by an exception. It can be saved,
    loaded in any language, and pickled; it then continues bit for bit.
    """

    model: Model | None = None
    _space: tuple[int, tuple[str, ...] | None, tuple[int, ...], int] | None = None
    _labels: tuple[Any, ...] | None = None

    def __init__(
        self,
        model: Model | None = None,
        *,
        seed: int = 1,
        agent: str | None = None,
        segment: str | None = None,
        episodes: int = 1500,
        space: Any = None,
    ) -> None:
        space = space_of(space)
        if model is not None and not isinstance(model, Model):
            raise InputError(f"a session takes a Model, not {type(model).__name__}")
        if model is None and (agent is None or space is None):
            raise InputError("without a model a session needs agent= and space=")
        self.model = model
        self._space = space
        self._labels = _labels(model, space)
        self._open(
            model._core if model is not None else None, agent, seed_of(seed), count_of(episodes, "episodes"),
            None if model is not None else space, None if segment is None else str(segment), self._labels,
        )

    @property
    def actions(self) -> tuple[Any, ...]:
        """What the actions are called."""
        return self._labels or tuple(range(self.describe()["actions"]))

    def act_batch(self, count: int) -> NDArray[Any]:
        """So many actions of a bandit before any of their rewards is known."""
        numbers = np.empty(count_of(count, "count", 0), dtype=np.int64)
        self._act_batch(numbers)
        return numbers if self._labels is None else np.array(self._labels)[numbers]

    def observe_batch(self, actions: Any, rewards: Any) -> None:
        """Rewards with their actions, all of them or, if one is refused, none."""
        self._observe_batch(self._numbers(actions), doubles(rewards, "rewards", check=False))

    def observe_sum(self, action: Any, trials: int, total: float, squares: float = float("nan")) -> None:
        """So many rewards of one action that add up to ``total``, and their squares to ``squares``."""
        self._observe_sum(action, count_of(trials, "trials", 0), float(total), float(squares))

    def law(self, state: Any = None, *, draws: int = 0) -> Doubles:
        """The probability of each action now; asking changes nothing."""
        probability = np.empty(self.describe()["actions"])
        self._law(state, count_of(draws, "draws", 0), probability)
        return probability

    def best(self, state: Any = None) -> Any:
        """The action of a learner that no longer explores."""
        return self._advise(state)

    def begin(self, state: Any = None) -> None:
        """Starts an episode; `act` does so where it was left out."""
        self._begin(state)

    def reset(self, seed: int = 1) -> None:
        """Starts over in a new task."""
        self._reset(seed_of(seed))

    def draw_means(self, count: int, seed: int = 1) -> Doubles:
        """Draws of the arms' mean rewards from the posterior, one row each."""
        means = np.empty((count_of(count, "count", 0), self.describe()["actions"]))
        self._draw_means(seed_of(seed), means)
        return means

    @property
    def belief(self) -> Doubles:
        """Probability of each policy among which the agent draws for its next episode; empty if it has none."""
        return from_bytes(self._policies())

    def save(self, path: Path) -> None:
        """Writes the session whole or not at all; its model is kept apart."""
        self._save(path)

    @classmethod
    def load(
        cls,
        path: Path,
        model: Model | None = None,
        *,
        space: Any = None,
    ) -> Session:
        """Reads a session that was made with this model (or space), whichever language wrote it."""
        space = space_of(space)
        if model is not None and not isinstance(model, Model):
            raise InputError(f"a session takes a Model, not {type(model).__name__}")
        try:
            data = _FilePath(path).read_bytes()
        except OSError as error:
            raise _core.FileError(f"{os.fspath(path)}: {error.strerror}") from None
        session = cls.__new__(cls)
        session.__setstate__({"model": model, "space": space, "bytes": data, "name": os.fspath(path)})
        return session

    def _numbers(self, actions: Any) -> NDArray[np.int64]:
        """Actions by number, from labels or numbers."""
        labels = self._labels
        if labels is None:
            return whole_numbers(actions, "actions")
        numbers = {label: number for number, label in enumerate(labels)}
        named = isinstance(labels[0], str)
        try:
            return np.array(
                [
                    int(action) if named and not isinstance(action, str) else numbers[action]
                    for action in np.atleast_1d(np.asarray(actions)).tolist()
                ],
                dtype=np.int64,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"an action is not one of {labels}: {error}") from None

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "space": self._space, "bytes": self.to_bytes(), "name": "the pickled session"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model, space = state["model"], state["space"]
        self.model, self._space = model, space
        self._labels = _labels(model, space)
        if model is not None:
            about = model._core.describe()
            actions, size = about["actions"], len(about["categories"])
        elif space is not None:
            actions, size = space[0], len(space[2])
        else:
            raise InputError("a session is loaded with its model, or with its space if it had none")
        self._restore(
            state["bytes"], state["name"], model._core if model is not None else None, self._labels, actions, size
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), self.__getstate__())

    def __copy__(self) -> Session:
        return _remake(type(self), self.__getstate__())

    def __repr__(self) -> str:
        try:
            about = self.describe()
        except InputError:
            return "<Session: closed>"
        return f"<Session: {about['agent']}, {about['observations']} observations>"


def _remake(cls: type[Session], state: dict[str, Any]) -> Session:
    session = cls.__new__(cls)
    session.__setstate__(state)
    return session


def _labels(model: Model | None, space: Any) -> tuple[Any, ...] | None:
    if model is not None:
        return labels_of(model._core.describe()["action_names"])
    return labels_of(space[1]) if space is not None else None
