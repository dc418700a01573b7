"""Demonstrations: what experts did, as states and actions, without rewards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experior import _core
from experior._core import InputError
from experior._support import Doubles, count_of, doubles, whole_numbers

Trajectory = tuple[Doubles | None, NDArray[np.int64], int]


class Demonstrations:
    """A multiset of trajectories: distinct ones with their counts.

    ``Demonstrations(actions=4, state_size=2)`` is empty; `add` fills it. `load` reads the files that the command line
    reads and writes. Iterating gives (states, actions, count) of each distinct trajectory.
    """

    def __init__(self, actions: int = 0, state_size: int = 0, *, _core_demos: _core.Demos | None = None) -> None:
        if _core_demos is None:
            _core_demos = _core.demos_create(
                count_of(state_size, "state_size", 0), count_of(actions, "actions", 0)
            )
        self._core = _core_demos

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Demonstrations:
        """Reads CSV or JSONL (docs/method/demos.md)."""
        return cls(_core_demos=_core.demos_load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes CSV if the path ends so, else JSONL."""
        self._core.save(path, not str(os.fspath(path)).endswith(".csv"))

    def add(self, actions: Any, states: Any = None, count: int = 1) -> None:
        """Adds a trajectory: the actions, and the states in which they were taken (one row each)."""
        numbers = np.atleast_1d(whole_numbers(actions, "actions"))
        if numbers.ndim != 1:
            raise InputError(f"actions have {numbers.ndim} dimensions, not 1")
        rows = None
        if self.state_size > 0:
            if states is None:
                raise InputError(f"states are missing; each has {self.state_size} numbers")
            rows = doubles(states, "states").reshape(-1)
        elif states is not None and np.size(states) > 0:
            raise InputError("states were given, but these demonstrations have none")
        self._core.add(rows, numbers, count_of(count, "count"))

    @property
    def actions(self) -> int:
        """Number of actions."""
        return int(self._core.describe()["actions"])

    @property
    def state_size(self) -> int:
        """Numbers in a state; 0 where there are no states."""
        return int(self._core.describe()["state_size"])

    @property
    def distinct(self) -> int:
        """Number of distinct trajectories."""
        return int(self._core.describe()["distinct"])

    @property
    def longest(self) -> int:
        """Steps of the longest trajectory."""
        return int(self._core.describe()["longest"])

    def __len__(self) -> int:
        return int(self._core.describe()["count"])

    def __iter__(self) -> Iterator[Trajectory]:
        size = self.state_size
        for index in range(self.distinct):
            states, actions, count = self._core.trajectory(index)
            yield (
                np.frombuffer(states, dtype=np.float64).reshape(-1, size) if states is not None and size else None,
                np.frombuffer(actions, dtype=np.uint32).astype(np.int64),
                count,
            )

    def __repr__(self) -> str:
        return f"<Demonstrations: {len(self)}, {self.distinct} distinct, at most {self.longest} steps>"

    def __getstate__(self) -> dict[str, Any]:
        return {"actions": self.actions, "state_size": self.state_size, "trajectories": list(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._core = _core.demos_create(state["state_size"], state["actions"])
        for states, actions, count in state["trajectories"]:
            self.add(actions, states, count)


def steps_of(episode: Any) -> tuple[Any, Any]:
    """Observations and actions of one trajectory, whatever holds them.

    Minari's episodes have ``observations`` and ``actions``, those of the package imitation ``obs`` and ``acts``;
    pairs and dicts do as well. Observations may hold the one after the last action.
    """
    for observations, actions in (("observations", "actions"), ("obs", "acts"), ("states", "actions")):
        if isinstance(episode, dict):
            if observations in episode and actions in episode:
                return episode[observations], episode[actions]
        elif hasattr(episode, observations) and hasattr(episode, actions):
            return getattr(episode, observations), getattr(episode, actions)
    if isinstance(episode, tuple | list) and len(episode) == 2:
        return episode[0], episode[1]
    raise InputError(
        f"a trajectory is a pair of observations and actions, or has such attributes; not {type(episode).__name__}"
    )


def episodes_of(trajectories: Any) -> Iterable[Any]:
    """The trajectories of a list, or of a Minari dataset."""
    try:
        found: Iterable[Any] = iter(
            trajectories.iterate_episodes() if hasattr(trajectories, "iterate_episodes") else trajectories
        )
        return found
    except TypeError:
        raise InputError(f"{type(trajectories).__name__} holds no trajectories") from None
