#!/usr/bin/env python3
"""State files under kill -9 at random moments, and under several shells at once. `kills.py 200` does more of the former."""

import fcntl
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
import kills  # noqa: E402
from cli_tool import HERE, TOOL, environment, fitted, load, run  # noqa: E402

KILLS = 10


def claim_a_command_killed_at_a_random_moment_loses_nothing_that_it_acknowledged():
    assert kills.kill_at_random(KILLS).kills == KILLS


def claim_nor_if_what_was_not_synced_is_lost_with_it():
    assert kills.kill_at_random(KILLS, **kills.powerless()).kills == KILLS


def claim_what_killed_writers_leave_behind_does_not_add_up():
    left = [file.name for file in HERE.iterdir() if ".state." in file.name and not file.name.endswith(".lock")]
    assert len(left) <= 2, left  # at most one for each of the two files above


def claim_several_shells_at_once_lose_nothing():
    shells, rounds = 4, 8
    model = fitted("shells", [0, 0, 1, 1, 2, 2, 2])
    shared = ["--state", "shells.state", "--json"]
    seen, lock = [], threading.Lock()

    def tool(*words):
        done = subprocess.run([TOOL, *words], capture_output=True, text=True, cwd=HERE, env=environment(), check=False)
        assert done.returncode == 0, done.stderr
        return load(done.stdout)

    def shell(number):
        for turn in range(rounds):
            drawn = tool("decide", model, *shared, "--draw")
            reward = (number + turn) % 2
            tool("observe", model, *shared, "--decision", str(drawn["decision_id"]), "--reward", str(reward))
            with lock:
                seen.append((drawn["decision_id"], drawn["action"], reward))

    threads = [threading.Thread(target=shell, args=(number,)) for number in range(shells)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for number, _, _ in seen) == list(range(1, shells * rounds + 1)), seen
    books = kills.Books(model, "shells.state", environment())
    books.history, books.next = [(action, reward) for _, action, reward in seen], shells * rounds + 1
    books.check()
    books.check_law()


def claim_one_who_waits_for_the_lock_meets_the_file_that_replaced_the_old_one():
    # Two that wait at once: each sees what the other has done, so their numbers differ.
    model = fitted("waits", [0, 0, 1])
    run("decide", model, "--state", "waits.state", "--draw")
    with open(HERE / "waits.state.lock", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = [subprocess.Popen([TOOL, "decide", model, "--state", "waits.state", "--draw", "--json"], text=True,
                                    stdout=subprocess.PIPE, cwd=HERE, env=environment()) for _ in range(2)]
        # Who only asks does not wait.
        assert load(run("decide", model, "--state", "waits.state", "--json").stdout)["pending"] == 1
        assert all(process.poll() is None for process in waiting)
    numbers = sorted(load(process.communicate(timeout=60)[0])["decision_id"] for process in waiting)
    assert numbers == [2, 3], numbers


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
