"""Kills the service at random moments under load, restarts it, and looks for what was lost or counted twice.

    kills.py [--kills N] [--clients N] [--seed N] [--sync full|normal|off] [--power] [--postgresql]

Every client has several requests under way at a time: it asks for decisions with a request_id, then sends their rewards.
A request that got no answer is sent again after the restart. In the end every request was acknowledged exactly once, so the store must hold one decision
per request, with the action that was acknowledged, and one reward per decision, with the value that was sent; counts
must be their sums, and an audit must find every decision again.

With --power each kill is a loss of power: what was not synced is lost (durable.c). With --postgresql the store is a database
of a server that is started here; every kill is one of the service, of the server with all its processes, or of both."""

import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter

import stores
from service import BUILD, Service, audit


MOST_BETWEEN = 100  # requests that are answered between two kills: 0 to 99


class Client(threading.Thread):
    """Decides and rewards until told to stop, with WAVE requests under way at a time; what was acknowledged is in `decided`
    and `rewarded`."""

    WAVE = 8

    def __init__(self, load, index):
        super().__init__(daemon=True)
        self.load, self.index = load, index
        self.decided, self.rewarded = {}, {}
        self.under_way = self.answered = 0  # requests: sent, and not answered yet; answered
        self.connections = {}
        self.failure = None

    def lose(self, place):
        self.connections.pop(place)[1].close()

    def ask(self, service, place, path, body):
        """Sends a request; False if there is nobody to send it to."""
        if place in self.connections and self.connections[place][0] is not service:
            self.lose(place)
        if place not in self.connections:
            self.connections[place] = service, service.connect()
        try:
            self.connections[place][1].request("POST", path, json.dumps(body))
        except (OSError, http.client.HTTPException):
            self.lose(place)
            return False
        self.under_way += 1
        return True

    def hear(self, place):
        """The status and the text of an answer; None if there is none."""
        try:
            answer = self.connections[place][1].getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.lose(place)
            return None
        finally:
            self.under_way -= 1

    def send(self, requests):
        """Sends requests, a path and a body each, until all have an answer, whatever becomes of the process meanwhile."""
        answers = [None] * len(requests)
        while None in answers:
            with self.load.turn:
                service = self.load.service
            sent = [place for place, answer in enumerate(answers) if answer is None and
                    self.ask(service, place, *requests[place])]
            for place in sent:
                status, text = self.hear(place) or (503, "")
                assert status in (200, 503), f"{requests[place]}: {status} {text}"
                if status == 200:
                    answers[place] = json.loads(text)
                    self.answered += 1
            if None in answers:
                assert not self.load.lost, "the service is gone"
                time.sleep(0.01)
        return answers

    def run(self):
        try:
            chance = random.Random(self.index)
            number = 0
            while not self.load.over.is_set():
                wave = []
                for _ in range(self.WAVE):
                    number += 1
                    wave.append((chance.choice(self.load.experiments),
                                 {"request_id": f"{self.index}-{number}", "count": chance.choice([1, 1, 3])}))
                made = [answer["decisions"] for answer in
                        self.send([(f"/v1/experiments/{experiment}/decisions", body) for experiment, body in wave])]
                for (experiment, body), rows in zip(wave, made):
                    assert len(rows) == body["count"]
                    self.decided[(experiment, body["request_id"])] = rows
                rewards = [[{"decision_id": row["decision_id"], "reward": chance.randrange(2)} for row in rows]
                           for rows in made]
                self.send([("/v1/rewards", {"rewards": items}) for items in rewards])
                self.rewarded.update((item["decision_id"], item["reward"]) for items in rewards for item in items)
        except BaseException as failure:  # noqa: BLE001, told by the one who waits
            self.failure = failure
        finally:
            for place in list(self.connections):
                self.lose(place)


class Load:
    def __init__(self, service, experiments, clients):
        self.turn = threading.Lock()
        self.service, self.experiments = service, experiments
        self.over = threading.Event()
        self.lost = False
        self.clients = [Client(self, index) for index in range(clients)]
        for client in self.clients:
            client.start()

    def under_way(self):
        return sum(client.under_way for client in self.clients)

    def wait(self, answers, seconds):
        """Until so many more requests were answered, however fast the machine is; and then for so long."""
        wanted = sum(client.answered for client in self.clients) + answers
        while sum(client.answered for client in self.clients) < wanted and not any(client.failure for client in self.clients):
            time.sleep(0.001)
        time.sleep(seconds)

    def finish(self):
        self.over.set()
        for client in self.clients:
            client.join()
            if client.failure:
                raise client.failure


def check(load):
    """What the clients were told is what the store says."""
    service = load.service
    rows = {row["decision_id"]: row for experiment in load.experiments for row in service.export(experiment)}
    told = {row["decision_id"]: row for client in load.clients for made in client.decided.values() for row in made}
    rewarded = {name: value for client in load.clients for name, value in client.rewarded.items()}
    assert set(rows) == set(told), f"{len(set(told) - set(rows))} lost, {len(set(rows) - set(told))} too many"
    for name, row in told.items():
        assert rows[name]["action"] == row["action"] and float(rows[name]["probability"]) == row["probability"], name
    for name, value in rewarded.items():
        assert rows[name]["reward"] == str(value), f"{name}: {rows[name]['reward']} instead of {value}"
    for experiment in load.experiments:
        shown = service.show(experiment)
        own = [row for name, row in rows.items() if name.startswith(experiment)]
        assert shown["decisions"] == len(own)
        assert shown["rewards"] == sum(row["reward"] != "" for row in own)
        for arm in shown["arms"]:
            arms = [row for row in own if row["action"] == arm["name"]]
            assert arm["decisions"] == len(arms)
            assert arm["rewards"] == sum(row["reward"] != "" for row in arms)
            assert arm["reward_sum"] == sum(float(row["reward"] or 0) for row in arms)
    return len(told), len(rewarded)


class Machine:
    """Starts the service on a file; with `power`, its end is a loss of power."""

    def __init__(self, folder, options, power, chance):
        self.area, self.copy = pathlib.Path(folder).resolve() / "area", pathlib.Path(folder).resolve() / "copy"
        self.area.mkdir()
        self.copy.mkdir()
        self.store, self.options, self.power = self.area / "store.db", options, power
        self.killed = Counter()

    def start(self):
        more = {}
        if self.power:
            assert (BUILD / "tests/durable.so").exists(), "build the target durable first"
            more["env"] = {**os.environ, "LD_PRELOAD": str(BUILD / "tests/durable.so"), "DURABLE_AREA": str(self.area),
                           "DURABLE_COPY": str(self.copy),
                           "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}
        return Service(self.store, *self.options, **more)

    def replace(self, service):
        """Kills it; returns the one that runs after it."""
        self.killed["service"] += 1
        service.kill()
        if self.power:
            for file in self.area.iterdir():
                file.unlink()
            for file in self.copy.iterdir():
                shutil.copy(file, self.area / file.name)
        return self.start()

    def end(self):
        pass


class ServerMachine:
    """Starts the service on a database of a server of its own, and kills one of them or both."""

    def __init__(self, folder, options, settings, chance):
        del folder
        self.server = stores.Server(**settings)
        self.store, self.options, self.chance = self.server.make(), options, chance
        self.killed, self.next = Counter(), []

    def start(self):
        return Service(self.store, *self.options)

    def replace(self, service):
        if not self.next:  # each of the three in turn, in an order of chance
            self.next = self.chance.sample([("service",), ("server",), ("service", "server")], 3)
        what = self.next.pop()
        self.killed.update([" and ".join(what)])
        if "service" in what:
            service.kill()
        if "server" in what:
            self.server.kill()
            self.server.start()
        return self.start() if "service" in what else service

    def end(self):
        self.server.remove()


def run(kills, clients=4, seed=1, options=(), power=False, postgresql=None, say=lambda line: None):
    """`postgresql` are the settings of a server, as in {"wal_writer_delay": "1s"}."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="experior-kills-") as folder:
        machine = Machine(folder, options, power, chance) if postgresql is None else \
            ServerMachine(folder, options, postgresql, chance)
        try:
            return (*kill_and_check(machine, kills, clients, seed, chance, say), dict(machine.killed))
        finally:
            machine.end()


def kill_and_check(machine, kills, clients, seed, chance, say):
    store = machine.store
    service = machine.start()
    load = Load(service, [service.create(seed=seed), service.create({"x": 1, "y": 1}, seed=seed + 1)], clients)
    try:
        hit = 0
        for number in range(1, kills + 1):
            load.wait(chance.randrange(MOST_BETWEEN), chance.uniform(0, 0.02))
            with load.turn:
                hit += load.under_way()
                load.service = machine.replace(load.service)
            if number % 50 == 0:
                say(f"{number} kills, {sum(client.answered for client in load.clients)} requests answered; "
                    f"{hit / number:.1f} were under way at a kill")
            if any(client.failure for client in load.clients):
                break
        load.finish()
        decisions, rewards = check(load)
    except BaseException:
        load.lost = True
        load.over.set()
        if load.service.process.poll() is None:
            load.service.kill()
        raise
    load.service.stop()
    return decisions, rewards, audit(store)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sync", default="full")
    parser.add_argument("--power", action="store_true")
    parser.add_argument("--postgresql", action="store_true")
    given = parser.parse_args()
    decisions, rewards, line, killed = run(given.kills, given.clients, given.seed, ("--sync", given.sync), given.power,
                                           {} if given.postgresql else None, lambda line: print(line, flush=True))
    print(f"{given.kills} kills {killed}: {decisions} decisions and {rewards} rewards acknowledged, none lost, none twice; "
          f"audit: {line}")


if __name__ == "__main__":
    sys.exit(main())
