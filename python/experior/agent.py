"""Agents for any Gymnasium environment with discrete actions."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from experior import _core
from experior._core import FileError, InputError
from experior._support import Doubles, Progress, count_of, episode_limit, progress_bar, seed_of
from experior.demonstrations import Demonstrations, episodes_of, steps_of
from experior.model import Model
from experior.session import Session
from experior.spaces import Actions, Observations

_PRIORS = {"max-entropy": "experior_maxent", "ensemble": "experior_param", None: "boot_dqn"}
_FORMAT = 1

Callback = Callable[[dict[str, Any], dict[str, Any]], bool | None]


_STEP = "(observation, reward, terminated, truncated, info)"


def _parts(given: Any, method: str, wanted: str, count: int) -> Any:
    """What an environment returned, if it keeps to Gymnasium's interface."""
    if not isinstance(given, tuple) or len(given) != count:
        got = f"{len(given)} values" if isinstance(given, tuple) else f"a {type(given).__name__}"
        raise InputError(f"{method}() of the environment returned {got}, not {wanted}: is it one of the older gym?")
    return given


class ExperiorAgent:
    """Learns in one task of a family, from what experts did in others.

    ``env`` is a Gymnasium environment or vector environment, ``demonstrations`` what experts did in environments of
    the family: a Minari dataset, trajectories of the package imitation, a list of (observations, actions),
    `Demonstrations`, a path, or None. ``prior`` is "max-entropy", "ensemble" or None (no demonstrations are used).
    ``settings`` go into the agent's spec: ``members=10, hidden=64``; ``agent`` is a whole spec instead.

    Every sub-environment of a vector environment is a task of its own, with a learner of its own: their hidden
    contexts may differ.
    """

    def __init__(
        self,
        env: Any,
        demonstrations: Any = None,
        *,
        prior: str | None = "max-entropy",
        seed: int = 1,
        agent: str | None = None,
        horizon: int | None = None,
        episodes: int = 1500,
        progress: Progress = None,
        **settings: Any,
    ) -> None:
        if prior not in _PRIORS:
            raise InputError(f"prior={prior!r} is none of 'max-entropy', 'ensemble' and None")
        if agent is not None and settings:
            raise InputError("settings go into the spec of agent=")
        if demonstrations is None and agent is None and prior is not None:
            raise InputError(f"the prior {prior!r} needs demonstrations; without any, say prior=None")
        self.seed = seed_of(seed)
        self.episodes = count_of(episodes, "episodes")
        self._take(env)
        recorded = demonstrations if isinstance(demonstrations, Demonstrations) else None
        if demonstrations is not None and recorded is None:
            recorded = self._record(demonstrations)
        self.horizon = self._find_horizon(env, horizon, recorded)
        self._bandit(recorded)
        name = agent or _PRIORS[prior]
        words = [f"{key}={value}" for key, value in settings.items()]
        spec: str | None = name + (":" + ",".join(words) if words else "")
        if spec == "experior_maxent" and not self._observations.categories:
            spec = None  # a bandit's default: the scale of rewards is learned
        self.model = Model(spec, seed=self.seed)
        space = (self._actions.count, None, self._observations.categories, self.horizon)
        if recorded is not None and recorded.state_size != len(space[2]):
            raise InputError(f"the demonstrations have {recorded.state_size} numbers per state, not {len(space[2])}")
        self.model._fit(recorded._core if recorded is not None else None, None, False, progress, space)
        self._start()

    def _take(self, env: Any) -> None:
        self.env = env
        self._lanes = int(getattr(env, "num_envs", 0))
        vector = self._lanes > 0 and hasattr(env, "single_action_space")
        self._lanes = self._lanes if vector else 0
        try:
            space = env.single_observation_space if vector else env.observation_space
            actions = env.single_action_space if vector else env.action_space
        except AttributeError:
            hint = f": give gymnasium.make({env!r})" if isinstance(env, str) and env != "MlpPolicy" else ""
            raise InputError(f"{type(env).__name__} is not an environment of Gymnasium{hint}") from None
        self._observation_space = space
        self._observations = Observations(space)
        self._actions = Actions(actions)

    def _bandit(self, recorded: Demonstrations | None) -> None:
        """One step in one state is a bandit, for which the library has exact posteriors."""
        if self.horizon == 1 and all(category == 1 for category in self._observations.categories):
            if recorded is None or recorded.state_size == 0:
                self._observations = Observations(self._observation_space, bandit=True)

    def _find_horizon(self, env: Any, horizon: int | None, recorded: Demonstrations | None) -> int:
        if horizon is not None:
            return count_of(horizon, "horizon")
        limit = episode_limit(env)
        if limit:
            return int(limit)
        if recorded is not None and recorded.longest > 0:
            return recorded.longest
        raise InputError("how long may an episode be? The environment does not say: give horizon=")

    def _record(self, demonstrations: Any) -> Demonstrations:
        if isinstance(demonstrations, str | os.PathLike):
            return Demonstrations.load(demonstrations)
        size = len(self._observations.categories)
        made = Demonstrations(self._actions.count, size)
        for episode in episodes_of(demonstrations):
            observations, taken = steps_of(episode)
            actions = self._actions.encode_many(taken)
            if len(actions) == 0:
                raise InputError("a trajectory has no actions")
            made.add(actions, self._observations.encode_many(observations, len(actions)))
        if len(made) == 0:
            raise InputError("there are no demonstrations")
        return made

    def _start(self) -> None:
        self._sessions = [
            Session(self.model, seed=self.seed + lane, episodes=self.episodes) for lane in range(max(1, self._lanes))
        ]
        self._random = np.random.default_rng(self.seed)
        self.returns: list[float] = []
        """Return of every finished episode."""
        self.lengths: list[int] = []
        """Steps of every finished episode."""
        self.num_timesteps = 0
        self._current: Any = None

    @property
    def session(self) -> Session:
        """The learner, or the first of them."""
        return self._sessions[0]

    def learn(self, total_timesteps: int, callback: Callback | None = None, progress: Progress = None) -> ExperiorAgent:
        """Acts and learns for so many steps of the environment.

        ``callback(locals, globals)`` is called after every step, as in Stable-Baselines3; False ends the learning.
        """
        steps = count_of(total_timesteps, "total_timesteps", 0)
        if callback is not None and not callable(callback):
            raise InputError(f"callback= is a {type(callback).__name__}: give one function of (locals, globals)")
        run = self._learn_vector if self._lanes else self._learn_single
        with progress_bar(progress, "learn") as tell:
            run(steps, callback, tell)
        return self

    def _learn_single(self, steps: int, callback: Callback | None, tell: Any) -> None:
        env, session = self.env, self._sessions[0]
        encode, decode = self._observations.encode, self._actions.decode
        state, total, length = self._current or (None, 0.0, 0)
        for step in range(steps):
            if state is None:
                begun = env.reset(seed=self.seed) if self.num_timesteps == 0 else env.reset()
                observation, info = _parts(begun, "reset", "(observation, info)", 2)
                state, total, length = encode(observation), 0.0, 0
                if state.size:
                    session.begin(state)
            action = session.act(state) if state.size else session.act()
            seen = env.step(decode(action))
            observation, reward, terminated, truncated, info = _parts(seen, "step", _STEP, 5)
            state_next = encode(observation)
            self._observe(session, action, reward, state_next, terminated, truncated, state)
            self.num_timesteps += 1
            total, length, state = total + float(reward), length + 1, state_next
            if terminated or truncated:
                self.returns.append(total)
                self.lengths.append(length)
                state = None
            self._current = None if state is None else (state, total, length)
            if tell is not None:
                tell(step + 1, steps)
            if callback is not None and callback(locals(), globals()) is False:
                return

    def _observe(
        self, session: Session, action: int, reward: Any, after: Doubles, terminated: Any, truncated: Any, state: Doubles
    ) -> None:
        if state.size:
            session.observe(action, reward, after, bool(terminated), bool(truncated), state)
        else:
            session.observe(action, reward)

    def _learn_vector(self, steps: int, callback: Callback | None, tell: Any) -> None:
        env, lanes = self.env, self._lanes
        mode = str(getattr(env, "metadata", {}).get("autoreset_mode", "")).lower()
        if self._current is None:
            observations, _ = env.reset(seed=self.seed)
            self._current = (self._split(observations), [0.0] * lanes, [0] * lanes, [False] * lanes)
        states, totals, lengths, over = self._current
        for step in range(0, steps, lanes):
            numbers = [
                0 if over[i] else self._sessions[i].act(states[i] if states[i].size else None) for i in range(lanes)
            ]
            joined = self._join([self._actions.decode(number) for number in numbers])
            observations, rewards, terminated, truncated, infos = env.step(joined)
            after = self._split(observations)
            for i in range(lanes):
                if over[i]:  # this step was the reset of the episode before
                    over[i] = False
                    continue
                done = bool(terminated[i] or truncated[i])
                last = after[i]
                if done and "same" in mode:
                    last = self._observations.encode(infos["final_obs"][i])
                self._observe(self._sessions[i], numbers[i], rewards[i], last, terminated[i], truncated[i], states[i])
                totals[i], lengths[i] = totals[i] + float(rewards[i]), lengths[i] + 1
                if done:
                    self.returns.append(totals[i])
                    self.lengths.append(lengths[i])
                    totals[i], lengths[i] = 0.0, 0
                    over[i] = "same" not in mode
            if "disabled" in mode and any(over):
                observations, _ = env.reset(options={"reset_mask": np.array(over)})
                after, over = self._split(observations), [False] * lanes
            states = after
            self.num_timesteps += lanes
            self._current = (states, totals, lengths, over)
            if tell is not None:
                tell(min(step + lanes, steps), steps)
            if callback is not None and callback(locals(), globals()) is False:
                return

    def _split(self, observations: Any) -> list[Doubles]:
        from gymnasium.vector.utils import iterate

        space = self.env.observation_space
        return [self._observations.encode(one) for one in iterate(space, observations)]

    def _join(self, actions: list[Any]) -> Any:
        from gymnasium.vector.utils import concatenate, create_empty_array

        space = self.env.single_action_space
        room: Any = create_empty_array(space, n=len(actions))
        return concatenate(space, actions, room)

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, None]:
        """The action in an observation, and None, as Stable-Baselines3 returns them.

        ``deterministic`` is what an agent that no longer explores would do; otherwise the action is drawn from the
        agent's law. Learning is not disturbed. With a vector environment observations are batches.
        """
        if self._lanes:
            each = self._split(observation)
            return self._join([self._choose(i, one, deterministic) for i, one in enumerate(each)]), None
        return self._choose(0, self._observations.encode(observation), deterministic), None

    def _choose(self, lane: int, state: Doubles, deterministic: bool) -> Any:
        session = self._sessions[lane]
        given = state if state.size else None
        if deterministic:
            return self._actions.decode(session.best(given))
        law = session.law(given, draws=1000)
        return self._actions.decode(int(self._random.choice(len(law), p=law / law.sum())))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes model and learners into one zip file; it holds no code."""
        about = {
            "format": _FORMAT, "seed": self.seed, "episodes": self.episodes, "horizon": self.horizon,
            "lanes": self._lanes, "returns": self.returns, "lengths": self.lengths,
            "num_timesteps": self.num_timesteps, "random": self._random.bit_generator.state,
        }
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("agent.json", json.dumps(about))
            archive.writestr("model", self.model._core.to_bytes())
            for lane, session in enumerate(self._sessions):
                archive.writestr(f"session-{lane}", session.to_bytes())
        partial = f"{os.fspath(path)}.part"
        with open(partial, "wb") as file:
            file.write(packed.getvalue())
        os.replace(partial, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], env: Any) -> ExperiorAgent:
        """Reads a saved agent, for an environment with the same spaces; it begins with a new episode."""
        try:
            with zipfile.ZipFile(path) as archive:
                about = json.loads(archive.read("agent.json"))
                if about["format"] != _FORMAT:
                    raise InputError(f"{path}: format {about['format']} is not {_FORMAT}")
                self = cls.__new__(cls)
                self.seed, self.episodes, self.horizon = about["seed"], about["episodes"], about["horizon"]
                self._take(env)
                self.model = Model._of(_core.model_parse(archive.read("model"), str(path)))
                info = self.model.info
                if not info["categories"]:
                    self._observations = Observations(self._observation_space, bandit=True)
                if (info["actions"], tuple(info["categories"])) != (self._actions.count, self._observations.categories):
                    raise InputError(f"{path}: the agent is for other spaces than those of the environment")
                if about["lanes"] != self._lanes:
                    raise InputError(f"{path}: the agent has {about['lanes']} learners, not {self._lanes}")
                self._start()
                for lane, session in enumerate(self._sessions):
                    session.__setstate__(
                        {"model": self.model, "space": None, "bytes": archive.read(f"session-{lane}"), "name": str(path)}
                    )
                self.returns, self.lengths = about["returns"], about["lengths"]
                self.num_timesteps = about["num_timesteps"]
                self._random.bit_generator.state = about["random"]
                return self
        except OSError as error:
            raise error if isinstance(error, FileError) else FileError(f"cannot read '{path}': {error.strerror}") from None
        except (KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: not a saved agent, or damaged: {error}") from None

    def __repr__(self) -> str:
        return f"<ExperiorAgent: {self.model.agent}, {self.num_timesteps} steps, {len(self.returns)} episodes>"
