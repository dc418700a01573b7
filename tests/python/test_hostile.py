"""Whatever is thrown at the package comes back as an exception with a sentence."""

import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import experior
from experior import _core


def refused(match=None):
    return pytest.raises(experior.InputError, match=match)


@pytest.mark.parametrize("data", [[], [[0, 1], [1, 0]], [0.5, 1], [0, float("nan")], [None, "a"], np.zeros((2, 2)), 7,
                                  np.array(0), object(), [1 + 2j, 3], {"a": 1}, ["a"], [0]])
def test_choices_that_cannot_be(data):
    with pytest.raises((experior.Error, MemoryError)):
        experior.Model.fit(data)


@pytest.mark.parametrize("action", [-1, 4, 2**40, 2**80, 1.0, 0.5, "1", None, [1], np.array([1, 2]), np.nan, {}])
def test_actions_outside(model, action):
    with refused():
        experior.Session(model).observe(action, 1)


@pytest.mark.parametrize("reward", [0.5, float("nan"), float("inf"), -1, "1", None, [1, 0], 1e300, 2**2000])
def test_rewards_that_cannot_be(model, reward):
    with refused():
        experior.Session(model).observe(0, reward)


@pytest.mark.parametrize("actions, rewards", [
    ([0, 1], [1]), ([0, 9], [1, 1]), ([0, -1], [1, 1]), ([0, 1], [1, 0.5]), ([0, 1], [1, np.nan]), ([0.5], [1]),
    ([[0, 1]], [1]), (["a"], [1]), ([2**70], [1]), (None, [1]), ([0], None), ([0], ["x"])])
def test_batches_that_cannot_be(model, actions, rewards):
    session = experior.Session(model)
    law = session.law()
    with refused():
        session.observe_batch(actions, rewards)
    assert np.array_equal(session.law(), law) and session.describe()["observations"] == 0


def test_layouts_that_are_not_plain_are_taken_right(model):
    wide = np.array([[1, 9], [1, 9], [0, 9]], dtype=np.int16)
    pay = np.array([1, 5, 0, 5, 1, 5], dtype=np.float32)
    one, two = experior.Session(model), experior.Session(model)
    one.observe_batch(wide[:, 0], pay[::2])
    two.observe_batch([1, 1, 0], [1, 0, 1])
    assert np.array_equal(one.law(), two.law())
    swapped = np.array([1, 1, 0], dtype=">i8")
    three = experior.Session(model)
    three.observe_batch(swapped, np.array([1, 0, 1], dtype=">f8"))
    assert np.array_equal(three.law(), two.law())


def test_the_extension_module_trusts_nothing(model):
    session = experior.Session(model)
    fixed = np.zeros(4)
    fixed.flags.writeable = False
    for call in (
        lambda: session._act_batch(np.zeros(3)), lambda: session._act_batch(np.zeros(3, np.int32)),
        lambda: session._act_batch(np.zeros(6, np.int64)[::2]), lambda: session._act_batch(b"12345678"),
        lambda: session._law(None, 0, np.zeros(3)), lambda: session._law(None, 0, fixed),
        lambda: session._law(np.zeros(2), 0, np.zeros(4)), lambda: session._observe_batch(np.zeros(1, np.int64)),
        lambda: session.observe(), lambda: session.observe(0), lambda: session.act(1, 2),
        lambda: session._draw_means(1, np.zeros(3)), lambda: session._restore(b"", "x", None, None, 4, 0),
        lambda: _core.Session().act(), lambda: _core.Session()._open(None, None, 1, 1, None, None, None),
        lambda: _core.Session()._open(None, "naive_ts", 1, 1, (0, None, (), 1), None, None),
        lambda: _core.Session()._open(None, "naive_ts", 1, 1, (2, ("a",), (), 1), None, None),
        lambda: _core.Session()._open(3, "naive_ts", 1, 1, None, None, None),
        lambda: _core.model_parse(b"rubbish", "x"), lambda: _core.env_create("nowhere", 1),
        lambda: _core.env_create("deep_sea:size=5", 1).task().reset(np.zeros(1)),
    ):
        with pytest.raises((experior.Error, TypeError)):
            call()
    for call in (lambda: session.observe(0, 1, wrong=1), lambda: session.observe(0, 1, action=0),
                 lambda: session.act(states=1)):
        with pytest.raises((TypeError, experior.InputError)):
            call()
    with pytest.raises(TypeError):
        _core.Model()
    assert session.act() in range(4)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "x", None])
def test_seeds_that_cannot_be(model, seed):
    with refused("seed"):
        experior.Session(model, seed=seed)


def test_specs_files_and_columns_that_do_not_exist(model, tmp_path):
    with refused("no_such"):
        experior.Session(model, agent="no_such")
    with refused("segments"):
        experior.Session(model, segment="old")
    with pytest.raises(experior.FileError):
        experior.Model.load(tmp_path / "none.json")
    with pytest.raises(OSError):
        experior.Session.load(tmp_path / "none", model)
    with pytest.raises(experior.FileError):
        model.save(tmp_path / "no" / "folder" / "m.json")
    (tmp_path / "bad").write_bytes(b"\xff\x00rubbish")
    with pytest.raises(experior.Error):
        experior.Model.load(tmp_path / "bad")
    with pytest.raises(experior.Error):
        experior.Session.load(tmp_path / "bad", model)
    with pytest.raises(ValueError):
        experior.Model.load("a\0b")
    with refused("no column"):
        experior.Model.fit(pytest.importorskip("pandas").DataFrame({"x": [1, 2]}))


def test_a_damaged_session_never_crashes(model):
    session = experior.Session(model)
    whole = session.to_bytes()
    random = np.random.default_rng(1)
    for _ in range(200):
        data = bytearray(whole[: random.integers(len(whole) + 1)])
        for place in random.integers(0, max(1, len(data)), 3):
            if data:
                data[place] ^= int(random.integers(1, 256))
        try:
            session._restore(bytes(data), "damaged", model._core, None, 4, 0)
        except experior.Error:
            pass
    assert session.act() in range(4)


def test_a_session_of_another_model_is_refused(model):
    other = experior.Model.fit([0, 1, 1, 2, 3])
    state = experior.Session(model).__getstate__()
    with refused():
        experior.Session.__new__(experior.Session).__setstate__({**state, "model": other})


def test_a_dead_session_says_so(model):
    session = experior.Session(model)
    session.close()
    never = experior.Session.__new__(experior.Session)
    for dead in (session, never):
        for call in (dead.act, lambda: dead.observe(0, 1), lambda: dead.law(), lambda: dead.act_batch(2),
                     lambda: pickle.dumps(session), dead.to_bytes, lambda: dead.save("x"), dead.best):
            with refused("closed"):
                call()
        dead.close()
    assert "closed" in repr(session)


def test_a_model_outlives_its_name(choices):
    session = experior.Session(experior.Model.fit(choices))
    session.model = None
    import gc

    gc.collect()
    assert session.act() in range(4)


def test_threads_that_share_a_session_are_told(model):
    session = experior.Session(experior.Model.fit(np.arange(50) % 50, agent="experior_maxent:beta=10"))
    told, good = [], []

    def work():
        for _ in range(40):
            try:
                session.act_batch(50)
                good.append(1)
            except experior.InputError as error:
                told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert good and all("another thread" in sentence for sentence in told)


def test_threads_with_their_own_sessions_agree_with_one(model):
    def actions(seed):
        session = experior.Session(model, seed=seed)
        return session.act_batch(2000).tolist()

    alone = [actions(seed) for seed in range(4)]
    found = [None] * 4

    def work(seed):
        found[seed] = actions(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_goes_on_alone(model):
    session = experior.Session(model, seed=3)
    child = os.fork()
    if child == 0:
        try:
            ok = len(session.act_batch(100)) == 100
            experior.simulate("bernoulli_bandit:arms=3", "naive_ts", problems=1, tasks=4, episodes=10, threads=2)
            os._exit(0 if ok else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert session.act_batch(100).tolist() == experior.Session(model, seed=3).act_batch(100).tolist()


def test_ctrl_c_ends_a_long_call(tmp_path):
    code = (
        "import sys, experior\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    experior.simulate('bernoulli_bandit:arms=50', 'experior_maxent:beta=10', problems=64, tasks=1024,\n"
        "                      episodes=100000)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    import time

    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert out == "stopped\n" and process.returncode == 0
