"""Spaces of Gymnasium as the library has them: states as rows of numbers, actions as one number.

In a MultiDiscrete whose least value is -1, that value means that the number is hidden from the learner.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from experior._core import InputError
from experior._support import Doubles

MOST_ACTIONS = 4096


class Part:
    """Numbers of one simple space: how many, which are categories, and what the least value is."""

    def __init__(self, categories: list[int], start: NDArray[Any], least: NDArray[Any] | None = None) -> None:
        self.categories = categories
        self.start = start
        self.least = np.where(np.array(categories) > 0, 0.0, -np.inf) if least is None else least


def _part(space: Any, path: str) -> Part:
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return Part([int(space.n)], np.array([int(space.start)]))
    if isinstance(space, spaces.MultiDiscrete):
        values = np.asarray(space.nvec).reshape(-1)
        start = np.broadcast_to(np.asarray(getattr(space, "start", 0)), np.shape(space.nvec)).reshape(-1)
        hidden = start == -1  # the library's own sign of a number that is not shown; it is no category
        return Part([int(value) for value in values - hidden], np.where(hidden, 0, start), np.where(hidden, -1.0, 0.0))
    if isinstance(space, spaces.MultiBinary):
        size = int(np.prod(space.shape or (1,)))
        return Part([2] * size, np.zeros(size))
    if isinstance(space, spaces.Box):
        size = int(np.prod(space.shape or (1,)))
        return Part([0] * size, np.zeros(size))
    raise InputError(
        f"{path} is {type(space).__name__}; Discrete, MultiDiscrete, MultiBinary, Box, and Tuple or Dict of them are read"
    )


def _leaves(space: Any, path: str, key: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Part]]:
    from gymnasium import spaces

    if isinstance(space, spaces.Dict):
        return [leaf for name in space.spaces for leaf in _leaves(space.spaces[name], f"{path}[{name!r}]", (*key, name))]
    if isinstance(space, spaces.Tuple):
        return [leaf for i, part in enumerate(space.spaces) for leaf in _leaves(part, f"{path}[{i}]", (*key, i))]
    return [(key, _part(space, path))]


class Observations:
    """Turns observations into states. Numbers that can have one value only are left out, as they say nothing."""

    def __init__(self, space: Any, bandit: bool = False) -> None:
        self.leaves = _leaves(space, "the observation space")
        every = [category for _, part in self.leaves for category in part.categories]
        self._size = len(every)
        kept = [j for j, category in enumerate(every) if category != 1]
        if not kept and not bandit:
            kept = [0] if every else []
        if not kept and not bandit:
            raise InputError("the observation space is empty")
        self._kept = np.array(kept, dtype=np.int64)
        self._all_kept = len(kept) == len(every)
        self.categories = tuple(every[j] for j in kept)
        self._start = (
            np.concatenate([part.start for _, part in self.leaves]).astype(np.float64) if every else np.zeros(0)
        )
        self._least = np.concatenate([part.least for _, part in self.leaves]) if every else np.zeros(0)
        self._plain = len(self.leaves) == 1 and self.leaves[0][0] == ()
        self._shifted = bool(self._start.any())

    def encode(self, observation: Any) -> Doubles:
        """One observation as a state."""
        return self.encode_many(observation, None)

    def encode_many(self, observations: Any, length: int | None) -> Doubles:
        """``length`` observations as rows, from arrays over time or from a list; one as a flat state for None."""
        rows = 1 if length is None else length
        if length is not None and isinstance(observations, list) and not self._plain:
            if len(observations) < length:
                raise InputError(f"there are {len(observations)} observations of {length} actions")
            return np.array([self.encode(one) for one in observations[:length]]).reshape(length, -1)
        columns = [_column(_at(observations, key), len(part.categories), length) for key, part in self.leaves]
        table = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
        if self._shifted:
            table = table - self._start
        if not np.isfinite(table).all():
            raise InputError("an observation holds NaN or infinities")
        if (table < self._least).any():
            raise InputError(f"the observation {observations!r} is outside its space")
        if not self._all_kept:
            table = table[:, self._kept]
        table = np.ascontiguousarray(table)
        return table.reshape(-1) if length is None else table.reshape(rows, -1)


def _at(observations: Any, key: tuple[Any, ...]) -> Any:
    for name in key:
        try:
            observations = observations[name]
        except (KeyError, IndexError, TypeError):
            raise InputError(f"an observation has no part {name!r}") from None
    return observations


def _column(data: Any, size: int, length: int | None) -> Doubles:
    try:
        array = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("an observation is not made of numbers") from None
    if length is None:
        if array.size != size:
            raise InputError(f"an observation has {array.size} numbers, not {size}")
        return array.reshape(1, size)
    if array.ndim == 0 or array.shape[0] not in (length, length + 1) or array.size != array.shape[0] * size:
        raise InputError(f"observations have the shape {array.shape}, not ({length} or {length + 1}, {size})")
    return array.reshape(array.shape[0], size)[:length]


class Actions:
    """Turns actions into numbers from 0 and back; several discrete choices at once are one number."""

    def __init__(self, space: Any) -> None:
        from gymnasium import spaces

        leaves = _leaves(space, "the action space")
        if any(category == 0 for _, part in leaves for category in part.categories):
            raise InputError("the action space has real numbers; actions must be discrete")
        self.space = space
        self._sizes = [category for _, part in leaves for category in part.categories]
        self._starts = [int(value) for _, part in leaves for value in part.start]
        self._keys = [key for key, part in leaves for _ in part.categories]
        self.plain = isinstance(space, spaces.Discrete)
        self.count = int(np.prod(np.array(self._sizes, dtype=np.float64)))
        if self.count > MOST_ACTIONS:
            raise InputError(f"the action space has {self.count} actions; at most {MOST_ACTIONS} are learned")

    def decode(self, number: int) -> Any:
        """The action of the environment's space."""
        if self.plain:
            return number + self._starts[0]
        values = []
        for size in reversed(self._sizes):
            number, value = divmod(number, size)
            values.append(value)
        values = [value + start for value, start in zip(reversed(values), self._starts, strict=True)]
        return _build(self.space, iter(values))

    def encode(self, action: Any) -> int:
        """The number of an action; one outside the space is refused."""
        return self._number(self._values(action), action)

    def _values(self, action: Any) -> NDArray[Any]:
        if self.plain:
            return np.asarray(action).reshape(-1)
        return np.concatenate([np.asarray(_at(action, key)).reshape(-1) for key in dict.fromkeys(self._keys)])

    def _number(self, values: NDArray[Any], action: Any) -> int:
        if len(values) != len(self._sizes):
            raise InputError(f"the action {action!r} has {len(values)} numbers, not {len(self._sizes)}")
        number = 0
        for value, size, start in zip(values, self._sizes, self._starts, strict=True):
            try:
                whole = int(value)
            except (TypeError, ValueError):
                raise InputError(f"the action {action!r} is not a whole number") from None
            if whole != value or not 0 <= whole - start < size:
                raise InputError(f"the action {action!r} is outside {self.space}")
            number = number * size + whole - start
        return number

    def encode_many(self, actions: Any) -> NDArray[np.int64]:
        """Numbers of a trajectory's actions, given as a list, or as an array (or arrays, one per part) over time."""
        if isinstance(actions, list):
            rows = [self._values(action) for action in actions]
        elif isinstance(actions, dict | tuple):
            parts = [np.asarray(_at(actions, key)) for key in dict.fromkeys(self._keys)]
            rows = list(np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1))
        else:
            array = np.asarray(actions)
            rows = list(array.reshape(len(array), -1)) if array.ndim else []
        return np.array([self._number(row, row) for row in rows], dtype=np.int64)


def _build(space: Any, values: Any) -> Any:
    from gymnasium import spaces

    if isinstance(space, spaces.Dict):
        return {name: _build(part, values) for name, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_build(part, values) for part in space.spaces)
    if isinstance(space, spaces.Discrete):
        return next(values)
    shape = np.shape(space.nvec) if isinstance(space, spaces.MultiDiscrete) else space.shape
    size = int(np.prod(shape))
    return np.array([next(values) for _ in range(size)], dtype=space.dtype).reshape(shape)
