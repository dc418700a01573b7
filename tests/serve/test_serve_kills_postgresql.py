"""What was acknowledged survives the end of the service and of the PostgreSQL server, at whatever moment it comes."""

import os
import sys

os.environ["XP_STORE"] = "postgresql"

import kills  # noqa: E402
from service import INSTRUMENTED, run_claims  # noqa: E402


def claim_kills_of_service_and_server_lose_nothing_and_count_nothing_twice():
    decisions, rewards, _, killed = kills.run(6 if INSTRUMENTED else 20, postgresql={})
    assert decisions > 0 and rewards > 0
    assert len(killed) == 3, killed


def claim_a_service_that_does_not_wait_for_the_disk_is_found_out():
    try:  # the server keeps what was committed in its memory for so long
        kills.run(10, options=("--sync", "off"), postgresql={"wal_writer_delay": "10s"})
    except (AssertionError, KeyError):
        return
    raise AssertionError("--sync off lost nothing")


if __name__ == "__main__":
    run_claims(sys.modules[__name__])
