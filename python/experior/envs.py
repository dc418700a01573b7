"""The library's environments for Gymnasium: experior/DeepSea-v0, experior/FrozenLake-v0, experior/BernoulliBandit-v0.

A task keeps its hidden context over episodes. ``reset(seed=…)`` draws a new task, a function of the seed;
``reset()`` begins another episode of the same task, ``reset(options={"new_task": True})`` draws another one.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from experior import _core
from experior._support import count_of, seed_of
from experior.demonstrations import Demonstrations

IDS = {
    "experior/DeepSea-v0": "deep_sea",
    "experior/FrozenLake-v0": "frozen_lake",
    "experior/BernoulliBandit-v0": "bernoulli_bandit",
}


class TaskEnv(gymnasium.Env[Any, Any]):
    """A task of one of the library's environments; parameters are those of ``experior list environments``.

    ``problem_seed`` draws what the spec leaves open, such as a bandit's Beta parameters. ``info["regret"]`` is the
    expected regret of the step under the hidden context: it is for accounting, not for learning.
    """

    metadata = {"render_modes": []}

    def __init__(self, name: str, problem_seed: int = 1, render_mode: str | None = None, **params: Any) -> None:
        words = ",".join(f"{key}={value}" for key, value in params.items())
        self.spec_text = name + (":" + words if words else "")
        self._env = _core.env_create(self.spec_text, seed_of(problem_seed))
        about = self._env.describe()
        self._task = self._env.task()
        self._drawn = False
        self.render_mode = render_mode
        self.horizon: int = about["horizon"]
        self._categories: tuple[int, ...] = about["categories"]
        self.action_space = gymnasium.spaces.Discrete(about["actions"])
        self._state = np.zeros(len(self._categories))
        if not self._categories:
            self.observation_space = gymnasium.spaces.Discrete(1)
        elif all(self._categories):
            # A number that is hidden from the learner is -1.
            hidden = self._probe() < 0
            sizes = np.array(self._categories) + hidden
            self.observation_space = gymnasium.spaces.MultiDiscrete(sizes, start=-hidden.astype(np.int64))
        else:
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(self._categories),), np.float64)

    def _probe(self) -> NDArray[np.float64]:
        task = self._env.task()
        task.draw(0)
        state = np.zeros(len(self._categories))
        task.reset(state)
        return state

    def _observation(self) -> Any:
        if not self._categories:
            return 0
        return self._state.astype(self.observation_space.dtype)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._task.draw(seed_of(seed))
            self._drawn = True
        elif not self._drawn or (options or {}).get("new_task"):
            self._task.draw(int(self.np_random.integers(2**63)))
            self._drawn = True
        self._task.reset(self._state)
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward, regret, end = self._task.step(int(action), self._state)
        return self._observation(), reward, end == 1, end == 2, {"regret": regret}

    def demonstrate(self, n: int, expert: str = "optimal", seed: int = 1) -> Demonstrations:
        """So many demonstrations by one of the library's experts, each in a task of its own."""
        return Demonstrations(_core_demos=self._env.demonstrate(expert, count_of(n, "n"), seed_of(seed)))


def register() -> None:
    """Makes the environments known to Gymnasium; done once, also as its plugin."""
    for name, spec in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point="experior.envs:TaskEnv", kwargs={"name": spec})
