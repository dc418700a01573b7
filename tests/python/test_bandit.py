"""Models and sessions of bandits."""

import copy
import pickle

import numpy as np
import pytest

import experior
from conftest import DATA


def test_lists_arrays_and_series_teach_the_same(choices):
    pandas = pytest.importorskip("pandas")
    law = experior.Model.fit(choices).law()
    for same in (choices.tolist(), tuple(choices.tolist()), choices.astype(np.uint8), choices.astype(float),
                 pandas.Series(choices), np.repeat(choices, 2)[::2]):
        assert np.array_equal(experior.Model.fit(same).law(), law)


def test_a_data_frame_is_read_as_its_csv(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(DATA / "treatments.csv")
    frame = frame.loc[frame.index.repeat(frame["count"]), ["action"]]
    frame.to_csv(tmp_path / "rows.csv", index=False)
    experior.Model.fit(frame).save(tmp_path / "frame.json")
    experior.Model.fit(tmp_path / "rows.csv").save(tmp_path / "table.json")
    assert (tmp_path / "frame.json").read_bytes() == (tmp_path / "table.json").read_bytes()


def test_segments_come_from_a_column_or_an_array():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(1)
    ages = np.array(["old", "young"])[random.integers(0, 2, 400)]
    drugs = np.where(random.random(400) < np.where(ages == "old", 0.8, 0.3), "A", "B")
    drugs[:2], ages[:2] = ["A", "B"], ["old", "young"]
    by_column = experior.Model.fit(pandas.DataFrame({"drug": drugs, "age": ages}), action="drug", by="age")
    by_array = experior.Model.fit(drugs, by=ages)
    assert set(by_column.segments) == set(by_array.segments) == {"old", "young"}
    assert by_column.law(segment="old")[0] > by_column.law(segment="young")[0]
    assert np.allclose(by_column.law(segment="old"), by_array.law(segment="old"))
    assert np.array_equal(by_array.segment("old").law(), by_array.law(segment="old"))
    assert by_array.pooling["segments"] == 2


def test_names_are_what_a_session_says_and_hears():
    model = experior.Model.fit(["walk", "bus", "walk", "car"])
    session = experior.Session(model, seed=2)
    action = session.act()
    assert model.actions == ("walk", "bus", "car") and action in model.actions
    session.observe(action, 1)
    session.observe(2, 0)  # by number, too
    assert set(session.act_batch(50)) <= set(model.actions)
    assert session.describe()["observations"] == 2


def test_numbers_that_are_names_come_back_as_numbers(tmp_path):
    model = experior.Model.fit([10, 20, 20])
    assert model.actions == (10, 20)
    model.save(tmp_path / "model.json")
    session = experior.Session(experior.Model.load(tmp_path / "model.json"))
    session.observe(20, 1)
    assert session.act() in (10, 20)
    with pytest.raises(experior.InputError, match="not one of"):
        session.observe(1, 1)


def test_arms_that_nobody_chose_can_be_declared():
    assert experior.Model.fit([0, 1, 1], arms=5).actions == (0, 1, 2, 3, 4)


def test_batches_are_single_calls(model):
    one, batch = experior.Session(model, seed=4), experior.Session(model, seed=4)
    actions = batch.act_batch(40)
    singles = []
    for _ in range(40):
        one.begin()
        singles.append(one.act())
    assert actions.tolist() == singles
    rewards = (np.arange(40) % 3 == 0).astype(float)
    batch.observe_batch(actions, rewards)
    for action, reward in zip(singles, rewards):
        one.observe(action, reward)
    assert np.array_equal(one.law(), batch.law())


def test_sums_are_their_rewards(model):
    one, late = experior.Session(model), experior.Session(model)
    one.observe_batch([1] * 5, [1, 0, 0, 1, 0])
    late.observe_sum(1, 5, 2)
    assert np.allclose(one.law(), late.law(), atol=1e-12)


def test_arrays_of_the_right_kind_are_not_copied(model):
    actions, rewards = np.zeros(3, dtype=np.int64), np.zeros(3)
    session = experior.Session(model)
    assert np.shares_memory(session._numbers(actions), actions)
    from experior._support import doubles

    assert np.shares_memory(doubles(rewards, "rewards"), rewards)


def test_sessions_go_on_after_files_and_pickles(model, tmp_path):
    session = experior.Session(model, seed=9)
    for _ in range(20):
        session.observe(session.act(), 1)
    session.save(tmp_path / "s")
    others = [experior.Session.load(tmp_path / "s", model), pickle.loads(pickle.dumps(session)), copy.copy(session),
              copy.deepcopy(session)]
    ahead = [session.act() for _ in range(30)]
    for other in others:
        assert [other.act() for _ in range(30)] == ahead


def test_models_come_back_from_files_and_pickles(model, tmp_path):
    model.save(tmp_path / "m.json")
    for other in (experior.Model.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(other.law(), model.law())
        assert np.array_equal(other.action_counts, [6, 30, 14, 2])


def test_histories_may_be_pairs_arrays_dicts_and_frames(model):
    pandas = pytest.importorskip("pandas")
    pairs = [(1, 1), (0, 0)]
    law = model.law(pairs)
    frame = pandas.DataFrame(pairs, columns=["action", "reward"])
    for same in (([1, 0], [1, 0]), {"action": [1, 0], "reward": [1, 0]}, frame, iter(pairs)):
        assert np.array_equal(model.law(same), law)


def test_the_best_arm_is_the_likeliest(model):
    session = experior.Session(model)
    assert session.best() == 1
    session.observe_sum(1, 100, 0)
    session.observe_sum(0, 100, 90)
    assert session.best() == 0


def test_inspection_tells_what_the_prior_is_worth(model):
    found = model.inspect(tasks=50, episodes=50)
    assert np.isclose(found.probability.sum(), 1) and np.isclose(found.share.sum(), 1)
    assert found.curve.shape[0] == 4 and found.quantiles.shape == (4, 5)
    assert found.answer and found.answer.split(":")[0] in found._repr_html_().replace("&#x27;", "'")
    assert np.allclose(found.probability, model.law())


def test_a_model_is_an_estimator():
    base = pytest.importorskip("sklearn.base")
    unfitted = experior.Model("naive_ts", seed=3)
    fitted = base.clone(unfitted).fit([0, 1, 1])
    assert fitted.get_params() == unfitted.get_params()
    again = base.clone(fitted)
    with pytest.raises(experior.InputError, match="not fitted"):
        again.law()
    assert np.array_equal(again.fit([0, 1, 1]).law(), fitted.law())


def test_choices_on_which_pandas_is_not_needed():
    import subprocess
    import sys

    code = "import sys, experior; experior.Model.fit([0, 1, 1]); assert 'pandas' not in sys.modules; " \
           "assert 'gymnasium' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_trajectories_of_plain_arrays_teach_a_model_with_states():
    walks = [(np.array([[0.0], [1.0], [2.0]]), np.array([1, 1])), {"observations": [[0.0], [1.0]], "actions": [0]}]
    model = experior.Model.fit(walks, agent="behaviour_cloning:networks=2,hidden=8")
    assert model.info["categories"] == (2,)
    session = experior.Session(model)
    assert session.act([0.0]) in (0, 1)
    session.observe(0, 1.5, [1.0], terminated=True)


def test_progress_is_told_and_stops_a_call():
    told = []
    experior.simulate("bernoulli_bandit:arms=3", "naive_ts", problems=2, tasks=4, episodes=50,
                      progress=lambda done, total: told.append((done, total)))
    assert told and told[-1][0] == told[-1][1]

    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with pytest.raises(Stop):
        experior.simulate("bernoulli_bandit:arms=3", "naive_ts", problems=2, tasks=4, episodes=50, progress=stop)


def test_agents_that_need_no_model_take_a_space(tmp_path):
    for space, actions in ((3, (0, 1, 2)), (["a", "b"], ("a", "b"))):
        assert np.allclose(experior.Model.blank(space).law(), 1 / len(actions), atol=1e-9)
        session = experior.Session(agent="naive_ucb", space=space, seed=2)
        assert session.actions == actions and session.act() in actions
        session.observe(actions[0], 1)
        session.save(tmp_path / "s")
        again = experior.Session.load(tmp_path / "s", space=space)
        assert [again.act() for _ in range(9)] == [session.act() for _ in range(9)]
    for bad in (1, "x", 2.5, {}, (1, 2)):
        with pytest.raises(experior.InputError):
            experior.Session(agent="naive_ucb", space=bad)
