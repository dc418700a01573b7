"""ExperiorAgent in Gymnasium's environments, and families of the caller's."""

import types

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import experior
import experior.envs

experior.envs.register()
SMALL = {"members": 3, "hidden": 8, "batch": 16, "warmup": 16}


class Room(gymnasium.Env):
    """Walks of at most six steps; the hidden context says which action pays."""

    def __init__(self, observation_space, action_space=None, context=0, end=4, fail_at=None):
        self.observation_space = observation_space
        self.action_space = action_space or spaces.Discrete(3)
        self.context, self.end, self.fail_at = context, end, fail_at

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        self.t = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self.t += 1
        if self.fail_at == self.t:
            raise RuntimeError("the room is on fire")
        pays = np.sum([np.sum(part) for part in action.values()]) if isinstance(action, dict) else np.sum(action)
        return self.observation_space.sample(), float(pays == self.context), self.t >= self.end, self.t >= 6, {}


OBSERVATIONS = [
    spaces.Discrete(5), spaces.Discrete(5, start=-3), spaces.MultiDiscrete([3, 4]), spaces.MultiBinary(3),
    spaces.Box(-1, 1, (3,)), spaces.Box(0, 255, (2, 2), np.uint8),
    spaces.Tuple((spaces.Discrete(3), spaces.Box(-1, 1, (2,)))),
    spaces.Dict({"a": spaces.Discrete(3), "b": spaces.Tuple((spaces.MultiDiscrete([2, 2]), spaces.Box(0, 1, ())))}),
]
ACTIONS = [spaces.Discrete(3), spaces.Discrete(3, start=5), spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(2),
           spaces.Tuple((spaces.Discrete(2), spaces.Discrete(2, start=1))),
           spaces.Dict({"x": spaces.Discrete(2), "y": spaces.MultiDiscrete([2, 2])})]


@pytest.mark.parametrize("space", OBSERVATIONS, ids=str)
def test_every_observation_space_is_learned_in(space):
    agent = experior.ExperiorAgent(Room(space), prior=None, horizon=6, **SMALL).learn(60)
    assert len(agent.returns) == 15 and agent.num_timesteps == 60
    assert agent.predict(space.sample())[0] in range(3)


@pytest.mark.parametrize("space", ACTIONS, ids=str)
def test_every_discrete_action_space_is_acted_in(space):
    from experior.spaces import Actions

    actions = Actions(space)
    for number in range(actions.count):
        action = actions.decode(number)
        assert space.contains(action) and actions.encode(action) == number
    agent = experior.ExperiorAgent(Room(spaces.Discrete(4), space), prior=None, horizon=6, **SMALL).learn(30)
    for deterministic in (False, True):
        assert space.contains(agent.predict(1, deterministic=deterministic)[0])


def test_termination_and_truncation_are_kept_apart():
    told = []

    class Watched(experior.Session):
        def observe(self, *words):
            told.append(words[3:5])
            super().observe(*words)

    for end, expected in ((4, (True, False)), (99, (False, True))):
        agent = experior.ExperiorAgent(Room(spaces.Discrete(4), end=end), prior=None, horizon=6, **SMALL)
        agent._sessions = [Watched(agent.model)]
        told.clear()
        agent.learn(6)
        assert expected in told and all(ends in ((False, False), expected) for ends in told)


@pytest.mark.parametrize("prior", ["max-entropy", "ensemble"])
def test_demonstrations_may_come_from_anywhere(prior):
    env = Room(spaces.Discrete(5))
    observations, actions = np.array([0, 1, 2]), np.array([1, 2])
    ways = [
        [(observations, actions)], [{"observations": observations, "actions": actions}],
        [types.SimpleNamespace(obs=observations, acts=actions, infos=None, terminal=True)],
        types.SimpleNamespace(iterate_episodes=lambda: iter([types.SimpleNamespace(observations=observations,
                                                                                    actions=actions, rewards=None)])),
        [(observations[:2].tolist(), actions.tolist())],
    ]
    size = SMALL | ({"draws": 4} if prior == "max-entropy" else {"networks": 4, "pretrain_steps": 20})
    laws = [experior.ExperiorAgent(env, way, prior=prior, horizon=6, **size).session.law([0.0]) for way in ways]
    assert all(np.array_equal(law, laws[0]) for law in laws)


def test_demonstrations_of_parts_are_read():
    space = spaces.Dict({"place": spaces.Discrete(4), "speed": spaces.Box(-1, 1, (2,))})
    together = {"place": np.array([0, 1, 2]), "speed": np.zeros((3, 2))}
    apart = [{"place": i, "speed": np.zeros(2)} for i in range(3)]
    env = Room(space)
    laws = [experior.ExperiorAgent(env, [(way, [1, 0])], horizon=6, draws=4, **SMALL).session.law([0, 0, 0])
            for way in (together, apart)]
    assert np.array_equal(*laws)


def test_minari_datasets_are_demonstrations(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    buffers = []  # Minari's DataCollector would fill them, but it needs jax
    for seed in range(3):
        seen = {"observations": [env.reset(seed=seed)[0]], "actions": [], "rewards": [], "terminations": [],
                "truncations": []}
        for action in (1, 1, 2, 1, 2, 2):
            observation, reward, terminated, truncated, _ = env.step(action)
            for name, value in zip(seen, (observation, action, reward, terminated, truncated)):
                seen[name].append(value)
        buffers.append(minari.data_collector.EpisodeBuffer(id=seed, seed=seed, **seen))
    dataset = minari.create_dataset_from_buffers(dataset_id="lake/test-v0", buffer=buffers, env=env, eval_env=env,
                                                 algorithm_name="hand", author="us", description="three ways to the goal",
                                                 code_permalink="https://example.org", author_email="a@example.org")
    agent = experior.ExperiorAgent(gymnasium.make("FrozenLake-v1", is_slippery=False), dataset, draws=4, **SMALL)
    assert agent.model.info["demonstrations"] == 3
    agent.learn(60)
    assert agent.returns[0] == 1.0


def test_vector_environments_have_a_learner_per_task():
    for mode in gymnasium.vector.AutoresetMode:
        envs = gymnasium.vector.SyncVectorEnv([lambda i=i: Room(spaces.Discrete(4), context=i) for i in range(3)],
                                              autoreset_mode=mode)
        agent = experior.ExperiorAgent(envs, prior=None, horizon=6, **SMALL).learn(300)
        observed = [session.describe()["observations"] for session in agent._sessions]
        assert len(observed) == 3 and min(observed) == max(observed) > 60
        assert len(agent.returns) >= 45 and set(agent.lengths) == {4}
        actions, state = agent.predict(envs.reset()[0], deterministic=True)
        assert envs.action_space.contains(actions) and state is None


def test_a_callback_sees_every_step_and_stops():
    seen = []

    def callback(local, _):
        seen.append(local["reward"])
        return len(seen) < 7

    agent = experior.ExperiorAgent(Room(spaces.Discrete(4)), prior=None, horizon=6, **SMALL)
    assert agent.learn(100, callback=callback) is agent
    assert len(seen) == 7 == agent.num_timesteps


def test_a_saved_agent_goes_on(tmp_path):
    env = Room(spaces.MultiDiscrete([3, 4]))
    agent = experior.ExperiorAgent(env, prior=None, horizon=6, **SMALL).learn(60)
    agent.save(tmp_path / "agent.zip")
    other = experior.ExperiorAgent.load(tmp_path / "agent.zip", env)
    assert other.returns == agent.returns and other.num_timesteps == 60
    for state in ([0, 0], [2, 3]):
        assert np.array_equal(other.session.law(state), agent.session.law(state))
    other.learn(20)
    (tmp_path / "bad.zip").write_bytes((tmp_path / "agent.zip").read_bytes()[:-40])
    for path, where in ((tmp_path / "bad.zip", env), (tmp_path / "agent.zip", Room(spaces.Discrete(9)))):
        with pytest.raises(experior.InputError):
            experior.ExperiorAgent.load(path, where)


def test_an_environment_that_raises_is_heard():
    env = Room(spaces.Discrete(4), fail_at=3)
    agent = experior.ExperiorAgent(env, prior=None, horizon=6, **SMALL)
    with pytest.raises(RuntimeError, match="on fire"):
        agent.learn(100)
    env.fail_at = None
    agent.learn(20)
    family = experior.Family(lambda c: Room(spaces.Discrete(4), context=c, fail_at=2), [0, 1],
                             expert=lambda observation, context: context, horizon=6)
    with pytest.raises(RuntimeError, match="on fire"):
        family.demonstrate(3)
    with pytest.raises(RuntimeError, match="on fire"):
        experior.simulate(family, "boot_dqn:members=2,hidden=4", problems=1, tasks=1, episodes=3)


@pytest.mark.parametrize("make", [
    lambda: experior.ExperiorAgent(object()),
    lambda: experior.ExperiorAgent(object(), prior=None),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), prior=None),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), prior="max-entropy", horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), prior="wrong", horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4), spaces.Box(-1, 1, (1,))), prior=None, horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Text(4)), prior=None, horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), [([0, 1], [7])], horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), [([0, 9], [1, 1])], horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), [([0], [1, 1, 1])], horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Box(-1, 1, (2,))), [([[0, np.nan]], [1])], horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), [], horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), 5, horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), [([], [])], horizon=6),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), prior=None, horizon=6, wrong=1),
    lambda: experior.ExperiorAgent(Room(spaces.Discrete(4)), prior=None, horizon=0),
])
def test_what_cannot_be_learned_is_refused(make):
    with pytest.raises(experior.InputError):
        make()


def test_observations_outside_are_refused():
    agent = experior.ExperiorAgent(Room(spaces.Discrete(4)), prior=None, horizon=6, **SMALL)
    for observation in (9, -1, 0.5, np.nan, "x", None, np.zeros(2)):
        with pytest.raises(experior.InputError):
            agent.predict(observation)


def test_experts_are_recorded_without_the_context():
    made = experior.demonstrate(lambda c: Room(spaces.Discrete(4), context=c), lambda observation, context: context,
                                [0, 2], 50, horizon=6, seed=4)
    assert len(made) == 50 and made.state_size == 1
    shown = {tuple(set(actions)) for _, actions, _ in made}
    assert shown == {(0,), (2,)}
    same = experior.demonstrate(lambda c: Room(spaces.Discrete(4), context=c), lambda observation, context: context,
                                [0, 2], 50, horizon=6, seed=4)
    assert [actions.tolist() for _, actions, _ in made] == [actions.tolist() for _, actions, _ in same]
    with pytest.raises(experior.InputError, match="outside"):
        experior.demonstrate(lambda c: Room(spaces.Discrete(4)), lambda observation, context: 3, [0], 2, horizon=6)


def test_agents_are_compared_in_anyones_environment():
    family = experior.Family(lambda c: Room(spaces.Discrete(4), context=c), lambda rng: int(rng.integers(3)),
                             expert=lambda observation, context, rng: context, horizon=6)
    agents = ["experior_maxent:members=2,hidden=4,draws=4,warmup=16", "behaviour_cloning:networks=2,hidden=4"]
    results = [experior.simulate(family, agents, problems=2, tasks=2, episodes=8, demonstrations=10, threads=threads)
               for threads in (1, 2)]
    assert results[0].returns.shape == (2, 8) and np.array_equal(results[0].returns, results[1].returns)
    assert results[0].returns.max() <= 4 and np.isnan(results[0].rows[0]["regret"])


@pytest.mark.parametrize("name", experior.envs.IDS)
def test_our_environments_pass_the_check(name):
    check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


def test_our_environments_keep_their_task_until_a_seed_comes():
    env = gymnasium.make("experior/BernoulliBandit-v0", arms=4).unwrapped
    env.reset(seed=1)
    regrets = [env.step(1)[4]["regret"] for _ in range(3) if not env.reset()[1]]
    assert len(set(regrets)) == 1
    env.reset(options={"new_task": True})
    assert env.step(1)[4]["regret"] != regrets[0]
    with pytest.raises(experior.InputError, match="over"):
        env.step(1)
    with pytest.raises(experior.InputError, match="outside"):
        gymnasium.make("experior/DeepSea-v0", size=1)


def test_a_hidden_number_is_the_librarys():
    env = gymnasium.make("experior/FrozenLake-v0")
    demonstrations = env.unwrapped.demonstrate(20)
    agent = experior.ExperiorAgent(env, demonstrations, draws=4, **SMALL)
    assert agent.model.info["categories"] == env.unwrapped._categories
    agent.learn(30)


def test_what_users_of_gymnasium_and_stable_baselines_get_wrong_is_said(tmp_path):
    def refused(part, call, kind=experior.InputError):
        with pytest.raises(kind) as said:
            call()
        assert part in str(said.value), said.value

    refused("give gymnasium.make('CartPole-v1')", lambda: experior.ExperiorAgent("CartPole-v1", prior=None))
    refused("actions must be discrete", lambda: experior.ExperiorAgent(gymnasium.make("Pendulum-v1"), prior=None))
    room = Room(spaces.Discrete(4))
    refused("give horizon=", lambda: experior.ExperiorAgent(room, prior=None))
    agent = experior.ExperiorAgent(room, prior=None, horizon=6, **SMALL)
    refused("callback= is a list", lambda: agent.learn(10, callback=[print]))
    refused("total_timesteps = 10.5", lambda: agent.learn(10.5))
    refused("cannot read", lambda: experior.ExperiorAgent.load(tmp_path / "absent", room), experior.FileError)

    class Old(Room):
        def step(self, action):
            return self.observation_space.sample(), 0.0, True, {}

    class Older(Room):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed)[0]

    refused("step() of the environment returned 4 values", lambda: experior.ExperiorAgent(
        Old(spaces.Discrete(4)), prior=None, horizon=6, **SMALL).learn(5))
    refused("reset() of the environment returned a int", lambda: experior.ExperiorAgent(
        Older(spaces.Discrete(4)), prior=None, horizon=6, **SMALL).learn(5))


def test_a_time_limit_around_an_environment_is_its_horizon():
    limited = gymnasium.wrappers.TimeLimit(Room(spaces.Discrete(4)), 3)
    agent = experior.ExperiorAgent(gymnasium.wrappers.RecordEpisodeStatistics(limited), prior=None, **SMALL)
    assert agent.horizon == 3
    agent.learn(30.0)
    assert set(agent.lengths) == {3} and agent.num_timesteps == 30


def test_learning_in_two_calls_is_learning_in_one(tmp_path):
    """As in Stable-Baselines3, learn goes on; a callback that returns False stops it where it is."""
    def make():
        return experior.ExperiorAgent(gymnasium.make("CartPole-v1"), prior=None, seed=5, **SMALL)

    def stop(local, _):
        return local["self"].num_timesteps < 90

    once, twice, stopped = make().learn(150), make().learn(70).learn(80), make()
    stopped.learn(1000, callback=stop)
    assert stopped.num_timesteps == 90
    stopped.learn(60)
    for other in (twice, stopped):
        assert other.returns == once.returns and other.num_timesteps == 150
        assert np.array_equal(other.session.law(np.zeros(4)), once.session.law(np.zeros(4)))
    once.save(tmp_path / "agent")
    again = experior.ExperiorAgent.load(tmp_path / "agent", gymnasium.make("CartPole-v1"))
    assert again.num_timesteps == 150 and again.returns == once.returns
    assert again.predict(np.ones(4), deterministic=True) == once.predict(np.ones(4), deterministic=True)


def test_the_first_reset_has_the_seed_and_later_ones_have_none():
    seeds = []

    class Noted(Room):
        def reset(self, *, seed=None, options=None):
            seeds.append(seed)
            return super().reset(seed=seed)

    experior.ExperiorAgent(Noted(spaces.Discrete(4)), prior=None, horizon=6, seed=3, **SMALL).learn(20)
    assert seeds[0] == 3 and len(seeds) > 3 and set(seeds[1:]) == {None}
