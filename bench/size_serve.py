#!/usr/bin/env python3
"""How much room the service takes: bytes of the store per decision, per reward and per request_id, and memory of the process
per experiment. Prints lines "measure,value,unit".

    size_serve.py [BUILD_DIRECTORY]"""

import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
os.environ["XP_BINARY_DIR"] = str(BUILD)
sys.path.insert(0, str(ROOT / "tests/serve"))

import stores  # noqa: E402
from service import running, uses_postgresql  # noqa: E402

ROWS = 50000  # of each kind; requests ask for up to 1,000 decisions


def memory(service):
    return int(pathlib.Path(f"/proc/{service.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def size(store):
    if isinstance(store, stores.Database):
        store.server.psql("VACUUM", store.name)
        return int(store.server.psql(f"SELECT pg_database_size('{store.name}')"))
    stores.query(store, "PRAGMA wal_checkpoint(TRUNCATE)")
    return store.stat().st_size


def measure(kind, store):
    with running(store=store) as service:
        experiment = service.create()
        sizes = [size(store)]
        ids = []
        for _ in range(ROWS // 1000):
            ids += [row["decision_id"] for row in service.decide(experiment, count=1000)]
        sizes.append(size(store))
        for i in range(0, ROWS, 1000):
            service.reward(*[(name, 1) for name in ids[i:i + 1000]])
        sizes.append(size(store))
        print(f"{kind} per decision,{(sizes[1] - sizes[0]) / ROWS:.0f},bytes")
        print(f"{kind} per reward,{(sizes[2] - sizes[1]) / ROWS:.0f},bytes")
        before, small = memory(service), [service.create() for _ in range(300)]
        for name in small:
            service.decide(name)
        print(f"{kind} memory of the service with one experiment,{before / 2**20:.0f},MiB")
        print(f"{kind} memory per further experiment of 3 arms,{(memory(service) - before) / len(small) / 1024:.0f},KiB",
              flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="experior-size-") as folder:
        measure("SQLite", pathlib.Path(folder) / "store.db")
    if stores.is_there("postgresql") and uses_postgresql():
        server = stores.Server()
        measure("PostgreSQL", server.make())


if __name__ == "__main__":
    main()
