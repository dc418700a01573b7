#!/usr/bin/env python3
"""Kills `experior decide --state` and `experior observe` at random moments, over and over on one state file, and keeps
books of what was acknowledged. After each kill the file must load and agree with the books.

    kills.py [KILLS [SEED]]     prints what was done; an offence ends it with a traceback"""

import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cli_tool import BUILD, HERE, SOURCE, TOOL, environment, load, run, write  # noqa: E402


class Books:
    """What the state must hold: actions of pending decisions by number, and the (action, reward) pairs that count."""

    def __init__(self, model, state, environ):
        self.model, self.state, self.environ = model, state, environ
        self.pending, self.history, self.next = {}, [], 1
        self.kills = self.acknowledged = self.unacknowledged = 0

    def attempt(self, words, seconds):
        """Starts a command and kills it after so long unless it has ended; its answer, or None."""
        process = subprocess.Popen([TOOL, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=HERE, env=self.environ)
        time.sleep(seconds)
        process.kill()
        out, err = process.communicate(timeout=60)
        assert process.returncode in (0, -9), f"{words}: {process.returncode}: {err}"
        self.kills += process.returncode == -9
        # An answer counts once it is whole, even if the process was killed before it could end.
        return load(out) if out.endswith("}\n") else None

    def listed(self):
        if not (HERE / self.state).exists():
            return {"pending_decisions": [], "next_decision_id": 1, "observations": 0}
        return load(run("observe", self.model, "--state", self.state, "--list", "--json").stdout)

    def decide(self, count, seconds):
        answer = self.attempt(["decide", self.model, "--state", self.state, "--draw", "--count", str(count)], seconds)
        found = self.listed()
        made = {one["decision_id"]: one["action"] for one in found["pending_decisions"] if one["decision_id"] >= self.next}
        if answer is not None:
            told = {one["decision_id"]: one["action"] for one in answer["decisions"]}
            assert told == made and len(told) == count, f"acknowledged {told}, but the file has {made}"
            self.acknowledged += 1
        assert len(made) in (0, count) and found["next_decision_id"] == self.next + len(made), found
        self.unacknowledged += answer is None and len(made) > 0
        self.pending.update(made)
        self.next += len(made)

    def observe(self, rewards, seconds):
        words = [word for number, reward in rewards.items() for word in ("--decision", str(number), "--reward", str(reward))]
        answer = self.attempt(["observe", self.model, "--state", self.state, *words], seconds)
        left = {one["decision_id"] for one in self.listed()["pending_decisions"]}
        done = [number for number in rewards if number not in left]
        assert len(done) in (0, len(rewards)), f"only {done} of {rewards} count"
        if answer is not None:
            assert done, f"the rewards {rewards} were acknowledged and are lost"
            self.acknowledged += 1
        self.unacknowledged += answer is None and len(done) > 0
        self.history += [(self.pending.pop(number), rewards[number]) for number in done]

    def check(self):
        found = self.listed()
        assert {one["decision_id"]: one["action"] for one in found["pending_decisions"]} == self.pending
        assert found["observations"] == len(self.history), (found["observations"], len(self.history))
        assert found["next_decision_id"] == self.next

    def check_law(self):
        """The state has learned what the books say, from those rewards and no others."""
        rows = "".join(f'"{action}",{reward}\n' for action, reward in self.history)
        history = write("books.csv", "action,reward\n" + rows)
        wanted = load(run("decide", self.model, "--history", history, "--json").stdout)["probabilities"]
        got = load(run("decide", self.model, "--state", self.state, "--json").stdout)["probabilities"]
        assert max(abs(a - b) for a, b in zip(wanted, got)) < 1e-9, (wanted, got)


def kill_at_random(kills, seed=1, **more):
    """Books after so many kills; `more` goes to the environment of what is killed."""
    model, state = "kills.json", f"kills-{len(list(HERE.iterdir()))}.state"
    run("fit", SOURCE / "examples/data/treatments.csv", "-o", model)
    luck, books = random.Random(seed), Books(model, state, environment(**more))
    latest, turns = 0.02, 0  # seconds; it is moved so that about every other command is killed while it runs
    while books.kills < kills:
        turns += 1
        assert turns < 100 * kills, "nothing is killed"
        before = books.kills
        moment = luck.uniform(0, latest)
        if books.pending and luck.random() < 0.6:
            chosen = luck.sample(sorted(books.pending), min(len(books.pending), luck.choice([1, 1, 2])))
            books.observe({number: luck.randint(0, 1) for number in chosen}, moment)
        else:
            books.decide(luck.choice([1, 1, 3]), moment)
        latest = min(0.5, latest * 1.1) if books.kills > before else max(0.001, latest * 0.9)
        books.check()
    books.check_law()
    return books


def powerless():
    """The environment in which what was not synced is lost with the process (unsynced.c)."""
    side = HERE / "side-of-kills"
    side.mkdir(exist_ok=True)
    return {"LD_PRELOAD": str(BUILD / "tests" / "unsynced.so"), "UNSYNCED_AREA": os.path.realpath(HERE),
            "UNSYNCED_SIDE": str(side), "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for title, environ in (("killed", {}), ("killed, and what was not synced lost", powerless()),
                           ("the same with late renames", {**powerless(), "UNSYNCED_RENAME": "late"})):
        done = kill_at_random(wanted, start, **environ)
        print(f"{title}: {done.kills} kills; {done.acknowledged} commands acknowledged, {done.unacknowledged} killed "
              f"between disk and answer; {done.next - 1} decisions, {len(done.history)} rewards, {len(done.pending)} "
              "pending: as in the books after each kill", flush=True)
