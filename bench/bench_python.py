#!/usr/bin/env python3
"""What the Python package costs above C, and how it stands beside peers from PyPI.

    bench_python.py [BUILD_DIRECTORY] [--cffi] [--mabwiser] [--dqn]

Prints lines "measure,value,unit". Without options: act() + observe() and their batched forms beside bench_session (C), in
turn, as medians of processor time. --cffi sets the same two calls through cffi's API mode beside them; --mabwiser compares
decisions per second and regret with MABWiser on the same tasks; --dqn compares environment steps per second of learning on
CartPole with Stable-Baselines3. Each needs its package (cffi, mabwiser, stable-baselines3) beside experior and gymnasium.
"""

import importlib.util
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARMS, PAIRS, BATCH, ROUNDS = 10, 200_000, 1000, 5


def row(measure, value, unit):
    print(f"{measure},{value:.4g},{unit}", flush=True)


def fitted():
    import experior
    import numpy as np

    return experior.Model.fit(np.repeat(np.arange(ARMS), 10 * np.arange(1, ARMS + 1)))


def timed(work):
    start = time.process_time()
    work()
    return 1e9 * (time.process_time() - start) / PAIRS


def python_pairs(model):
    import experior

    session = experior.Session(model)
    act, observe = session.act, session.observe

    def work():
        for i in range(PAIRS):
            observe(act(), i & 1)

    return timed(work)


def python_batches(model):
    import experior
    import numpy as np

    session = experior.Session(model)
    rewards = (np.arange(BATCH) & 1).astype(float)

    def work():
        for _ in range(PAIRS // BATCH):
            session.observe_batch(session.act_batch(BATCH), rewards)

    return timed(work)


def empty_loop():
    def nothing(*_):
        return 0

    def work():
        for i in range(PAIRS):
            nothing(nothing(), i & 1)

    return timed(work)


def c_numbers(build):
    out = subprocess.run([str(build / "bench" / "bench_session")], capture_output=True, text=True, check=True).stdout
    return [float(line.split(",")[1]) for line in out.splitlines()]


def calls(build, with_cffi):
    model = fitted()
    cffi_pairs = cffi_module(build, model) if with_cffi else None
    measured = {"c": [], "c batch": [], "python": [], "python batch": [], "cffi": []}
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows all alike
        one, batch = c_numbers(build)
        measured["c"].append(one)
        measured["c batch"].append(batch)
        measured["python"].append(python_pairs(model))
        measured["python batch"].append(python_batches(model))
        if cffi_pairs is not None:
            measured["cffi"].append(cffi_pairs())
    middle = {name: statistics.median(values) for name, values in measured.items() if values}
    row("act + observe in C", middle["c"], "ns")
    row("act + observe in Python", middle["python"], "ns")
    row("Python above C", middle["python"] - middle["c"], "ns")
    row("two calls of an empty Python function", empty_loop(), "ns")
    row("batches in C", middle["c batch"], "ns per decision")
    row("batches in Python", middle["python batch"], "ns per decision")
    row("batches: Python over C", middle["python batch"] / middle["c batch"], "ratio")
    if "cffi" in middle:
        row("act + observe through cffi", middle["cffi"], "ns")
        row("cffi above C", middle["cffi"] - middle["c"], "ns")


def cffi_module(build, model):
    """The same two calls in cffi's API mode, with the status checks that a binding needs."""
    import cffi

    place = tempfile.mkdtemp()
    ffi = cffi.FFI()
    ffi.cdef("""
        typedef ... xp_model; typedef ... xp_session; typedef ... xp_error;
        typedef struct { const double *state; size_t action; double reward; const double *next_state; int end; ...; }
            xp_transition;
        int xp_model_load(const char *, xp_model **, xp_error *);
        int xp_session_create(const xp_model *, const void *, xp_session **, xp_error *);
        int xp_session_act(xp_session *, const double *, size_t *, xp_error *);
        int xp_session_observe(xp_session *, const xp_transition *, xp_error *);
    """)
    ffi.set_source("_through_cffi", '#include "experior/experior.h"', include_dirs=[str(ROOT / "include")],
                   libraries=["experior"], library_dirs=[str(build)],
                   extra_link_args=[f"-Wl,-rpath,{build}"], extra_compile_args=["-O3", "-w", "-fpermissive"])
    path = ffi.compile(tmpdir=place)
    spec = importlib.util.spec_from_file_location("_through_cffi", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lib, made = module.lib, module.ffi
    model.save(pathlib.Path(place) / "model.json")
    handle = made.new("xp_model **")
    assert lib.xp_model_load(str(pathlib.Path(place) / "model.json").encode(), handle, made.NULL) == 0

    def pairs():
        session = made.new("xp_session **")
        assert lib.xp_session_create(handle[0], made.NULL, session, made.NULL) == 0
        one, action, seen, null = session[0], made.new("size_t *"), made.new("xp_transition *"), made.NULL
        seen.end = 1

        def act():
            if lib.xp_session_act(one, null, action, null) != 0:
                raise ValueError
            return action[0]

        def observe(number, reward):
            seen.action = number
            seen.reward = reward
            if lib.xp_session_observe(one, seen, null) != 0:
                raise ValueError

        def work():
            for i in range(PAIRS):
                observe(act(), i & 1)

        return timed(work)

    return pairs


def mabwiser(tasks=200, decisions=1000):
    import experior
    import numpy as np
    from mabwiser.mab import MAB, LearningPolicy

    random = np.random.default_rng(1)
    shape = random.uniform(1, 9, (2, ARMS))  # each arm's Beta: the family of tasks
    means = random.beta(shape[0], shape[1], (tasks, ARMS))
    chosen = random.beta(shape[0], shape[1], (500, ARMS)).argmax(axis=1)  # what experts chose in 500 other tasks
    luck = random.random((tasks, decisions, ARMS))
    model = experior.Model.fit(chosen, arms=ARMS)

    def with_mabwiser(task):
        bandit = MAB(list(range(ARMS)), LearningPolicy.ThompsonSampling(), seed=task)
        bandit.fit([0], [0])
        return bandit.predict, lambda arm, reward: bandit.partial_fit([arm], [reward])

    def with_experior(**options):
        def start(task):
            session = experior.Session(seed=task, **options)
            return session.act, session.observe
        return start

    ways = {"MABWiser Thompson sampling": with_mabwiser,
            "experior naive_ts": with_experior(model=experior.Model.blank(ARMS)),
            "experior with 500 expert choices": with_experior(model=model)}
    for name, start in ways.items():
        regrets, seconds = [], 0.0
        for task in range(tasks):
            act, observe = start(task)
            regret, begin = 0.0, time.process_time()
            for t in range(decisions):
                arm = act()
                observe(arm, int(luck[task, t, arm] < means[task, arm]))
                regret += means[task].max() - means[task, arm]
            seconds += time.process_time() - begin
            regrets.append(regret)
        row(f"{name}: decisions per second", tasks * decisions / seconds, "1/s")
        row(f"{name}: regret of {decisions} decisions", statistics.mean(regrets), "mean")
        row(f"{name}: regret of {decisions} decisions", statistics.stdev(regrets) / tasks**0.5, "standard error")


def dqn(steps=3000):
    import experior
    import gymnasium

    learned = steps - 128  # both begin to learn after 128 steps
    for members in (25, 1):
        agent = experior.ExperiorAgent(gymnasium.make("CartPole-v1"), prior=None, members=members, hidden=50, batch=128)
        agent.learn(128)
        begin = time.process_time()
        agent.learn(learned)
        row(f"experior boot_dqn, {members} networks: steps", learned / (time.process_time() - begin), "1/s")
    from stable_baselines3 import DQN
    import torch

    torch.set_num_threads(1)
    agent = DQN("MlpPolicy", gymnasium.make("CartPole-v1"), learning_rate=1e-3, buffer_size=10_000, batch_size=128,
                learning_starts=128, train_freq=1, target_update_interval=4, seed=1,
                policy_kwargs={"net_arch": [50, 50]}, device="cpu")
    agent.learn(128)
    begin = time.process_time()
    agent.learn(learned, reset_num_timesteps=False)
    row("Stable-Baselines3 DQN, 1 network: steps", learned / (time.process_time() - begin), "1/s")


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    build = pathlib.Path(words[0] if words else ROOT / "build").resolve()
    if importlib.util.find_spec("experior") is None:
        print("bench_python.py: the package experior is not installed here; left out", file=sys.stderr)
        return
    if "--mabwiser" in sys.argv:
        mabwiser()
    if "--dqn" in sys.argv:
        dqn()
    if "--mabwiser" not in sys.argv and "--dqn" not in sys.argv:
        calls(build, "--cffi" in sys.argv)


if __name__ == "__main__":
    main()
