"""Python, C and the command line give the same numbers for the same seed."""

import json

import gymnasium
import numpy as np

import experior
import experior.envs
from conftest import DATA, same_numbers, tool

experior.envs.register()


def play(session, start, count):
    """The rule of same_numbers.c."""
    actions = []
    for t in range(start, start + count):
        action = session.act()
        session.observe(action, int((t * 7 + action * 3) % 5 < 2))
        actions.append(action)
    return actions


def test_a_bandit_acts_as_in_c(model):
    assert play(experior.Session(model, seed=7), 0, 300) == same_numbers("bandit", 300)


def test_a_session_of_python_goes_on_in_c(model, tmp_path):
    session = experior.Session(model, seed=7)
    play(session, 0, 100)
    model.save(tmp_path / "model.json")
    session.save(tmp_path / "one.session")
    assert play(session, 100, 200) == same_numbers("go_on", tmp_path / "model.json", tmp_path / "one.session", 200)


def test_a_session_of_c_goes_on_in_python(model, tmp_path):
    first = same_numbers("save", tmp_path / "model.json", tmp_path / "one.session", 100)
    whole = experior.Session(model, seed=7)
    assert play(whole, 0, 100) == first
    loaded = experior.Model.load(tmp_path / "model.json")
    session = experior.Session.load(tmp_path / "one.session", loaded)
    assert play(session, 100, 200) == play(whole, 100, 200)


def test_deep_sea_is_learned_as_in_c():
    env = gymnasium.make("experior/DeepSea-v0", size=6)
    demonstrations = env.unwrapped.demonstrate(40, seed=3)
    agent = experior.ExperiorAgent(env, demonstrations, seed=5, members=3, hidden=16, warmup=16, batch=16)
    taken = []

    class SameTask(gymnasium.Wrapper):
        def reset(self, **_):
            return self.env.reset(seed=9) if not taken else self.env.reset()

        def step(self, action):
            taken.append(action)
            return self.env.step(action)

    agent.env = SameTask(env)
    agent.learn(400)
    assert taken == same_numbers("deep_sea", 400)


def test_a_fitted_file_is_the_command_lines(tmp_path):
    tool("fit", DATA / "treatments.csv", "-o", tmp_path / "tool.json")
    experior.Model.fit(DATA / "treatments.csv").save(tmp_path / "python.json")
    assert (tmp_path / "tool.json").read_bytes() == (tmp_path / "python.json").read_bytes()


def test_settings_are_the_command_lines(tmp_path):
    tool("fit", DATA / "treatments.csv", "--beta", "10", "-o", tmp_path / "tool.json")
    experior.Model.fit(DATA / "treatments.csv", beta=10).save(tmp_path / "python.json")
    assert (tmp_path / "tool.json").read_bytes() == (tmp_path / "python.json").read_bytes()
    tool("fit", DATA / "treatments.csv", "--mean", "0.25", "-o", tmp_path / "tool.json")
    experior.Model.fit(DATA / "treatments.csv", mean=0.25).save(tmp_path / "python.json")
    assert (tmp_path / "tool.json").read_bytes() == (tmp_path / "python.json").read_bytes()


def test_a_law_after_a_history_is_the_command_lines(tmp_path):
    tool("fit", DATA / "treatments.csv", "-o", tmp_path / "model.json")
    told = json.loads(tool("decide", tmp_path / "model.json", "--history", DATA / "treatments_history.csv", "--json"))
    model = experior.Model.load(tmp_path / "model.json")
    assert list(model.actions) == told["actions"]
    assert model.law(DATA / "treatments_history.csv").tolist() == told["probabilities"]
    pairs = [("drug A", 1), ("standard care", 0), ("drug A", 1), ("drug A, half dose", 0)]
    assert model.law(pairs).tolist() == told["probabilities"]


def test_simulations_are_the_command_lines():
    for words, env, agent in (
        (("deep_sea", "--size", 5), "deep_sea:size=5", "boot_dqn:members=3,hidden=8"),
        (("bernoulli_bandit", "--arms", 5), "bernoulli_bandit:arms=5", "experior_maxent"),
    ):
        told = json.loads(tool("simulate", "--env", *words, "--agent", agent, "--problems", 2, "--tasks", 2,
                               "--episodes", 20, "--seed", 7, "--json"))
        seen = experior.simulate(env, agent, problems=2, tasks=2, episodes=20, seed=7)
        assert seen.rows[0]["regret"] == told["regret"]
        assert seen.rows[0]["regret_se"] == told["regret_se"]
        if "returns" in told:  # told where there are states
            assert np.array_equal(seen.returns[0], told["returns"])
