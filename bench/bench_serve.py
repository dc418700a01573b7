#!/usr/bin/env python3
"""Decisions per second of `experior serve`, asked one by one over 64 connections by another process (wrk) on the same
machine, each acknowledged when it is on the disk; with one experiment and with 1,000. Beside it, in the same run, what the
store can do by itself when it is given groups of the same size. Prints lines "measure,value,unit".

    bench_serve.py [BUILD_DIRECTORY [SECONDS]]"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
os.environ["XP_BINARY_DIR"] = str(BUILD)
sys.path.insert(0, str(ROOT / "tests/serve"))

from service import running  # noqa: E402

CONNECTIONS = 64
ASK = """
local paths = %s
local at = 0
request = function()
    at = at %% #paths + 1
    return wrk.format("POST", paths[at], {["Content-Type"] = "application/json"}, "{}")
end
"""


def milliseconds(text):
    value, unit = re.fullmatch(r"([0-9.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def figures(service):
    text = service.good("GET", "/metrics")
    return {name: float(value) for name, value in re.findall(r"^experior_(\w+) ([0-9.e+]+)$", text, flags=re.M)}


def load(service, paths, folder, seconds):
    """What wrk found: requests per second, p50 and p99 in milliseconds; and decisions per group."""
    script = pathlib.Path(folder) / "ask.lua"
    script.write_text(ASK % ("{" + ",".join(json.dumps(path) for path in paths) + "}"))
    before = figures(service)
    text = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:.0f}", "--latency", "-s", str(script),
                           f"http://127.0.0.1:{service.port}"], capture_output=True, text=True, check=True).stdout
    after = figures(service)
    assert "Non-2xx" not in text and "Socket errors" not in text, text
    rate = float(re.search(r"Requests/sec:\s+([0-9.]+)", text)[1])
    half, most = (milliseconds(re.search(rf"\s{part}%\s+(\S+)", text)[1]) for part in (50, 99))
    group = (after["decisions_total"] - before["decisions_total"]) / (after["groups_total"] - before["groups_total"])
    return rate, half, most, group


def measure(count, sync):
    with tempfile.TemporaryDirectory(prefix="experior-bench-", dir=os.environ.get("BENCH_FOLDER")) as folder:
        with running("--sync", sync, store=pathlib.Path(folder) / "store.db") as service:
            paths = [f"/v1/experiments/{service.create()}/decisions" for _ in range(count)]
            load(service, paths, folder, 2)  # warm
            rate, half, most, group = load(service, paths, folder, SECONDS)
        own, _ = map(float, subprocess.run(
            [str(BUILD / "bench/store_rate"), f"{folder}/own.db", str(max(1, round(group))), str(SECONDS / 2)],
            capture_output=True, text=True, check=True).stdout.split())
    name = f"SQLite sync={sync} {count} experiment{'s' if count > 1 else ''}"
    print(f"{name} decisions,{rate:.0f},1/s")
    print(f"{name} p50,{half:.2f},ms")
    print(f"{name} p99,{most:.2f},ms")
    print(f"{name} decisions per group,{group:.1f},mean")
    if sync == "full":
        print(f"{name} the store by itself at that group size,{own:.0f},1/s")
        print(f"{name} the store by itself / the service,{own / rate:.2f},ratio", flush=True)


def main():
    if not shutil.which("wrk") or not (BUILD / "bench/store_rate").exists():
        print("bench_serve.py: wrk is not installed, or the service is not built", file=sys.stderr)
        return
    for count in (1, 1000):
        measure(count, "full")
    measure(1, "off")


if __name__ == "__main__":
    main()
