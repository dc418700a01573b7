#!/usr/bin/env python3
"""How much room the service takes: bytes of the store per decision and per reward, memory of the process per experiment; and
how much processor time a reward and the decision after it take, which needs a new law. Prints lines "measure,value,unit".

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


def law_time(service, experiment, times=300):
    """Milliseconds of processor time for a decision and its reward, by turns, so that every decision needs a new law."""
    connection, path = service.connect(), f"/v1/experiments/{experiment}/decisions"

    def spent():
        fields = pathlib.Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    start = spent()
    for i in range(times):
        row = service.ask("POST", path, {}, connection=connection)[1]["decisions"][0]
        service.ask("POST", "/v1/rewards", {"rewards": [{"decision_id": row["decision_id"], "reward": i % 2}]},
                    connection=connection)
    connection.close()
    return (spent() - start) / times * 1e3


def size(store):
    if isinstance(store, stores.Database):
        store.server.psql("VACUUM", store.name)
        return int(store.server.psql(f"SELECT pg_database_size('{store.name}')"))
    stores.query(store, "PRAGMA wal_checkpoint(TRUNCATE)")
    return store.stat().st_size


def measure(kind, store):
    with running(store=store) as service:
        experiment = service.create()
        print(f"{kind} processor time of a decision and its reward,{law_time(service, service.create()):.2f},ms")
        sizes = [size(store)]
        ids = []
        for _ in range(ROWS // 1000):
            ids += [row["decision_id"] for row in service.decide(experiment, count=1000)]
        sizes.append(size(store))
        for i in range(0, ROWS, 1000):
            service.reward(*[(name, int(int(name.rpartition("-")[2]) * 7 % 16 < 9)) for name in ids[i:i + 1000]])
        sizes.append(size(store))
        print(f"{kind} per decision,{(sizes[1] - sizes[0]) / ROWS:.0f},bytes")
        print(f"{kind} per reward,{(sizes[2] - sizes[1]) / ROWS:.0f},bytes")
        print(f"{kind} the same after {ROWS} rewards,{law_time(service, experiment):.2f},ms")
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
