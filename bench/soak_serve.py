#!/usr/bin/env python3
"""Keeps `experior serve` busy at a steady rate and watches whether anything grows: memory, descriptors, the log of the
store, the time of an answer. Each client asks for a decision and sends its reward. Prints one line per interval, then the
first and the last quarter of the run beside each other.

    soak_serve.py [--minutes N] [--rate REQUESTS_PER_SECOND] [--clients N] [--build DIRECTORY]"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--rate", type=float, default=2000)
parser.add_argument("--clients", type=int, default=8)
parser.add_argument("--interval", type=float, default=30)
parser.add_argument("--build", default=str(ROOT / "build"))
GIVEN = parser.parse_args()
os.environ["XP_BINARY_DIR"] = str(pathlib.Path(GIVEN.build).resolve())
sys.path.insert(0, str(ROOT / "tests/serve"))

from service import audit, running  # noqa: E402


def client(service, experiment, period, over, times):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)

    def ask(path, body):
        begin = time.perf_counter()
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        assert answer.status == 200, data
        times.append(time.perf_counter() - begin)
        return json.loads(data)

    due = time.perf_counter()
    while not over.is_set():
        row = ask(f"/v1/experiments/{experiment}/decisions", {})["decisions"][0]
        ask("/v1/rewards", {"rewards": [{"decision_id": row["decision_id"], "reward": len(times) % 2}]})
        due = max(due + period, time.perf_counter() - 1)
        time.sleep(max(0, due - time.perf_counter()))


def look(service):
    place = pathlib.Path("/proc", str(service.process.pid))
    memory = int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    log = service.store.with_name(service.store.name + "-wal")
    return memory, len(list((place / "fd").iterdir())), log.stat().st_size / 2**20 if log.exists() else 0


def main():
    with tempfile.TemporaryDirectory(prefix="experior-soak-") as folder:
        with running(store=pathlib.Path(folder) / "store.db") as service:
            experiments = [service.create() for _ in range(20)]
            over, times, rows = threading.Event(), [], []
            workers = [threading.Thread(target=client, args=(service, experiments[i % 20],
                                                             2 * GIVEN.clients / GIVEN.rate, over, times))
                       for i in range(GIVEN.clients)]
            for worker in workers:
                worker.start()
            end = time.monotonic() + 60 * GIVEN.minutes
            while time.monotonic() < end and all(worker.is_alive() for worker in workers):
                time.sleep(GIVEN.interval)
                seen, times[:] = sorted(times), []
                memory, descriptors, log = look(service)
                rows.append((len(seen) / GIVEN.interval, seen[len(seen) // 2] * 1e3, seen[len(seen) * 99 // 100] * 1e3,
                             memory, descriptors, log))
                print("%6.0f requests/s  p50 %6.2f ms  p99 %7.2f ms  memory %6.1f MiB  descriptors %d  log %5.1f MiB"
                      % rows[-1], flush=True)
            assert all(worker.is_alive() for worker in workers), "a client failed"
            over.set()
            for worker in workers:
                worker.join()
        part = max(1, len(rows) // 4)
        for name, which in (("first quarter", rows[:part]), ("last quarter", rows[-part:])):
            print(name + ": %.0f requests/s, p50 %.2f ms, p99 %.2f ms, memory %.1f MiB, descriptors %.0f, log %.1f MiB"
                  % tuple(statistics.median(column) for column in zip(*which)), flush=True)
        print(audit(service.store, seconds=None))


if __name__ == "__main__":
    main()
