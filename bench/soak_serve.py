#!/usr/bin/env python3
"""Keeps `experior serve` busy for half an hour and watches whether anything grows: memory, descriptors, the log of the
store, the time of an answer. The load comes from two other processes (wrk): single decisions for 20 experiments over 64
connections, and over one more connection 100 decisions in one request and then their rewards in one batch, 30 times a
second. What the service can do with such a load is measured first, once its cache is full; it is then asked for half of
those single decisions, at a steady pace. Prints a line per interval, the medians of the four quarters, and whether the last
is as the first; then every decision is computed again. Exits with 1 if something grew.

    soak_serve.py [--minutes N] [--rate DECISIONS_PER_SECOND] [--build DIRECTORY]"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--rate", type=float, default=0, help="0: half of what the service can do")
parser.add_argument("--interval", type=int, default=30, help="seconds")
parser.add_argument("--build", default=str(ROOT / "build"))
GIVEN = parser.parse_args()
os.environ["XP_BINARY_DIR"] = str(pathlib.Path(GIVEN.build).resolve())
sys.path.insert(0, str(ROOT / "tests/serve"))

from service import audit, running  # noqa: E402

CONNECTIONS, EXPERIMENTS, PEAK_SECONDS = 64, 20, 20
BATCH, BATCHES_PER_SECOND = 100, 30  # of rewards
WARM_BYTES = 40 << 20  # of the store: by then the cache of pages (16 MiB) is full
GROWTH = 1.05  # of memory from the first quarter to the last that is still called flat
SLOWER = 1.5  # the same of the time of an answer, which the machine disturbs
ASK = """
local headers = {["Content-Type"] = "application/json"}
local ask, count, body = {}, 0, '{BODY}'
for i, name in ipairs({EXPERIMENTS}) do ask[i] = "/v1/experiments/" .. name .. "/decisions" end
function init()
    for i, path in ipairs(ask) do ask[i] = wrk.format("POST", path, headers, body) end
end
function request()
    count = count + 1
    return ask[count % #ask + 1]
end
"""
REWARD = """
local made = {}
local decide = request
function request()
    if #made == 0 then return decide() end
    local items = {}
    for i, name in ipairs(made) do items[i] = '{"decision_id":"' .. name .. '","reward":' .. i % 2 .. '}' end
    made = {}
    return wrk.format("POST", "/v1/rewards", headers, '{"rewards":[' .. table.concat(items, ",") .. "]}")
end
function response(status, _, body)
    for name in body:gmatch('"decision_id":"([^"]+)"') do made[#made + 1] = name end
end
"""
# Requests are due at even intervals; a connection that is free waits until the next is. Without a pace none waits.
PACE = """
local ffi = require("ffi")
ffi.cdef("typedef struct { long s, ns; } moment; int clock_gettime(int, moment *);")
local moment = ffi.new("moment")
local function now()
    ffi.C.clock_gettime(1, moment)
    return tonumber(moment.s) * 1000 + tonumber(moment.ns) / 1e6
end
local due = now()
function delay()
    due = math.max(due + 1000 / RATE, now() - 1000)
    return math.max(0, math.floor(due - now()))
end
"""


def milliseconds(text):
    value, unit = re.fullmatch(r"([0-9.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def wrk(service, folder, name, connections, seconds, script):
    path = pathlib.Path(folder) / f"{name}.lua"
    path.write_text(script)
    return subprocess.Popen(["wrk", "-t1", f"-c{connections}", f"-d{seconds}", "--latency", "-s", str(path),
                             f"http://127.0.0.1:{service.port}"], stdout=subprocess.PIPE, text=True)


def load(service, experiments, folder, seconds, rate=0):
    """Of the single decisions: how many per second, and the median and the 99th percentile of the time of an answer in
    milliseconds; and rewards per second."""
    ask = ASK.replace("EXPERIMENTS", ",".join(f'"{name}"' for name in experiments))
    single = ask.replace("BODY", "") + (PACE.replace("RATE", f"{rate:.1f}") if rate else "")
    batch = ask.replace("BODY", f'"count":{BATCH}') + REWARD + PACE.replace("RATE", str(2 * BATCHES_PER_SECOND))
    both = (wrk(service, folder, "decide", CONNECTIONS, seconds, single),
            wrk(service, folder, "reward", 1, seconds, batch))
    told = [process.communicate()[0] for process in both]
    for process, text in zip(both, told):
        assert process.returncode == 0 and "Non-2xx" not in text and "Socket errors" not in text, text
    decisions, rewards = (float(re.search(r"Requests/sec:\s+([0-9.]+)", text)[1]) for text in told)
    return (decisions, *(milliseconds(re.search(rf"\s{part}%\s+(\S+)", told[0])[1]) for part in (50, 99)),
            rewards / 2 * BATCH)


def look(service):
    """Memory in MiB, open descriptors, the store's log in MiB."""
    place = pathlib.Path("/proc", str(service.process.pid))
    memory = int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    log = service.store.with_name(service.store.name + "-wal")
    return memory, len(list((place / "fd").iterdir())), log.stat().st_size / 2**20 if log.exists() else 0


def watch(service, experiments, folder, rate):
    """One interval. What there is to look at is looked at in its middle, while all connections are open."""
    found = []
    timer = threading.Timer(GIVEN.interval / 2, lambda: found.extend(look(service)))
    timer.start()
    row = load(service, experiments, folder, GIVEN.interval, rate)
    timer.join()
    return *row, *found


def tell(name, row):
    print(name + "%8.0f decisions/s  p50 %6.2f ms  p99 %7.2f ms  %6.0f rewards/s  memory %6.1f MiB  descriptors %3.0f"
          "  log %5.1f MiB" % row, flush=True)


def judge(first, last):
    """What grew, in words."""
    limits = {1: ("p50", SLOWER), 2: ("p99", SLOWER), 4: ("memory", GROWTH), 5: ("descriptors", 1)}
    return [f"{name} grew from {first[at]:.2f} to {last[at]:.2f}" for at, (name, limit) in limits.items()
            if last[at] > first[at] * limit]


def soak(service, folder):
    experiments = [service.create() for _ in range(EXPERIMENTS)]
    while service.store.stat().st_size < WARM_BYTES:
        load(service, experiments, folder, PEAK_SECONDS)
    peak = load(service, experiments, folder, PEAK_SECONDS)
    rate = GIVEN.rate or peak[0] / 2
    print("most: %.0f decisions/s, p50 %.2f ms, p99 %.2f ms, %.0f rewards/s; asked for: %.0f decisions/s" % (*peak, rate),
          flush=True)
    rows = []
    for number in range(max(4, round(60 * GIVEN.minutes / GIVEN.interval))):
        rows.append(watch(service, experiments, folder, rate))
        tell(f"{(number + 1) * GIVEN.interval / 60:5.1f} min", rows[-1])
    quarters = [[statistics.median(column) for column in zip(*rows[len(rows) * i // 4:len(rows) * (i + 1) // 4])]
                for i in range(4)]
    for name, row in zip(("first", "second", "third", "last"), quarters):
        tell(f"{name + ' quarter':14}", tuple(row))
    return judge(quarters[0], quarters[-1])


def main():
    with tempfile.TemporaryDirectory(prefix="experior-soak-", dir=os.environ.get("BENCH_FOLDER")) as folder:
        with running(store=pathlib.Path(folder) / "store.db") as service:
            grown = soak(service, folder)
        print("verdict: " + ("flat" if not grown else "; ".join(grown)), flush=True)
        print(f"store: {service.store.stat().st_size / 2**20:.0f} MiB", flush=True)
        start = time.monotonic()
        print(f"audit: {audit(service.store, seconds=None)} ({time.monotonic() - start:.0f} s)")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
