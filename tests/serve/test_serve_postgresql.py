"""experior serve on PostgreSQL: every claim on the service that is not about SQLite files, and what several instances on one
database promise."""

import concurrent.futures
import os
import sys
import tempfile
import threading
import time

os.environ["XP_STORE"] = "postgresql"

import stores  # noqa: E402
import test_serve  # noqa: E402
import test_serve_faults  # noqa: E402
import test_serve_openapi  # noqa: E402
from service import INSTRUMENTED, LONG, Service, audit, run_claims, running, tool  # noqa: E402

for module in (test_serve, test_serve_faults, test_serve_openapi):
    for name, function in vars(module).items():
        if name.startswith("claim_") and not getattr(function, "sqlite_only", False):
            globals()[name] = function


class Instances:
    """Several services on one database."""

    def __init__(self, count):
        self.store = stores.server().make()
        with concurrent.futures.ThreadPoolExecutor(count) as pool:  # at once: one of them makes the tables
            self.all = list(pool.map(lambda _: Service(self.store), range(count)))

    def __enter__(self):
        return self.all

    def __exit__(self, kind, *rest):
        for service in self.all:
            if kind is None:
                service.stop()
            else:
                service.kill()
        if kind is None:
            audit(self.store)


def claim_a_reward_taken_by_one_instance_is_seen_by_the_next_decision_of_another():
    with Instances(3) as instances:
        experiment = instances[0].create(seed=2)
        law = None
        for i in range(30):
            [decision] = instances[i % 3].decide(experiment)
            instances[(i + 1) % 3].reward((decision["decision_id"], 0))
            shown = {arm["name"]: arm["probability"] for arm in instances[(i + 1) % 3].show(experiment)["arms"]}
            assert shown != law
            law = shown
            [after] = instances[(i + 2) % 3].decide(experiment)
            assert after["probability"] == law[after["action"]]
            assert after["decision_id"] == f"{experiment}-{2 * i + 2}"


def claim_a_change_made_on_one_instance_holds_on_all():
    with Instances(2) as (one, other):
        experiment = one.create()
        other.decide(experiment)
        one.good("POST", f"/v1/experiments/{experiment}/pause")
        other.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=409, says="paused")
        other.good("POST", f"/v1/experiments/{experiment}/resume")
        one.good("POST", f"/v1/experiments/{experiment}/arms", {"add": "d"})
        assert other.decide(experiment, candidates=["d"])[0]["action"] == "d"
        first = one.decide(experiment, request_id="r")
        assert other.decide(experiment, request_id="r") == first
        other.good("DELETE", f"/v1/experiments/{experiment}")
        one.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=404)


def claim_three_instances_under_load_lose_no_update_and_give_no_id_twice():
    with Instances(3) as instances:
        experiments = [instances[0].create(seed=i) for i in range(3)]
        rounds = 16 if INSTRUMENTED else 60

        def work(index):
            """Decides on one instance and rewards on another, in an order of experiments that is its own."""
            made, connections = [], [service.connect() for service in instances]
            for i in range(rounds):
                experiment = experiments[(index + i * (1 + index % 2)) % 3]
                here, there = (index + i) % 3, (index + 2 * i + 1) % 3
                status, answer = instances[here].ask("POST", f"/v1/experiments/{experiment}/decisions",
                                                     {"count": 1 + i % 2}, connection=connections[here])
                assert status == 200, answer
                rows = answer["decisions"]
                rewards = [{"decision_id": row["decision_id"], "reward": (index + i) % 2} for row in rows]
                status, answer = instances[there].ask("POST", "/v1/rewards", {"rewards": rewards},
                                                      connection=connections[there])
                assert status == 200 and answer["accepted"] == len(rows), answer
                made += [(row["decision_id"], (index + i) % 2) for row in rows]
            for connection in connections:
                connection.close()
            return made

        with concurrent.futures.ThreadPoolExecutor(9) as pool:
            made = [pair for part in pool.map(work, range(9)) for pair in part]
        assert len({name for name, _ in made}) == len(made) == 9 * rounds * 3 // 2
        for service in instances:
            shown = [service.show(experiment) for experiment in experiments]
            assert sum(one["decisions"] for one in shown) == len(made)
            assert sum(one["rewards"] for one in shown) == len(made)
            assert sum(one["reward_sum"] for one in shown) == sum(value for _, value in made)
            assert sum(arm["rewards"] for one in shown for arm in one["arms"]) == len(made)


def claim_rewards_for_many_experiments_in_any_order_do_not_block_each_other():
    with Instances(2) as instances:
        experiments = [instances[0].create(seed=i) for i in range(8)]
        ids = {name: [row["decision_id"] for row in instances[0].decide(name, count=40)] for name in experiments}

        def work(index):
            order = experiments if index % 2 == 0 else experiments[::-1]
            for i in range(20):
                instances[index % 2].reward(*[(ids[name][20 * (index % 2) + i], 1) for name in order])

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(2)))
        assert all(instances[0].show(name)["rewards"] == 40 for name in experiments)


def claim_a_server_that_is_killed_answers_503_and_service_goes_on_when_it_is_back():
    server = stores.Server()
    try:
        with running(store=server.make()) as service:
            experiment = service.create()
            first = service.decide(experiment, request_id="a")
            server.kill()
            for _ in range(3):
                text = service.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=503, says="store")
                assert "postgresql://" not in text
            service.bad("GET", f"/v1/experiments/{experiment}", status=503)
            service.bad("GET", f"/v1/experiments/{experiment}/export.csv", status=503)
            assert service.ask("GET", "/readyz")[0] == 503 and service.ask("GET", "/healthz")[0] == 200
            server.start()
            test_serve_faults.wait_until_ready(service)
            assert service.decide(experiment, request_id="a") == first
            assert service.decide(experiment)[0]["decision_id"] == f"{experiment}-2"
            server.stop()  # while nothing is under way: the next request does not notice
            server.start()
            assert service.decide(experiment)[0]["decision_id"] == f"{experiment}-3"
            audit(service.store)
    finally:
        server.remove()


def claim_a_database_that_is_read_only_answers_503_and_recovers():
    with running() as service:
        experiment = service.create()
        base = service.store
        base.server.psql(f"ALTER DATABASE {base.name} SET default_transaction_read_only = on")
        base.server.psql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{base.name}'")
        for _ in range(2):
            service.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=503, says="nothing was changed")
        assert service.show(experiment)["decisions"] == 0
        assert service.ask("GET", "/readyz")[0] == 503
        base.server.psql(f"ALTER DATABASE {base.name} RESET default_transaction_read_only")
        base.server.psql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{base.name}'")
        test_serve_faults.wait_until_ready(service)
        assert service.decide(experiment)[0]["decision_id"] == f"{experiment}-1"


def claim_a_server_with_a_full_disk_answers_503_and_recovers():
    server = stores.Server()
    try:
        with running(store=server.make()) as service:
            experiment = service.create()
            path = f"/v1/experiments/{experiment}/decisions"
            server.stop()
            server.start(limit=1 << 20)  # no file may grow beyond; those of the log end there
            made = 0
            for _ in range(100):
                status, answer = service.ask("POST", path, {"count": 1000})
                if status != 200:
                    break
                made += 1000
            assert status == 503 and "nothing was changed" in answer["error"], (status, answer)
            assert service.show(experiment)["decisions"] == made
            server.kill()
            server.start()
            test_serve_faults.wait_until_ready(service)
            assert len(service.decide(experiment, count=1000)) == 1000
            assert service.show(experiment)["decisions"] == made + 1000
            audit(service.store)
    finally:
        server.remove()


def claim_a_store_that_cannot_be_used_is_refused_with_a_sentence_without_its_password():
    server = stores.server()
    foreign, latin, empty = server.make(), server.make("ENCODING 'LATIN1' TEMPLATE template0"), server.make()
    server.psql("CREATE SCHEMA experior; CREATE TABLE experior.other(x int)", foreign.name)
    for place, says in ((foreign, "no store"), (latin, "UTF8"), (empty + "&port=1", "cannot be opened"),
                        ("postgresql://user:hunter2@[::1", "connection URI"),
                        ("postgresql://user:hunter2@127.0.0.1:1/none", "cannot be opened"),
                        ("mysql://user:hunter2@host/base", "neither")):
        told = tool("serve", "--no-auth", "--store", place, code=2).stderr
        assert says in told and "hunter2" not in told, told
    assert "has no store" in tool("audit", "--store", empty, code=2).stderr


def claim_a_server_that_does_not_sync_is_refused_unless_asked_for():
    server = stores.Server(fsync="off")
    try:
        store = server.make()
        assert "fsync" in tool("serve", "--no-auth", "--store", store, code=2).stderr
        with running("--sync", "off", store=store) as service:
            service.decide(service.create())
    finally:
        server.remove()


def claim_an_instance_that_hangs_does_not_stop_the_others_for_ever():
    with Instances(2) as (one, other):
        experiment = one.create()
        base = one.store
        over = threading.Event()

        def hold():  # a session that locked the experiment and then does nothing
            base.server.psql(f"BEGIN; SELECT 1 FROM experior.experiments WHERE id = '{experiment}' FOR UPDATE; "
                             "SELECT pg_sleep(1000)", base.name)

        def hold_quietly():
            try:
                hold()
            except AssertionError:  # it is ended below
                over.set()

        holder = threading.Thread(target=hold_quietly)
        holder.start()
        for _ in range(LONG * 10):
            if base.server.psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1000)%' AND "
                                "wait_event = 'PgSleep'").strip() == "1":
                break
            time.sleep(0.1)
        other.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=503, says="lock timeout")
        base.server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        holder.join()
        assert over.is_set()
        assert other.decide(experiment)[0]["decision_id"] == f"{experiment}-1"


def claim_a_dump_under_load_is_whole_and_can_be_restored():
    with running() as service, tempfile.TemporaryDirectory():
        server, experiment, over = service.store.server, service.create(), threading.Event()

        def load():
            while not over.is_set():
                rows = service.decide(experiment, count=20)
                service.reward(*[(row["decision_id"], 1) for row in rows[:10]])

        worker = threading.Thread(target=load)
        worker.start()
        try:
            dump = server.folder / "copy.dump"
            server.run("pg_dump", "-h", server.folder, "-U", "postgres", "-Fc", "-f", dump, service.store.name)
        finally:
            over.set()
            worker.join()
        restored = server.make("TEMPLATE template0 ENCODING 'UTF8'")
        server.run("pg_restore", "-h", server.folder, "-U", "postgres", "-d", restored.name, dump)
        audit(restored)
        with running(store=restored) as other:
            other.decide(experiment)
            other.create()
        audit(restored)


def claim_tables_that_are_there_are_used_and_none_are_made_to_look():
    with tempfile.TemporaryDirectory():
        store = stores.server().make()
        with running(store=store) as service:
            experiment = service.create()
            service.decide(experiment, count=5)
        assert audit(store) == "1 experiments, 5 decisions, 0 rewards; 0 differ"
        assert stores.query(store, "SELECT version FROM version") == [("1",)]


if __name__ == "__main__":
    run_claims(sys.modules[__name__])
