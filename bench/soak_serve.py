#!/usr/bin/env python3
"""Keeps `experior serve` busy for half an hour and watches whether anything grows: memory, descriptors, the log of the
store, the time of an answer. The load comes from another process (wrk) over 64 connections: single decisions for 20
experiments, and after every 1,000 of them the last 100 rewards of one experiment in a batch. What the service can do with such
a load is measured first, once its cache is full; it is then asked for half of that, at a steady pace. Prints a line per interval, the medians of the four quarters, and whether the last is as the
first; then every decision is computed again. Exits with 1 if something grew.

    soak_serve.py [--minutes N] [--rate REQUESTS_PER_SECOND] [--build DIRECTORY]"""

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

CONNECTIONS, EXPERIMENTS, BATCH, EVERY, PEAK_SECONDS = 64, 20, 100, 1000, 20
WARM_BYTES = 40 << 20  # of the store: by then the cache of pages (16 MiB) is full
GROWTH = 1.05  # of memory from the first quarter to the last that is still called flat
SLOWER = 1.5  # the same of the time of an answer, which the machine disturbs
# Requests are due at even intervals; a connection that is free waits until the next is. Without a rate none waits.
ASK = """
local ffi = require("ffi")
ffi.cdef("typedef struct { long s, ns; } moment; int clock_gettime(int, moment *);")
local moment = ffi.new("moment")
local function now()
    ffi.C.clock_gettime(1, moment)
    return tonumber(moment.s) * 1000 + tonumber(moment.ns) / 1e6
end
local headers = {["Content-Type"] = "application/json"}
local ask, made, count, due = {}, {}, 0, now()
local wanted, lucky = {EXPERIMENTS}, 0 -- the experiment whose decisions are rewarded next
function init()
    for i, name in ipairs(wanted) do ask[i] = wrk.format("POST", "/v1/experiments/" .. name .. "/decisions", headers, "{}") end
end
function request()
    count = count + 1
    if count >= EVERY and #made >= BATCH then
        local items = {}
        for i, name in ipairs(made) do items[i] = '{"decision_id":"' .. name .. '","reward":' .. i % 2 .. '}' end
        made, count, lucky = {}, 0, (lucky + 1) % #wanted
        return wrk.format("POST", "/v1/rewards", headers, '{"rewards":[' .. table.concat(items, ",") .. "]}")
    end
    return ask[count % #ask + 1]
end
function response(status, _, body)
    if #made >= BATCH then return end
    local name = body:match('"decision_id":"(' .. wanted[lucky + 1] .. '[^"]+)"')
    if name then made[#made + 1] = name end
end
"""
PACE = """
function delay()
    due = math.max(due + 1000 / RATE, now() - 1000)
    return math.max(0, math.floor(due - now()))
end
"""


def milliseconds(text):
    value, unit = re.fullmatch(r"([0-9.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def load(service, experiments, folder, seconds, rate=0):
    """Requests per second, and the median and the 99th percentile of the time of an answer in milliseconds."""
    names = ",".join(f'"{name}"' for name in experiments)
    script = pathlib.Path(folder) / "ask.lua"
    script.write_text((ASK + (PACE if rate else "")).replace("EXPERIMENTS", names).replace("BATCH", str(BATCH))
                      .replace("EVERY", str(EVERY)).replace("RATE", f"{rate:.1f}"))
    told = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency", "-s", str(script),
                           f"http://127.0.0.1:{service.port}"], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in told and "Socket errors" not in told, told
    return (float(re.search(r"Requests/sec:\s+([0-9.]+)", told)[1]),
            *(milliseconds(re.search(rf"\s{part}%\s+(\S+)", told)[1]) for part in (50, 99)))


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
    print(name + "%8.0f requests/s  p50 %6.2f ms  p99 %7.2f ms  memory %6.1f MiB  descriptors %3.0f  log %5.1f MiB" % row,
          flush=True)


def judge(first, last):
    """What grew, in words."""
    names = ("p50", "p99", "memory", "descriptors")
    limits = (SLOWER, SLOWER, GROWTH, 1)
    return [f"{name} grew from {a:.2f} to {b:.2f}" for name, limit, a, b in
            zip(names, limits, first[1:5], last[1:5]) if b > a * limit]


def soak(service, folder):
    experiments = [service.create() for _ in range(EXPERIMENTS)]
    while service.store.stat().st_size < WARM_BYTES:
        load(service, experiments, folder, PEAK_SECONDS)
    peak = load(service, experiments, folder, PEAK_SECONDS)
    rate = GIVEN.rate or peak[0] / 2
    print("most: %.0f requests/s, p50 %.2f ms, p99 %.2f ms; asked for: %.0f requests/s" % (*peak, rate), flush=True)
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
