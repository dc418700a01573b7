"""What was acknowledged survives the end of the process, at whatever moment it comes."""

import sys

import kills
from service import INSTRUMENTED, run_claims


def claim_kills_under_load_lose_nothing_and_count_nothing_twice():
    decisions, rewards, *_ = kills.run(5 if INSTRUMENTED else 20)
    assert decisions > 0 and rewards > 0


def claim_a_loss_of_power_loses_nothing_that_was_acknowledged():
    decisions, rewards, *_ = kills.run(3 if INSTRUMENTED else 20, power=True)
    assert decisions > 0 and rewards > 0


def claim_a_service_that_does_not_sync_is_found_out():
    for sync in ("off", "normal"):
        try:
            kills.run(10, options=("--sync", sync), power=True)
        except (AssertionError, KeyError):
            continue
        raise AssertionError(f"--sync {sync} lost nothing")


if __name__ == "__main__":
    run_claims(sys.modules[__name__])
