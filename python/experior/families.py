"""Families of tasks of the caller's: environments that differ by a hidden context."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from experior import _core
from experior._core import InputError
from experior._support import Doubles, count_of, episode_limit, seed_of
from experior.demonstrations import Demonstrations
from experior.spaces import Actions, Observations


class Family:
    """A distribution over tasks: ``make_env(context)`` is the task of a context.

    ``contexts`` is a sequence, drawn from evenly, or a callable that draws one from a NumPy generator. ``expert`` is
    called with (observation, context), and with ``rng=`` if it has a parameter of that name.
    """

    def __init__(
        self,
        make_env: Callable[[Any], Any],
        contexts: Sequence[Any] | Callable[[np.random.Generator], Any],
        *,
        expert: Callable[..., Any] | None = None,
        horizon: int | None = None,
        name: str = "family",
    ) -> None:
        if not callable(make_env):
            raise InputError("make_env must be a function that makes an environment from a context")
        self.make_env, self.contexts, self.expert = make_env, contexts, expert
        self.name = name
        example = make_env(self.context(np.random.default_rng(0))[1])
        limit = horizon or episode_limit(example)
        if not limit:
            raise InputError("how long may an episode be? The environment does not say: give horizon=")
        self.horizon = count_of(limit, "horizon")
        try:
            self.actions = Actions(example.action_space)
            self.observations = Observations(example.observation_space)
        except AttributeError:
            raise InputError("make_env must return an environment of Gymnasium") from None
        self.space = (self.actions.count, None, self.observations.categories, self.horizon)
        try:
            self.expert_takes_rng = expert is not None and "rng" in inspect.signature(expert).parameters
        except (TypeError, ValueError):
            self.expert_takes_rng = False
        self._core = _core.env_custom(self, name.encode(), self.space, expert is not None, None)

    def context(self, random: np.random.Generator) -> tuple[Any, Any]:
        """A drawn context, and what tells it from others."""
        if callable(self.contexts):
            return None, self.contexts(random)
        if len(self.contexts) == 0:
            raise InputError("there are no contexts")
        index = int(random.integers(len(self.contexts)))
        return index, self.contexts[index]

    def task(self) -> FamilyTask:
        """A task whose context is not drawn yet; the library calls this."""
        return FamilyTask(self)

    def demonstrate(self, n: int, seed: int = 1) -> Demonstrations:
        """So many demonstrations of the expert, each in a task of its own."""
        return Demonstrations(_core_demos=self._core.demonstrate(None, count_of(n, "n"), seed_of(seed)))


class FamilyTask:
    """One task, as the library drives it."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self._made: dict[Any, Any] = {}
        self.env: Any = None
        self._context: Any = None
        self._observation: Any = None

    def draw(self, seed: int) -> None:
        index, self._context = self.family.context(np.random.default_rng(seed))
        if index is None:
            self.env = self.family.make_env(self._context)
        else:
            if index not in self._made:
                self._made[index] = self.family.make_env(self._context)
            self.env = self._made[index]

    def reset(self, seed: int) -> Doubles:
        self._observation, _ = self.env.reset(seed=seed % 2**31)
        return self.family.observations.encode(self._observation)

    def step(self, action: int) -> tuple[Doubles, float, int]:
        self._observation, reward, terminated, truncated, _ = self.env.step(self.family.actions.decode(action))
        end = 1 if terminated else 2 if truncated else 0
        return self.family.observations.encode(self._observation), float(reward), end

    def expert(self, seed: int) -> int:
        family = self.family
        assert family.expert is not None
        more = {"rng": np.random.default_rng(seed)} if family.expert_takes_rng else {}
        return family.actions.encode(family.expert(self._observation, self._context, **more))


def demonstrate(
    make_env: Callable[[Any], Any],
    expert: Callable[..., Any],
    contexts: Sequence[Any] | Callable[[np.random.Generator], Any],
    n: int,
    *,
    seed: int = 1,
    horizon: int | None = None,
) -> Demonstrations:
    """Records an expert over tasks that are drawn from a family: n episodes, each with its own hidden context.

    ``expert(observation, context)`` sees the context; the demonstrations do not hold it, nor any reward.
    """
    return Family(make_env, contexts, expert=expert, horizon=horizon).demonstrate(n, seed)
