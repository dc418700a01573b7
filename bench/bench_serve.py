#!/usr/bin/env python3
"""Decisions per second of `experior serve`, asked one by one over 64 connections by another process (wrk) on the same
machine, each acknowledged when it is on the disk; with one experiment and with 1,000, in SQLite and in PostgreSQL. Beside
it, by turns in the same run, what the store can do by itself when it is given groups of the same size, and how many requests
that need no store (GET /healthz) are answered: the rest of the way, and of the machine, belongs to HTTP and to wrk. Figures
are medians over the rounds. Prints lines "measure,value,unit".

    bench_serve.py [BUILD_DIRECTORY [SECONDS [ROUNDS]]]"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
os.environ["XP_BINARY_DIR"] = str(BUILD)
sys.path.insert(0, str(ROOT / "tests/serve"))

import stores  # noqa: E402
from service import running, uses_postgresql  # noqa: E402

CONNECTIONS = 64
ASK = """
local asked, at = {}, 0
function init()
    for i, path in ipairs(%s) do asked[i] = wrk.format("POST", path, {["Content-Type"] = "application/json"}, "{}") end
end
function request()
    at = at %% #asked + 1
    return asked[at]
end
"""


def milliseconds(text):
    value, unit = re.fullmatch(r"([0-9.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def figures(service):
    text = service.good("GET", "/metrics")
    return {name: float(value) for name, value in re.findall(r"^experior_(\w+) ([0-9.e+]+)$", text, flags=re.M)}


def processor_seconds(service):
    fields = pathlib.Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wrk(service, seconds, *more, path=""):
    """What it prints, and the requests per second that it found."""
    text = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{max(1, seconds):.0f}", "--latency", *map(str, more),
                           f"http://127.0.0.1:{service.port}{path}"], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in text and "Socket errors" not in text, text
    return text, float(re.search(r"Requests/sec:\s+([0-9.]+)", text)[1])


def load(service, paths, folder, seconds):
    """Requests per second, p50 and p99 in milliseconds; decisions per group; and how many microseconds of processor time a
    decision took the service."""
    script = pathlib.Path(folder) / "ask.lua"
    script.write_text(ASK % ("{" + ",".join(json.dumps(path) for path in paths) + "}"))
    before, spent = figures(service), processor_seconds(service)
    text, rate = wrk(service, seconds, "-s", script)
    after, spent = figures(service), processor_seconds(service) - spent
    half, most = (milliseconds(re.search(rf"\s{part}%\s+(\S+)", text)[1]) for part in (50, 99))
    made = after["decisions_total"] - before["decisions_total"]
    return rate, half, most, made / (after["groups_total"] - before["groups_total"]), spent / made * 1e6


def own_rate(place, group, seconds, count):
    told = subprocess.run([str(BUILD / "bench/store_rate"), str(place), str(group), str(seconds), str(count)],
                          capture_output=True, text=True, check=True).stdout
    return float(told.split()[0])


def measure(kind, make_store, count, sync):
    rounds = []
    with tempfile.TemporaryDirectory(prefix="experior-bench-", dir=os.environ.get("BENCH_FOLDER")) as folder:
        with running("--sync", sync, store=make_store(folder, "service")) as service:
            paths = [f"/v1/experiments/{service.create()}/decisions" for _ in range(count)]
            while figures(service).get("decisions_total", 0) < 4 * count:  # warm
                load(service, paths, folder, 2)
            for i in range(ROUNDS):
                found = load(service, paths, folder, SECONDS)
                own = own_rate(make_store(folder, f"own{i}"), max(1, round(found[3])), SECONDS / 2, count)
                rounds.append((*found, own, own / found[0], wrk(service, SECONDS / 2, path="/healthz")[1]))
    rate, half, most, group, spent, own, ratio, bare = (statistics.median(column) for column in zip(*rounds))
    name = f"{kind} sync={sync} {count} experiment{'s' if count > 1 else ''}"
    print(f"{name} decisions,{rate:.0f},1/s")
    print(f"{name} p50,{half:.2f},ms")
    print(f"{name} p99,{most:.2f},ms")
    print(f"{name} decisions per group,{group:.1f},mean")
    print(f"{name} processor time of the service per decision,{spent:.1f},us")
    if sync == "full":
        print(f"{name} the store by itself at that group size,{own:.0f},1/s")
        print(f"{name} the store by itself / the service,{ratio:.2f},ratio")
        print(f"{name} requests that need no store,{bare:.0f},1/s", flush=True)


def main():
    if not shutil.which("wrk") or not (BUILD / "bench/store_rate").exists():
        print("bench_serve.py: wrk is not installed, or the service is not built", file=sys.stderr)
        return
    kinds = {"SQLite": lambda folder, name: pathlib.Path(folder) / f"{name}.db"}
    if stores.is_there("postgresql") and uses_postgresql():
        server = stores.Server(max_wal_size="4GB", checkpoint_timeout="30min")
        kinds["PostgreSQL"] = lambda folder, name: server.make()
    else:
        print("bench_serve.py: no PostgreSQL server is installed", file=sys.stderr)
    for kind, make_store in kinds.items():
        for count in (1, 1000):
            measure(kind, make_store, count, "full")
        measure(kind, make_store, 1, "off")


if __name__ == "__main__":
    main()
