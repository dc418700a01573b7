"""experior serve: decisions, rewards and experiments over HTTP."""

import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import stores
from service import CHOICES, INSTRUMENTED, LONG, SOURCE, TOOL, audit, run_claims, running, sqlite_only, tool


def claim_a_decision_has_an_id_an_action_and_its_probability():
    with running() as service:
        experiment = service.create()
        [decision] = service.decide(experiment)
        assert set(decision) == {"decision_id", "action", "probability"}
        assert decision["action"] in CHOICES and 0 < decision["probability"] <= 1
        assert len(service.decide(experiment, count=7)) == 7
        arms = service.show(experiment)["arms"]
        assert [arm["name"] for arm in arms] == list(CHOICES)
        assert sum(arm["decisions"] for arm in arms) == 8
        assert math.isclose(sum(arm["probability"] for arm in arms), 1)


def claim_probabilities_are_those_of_experior_decide():
    with running() as service, tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "choices.csv"
        table.write_text("action,count\n" + "".join(f"{name},{count}\n" for name, count in CHOICES.items()))
        tool("fit", table, "-o", f"{folder}/model.json")
        model = json.loads(pathlib.Path(f"{folder}/model.json").read_text())
        inline = service.good("POST", "/v1/experiments", {"name": "inline", "model": model})["id"]
        counted = service.create()
        history = pathlib.Path(folder) / "history.csv"
        for experiment in (inline, counted):
            rows = ["action,reward\n"]
            for i, decision in enumerate(service.decide(experiment, count=9)):
                service.reward((decision["decision_id"], i % 2))
                rows.append(f"{decision['action']},{i % 2}\n")
            history.write_text("".join(rows))
            told = json.loads(tool("decide", f"{folder}/model.json", "--history", history, "--json").stdout)
            expected = dict(zip(told["actions"], told["probabilities"]))
            for arm in service.show(experiment)["arms"]:
                assert math.isclose(arm["probability"], expected[arm["name"]], rel_tol=1e-9), (arm, told)


def claim_a_reward_is_seen_by_the_next_decision():
    with running() as service:
        experiment = service.create()
        before = {arm["name"]: arm["probability"] for arm in service.show(experiment)["arms"]}
        for _ in range(30):
            [decision] = service.decide(experiment)
            service.reward((decision["decision_id"], 0))
            [after] = service.decide(experiment, candidates=["a", "b", "c"])
            shown = {arm["name"]: arm["probability"] for arm in service.show(experiment)["arms"]}
            assert after["probability"] == shown[after["action"]]
            assert shown != before
            before = shown


def claim_rewards_come_late_out_of_order_and_in_batches():
    with running() as service:
        experiment = service.create()
        ids = [decision["decision_id"] for decision in service.decide(experiment, count=20)]
        assert service.reward(*[(name, 1) for name in reversed(ids[10:])]) == {"accepted": 10, "repeated": 0}
        assert service.reward(*[(name, 0) for name in ids[:10]]) == {"accepted": 10, "repeated": 0}
        shown = service.show(experiment)
        assert shown["rewards"] == 20 and shown["reward_sum"] == 10
        assert sum(arm["rewards"] for arm in shown["arms"]) == 20


def claim_the_same_reward_again_is_fine_and_another_is_a_conflict():
    with running() as service:
        experiment = service.create()
        first, second, third = [d["decision_id"] for d in service.decide(experiment, count=3)]
        service.reward((first, 1))
        assert service.reward((first, 1)) == {"accepted": 0, "repeated": 1}
        service.bad("POST", "/v1/rewards", {"rewards": [{"decision_id": first, "reward": 0}]}, status=409)
        assert service.reward((second, 0), (second, 0)) == {"accepted": 1, "repeated": 1}
        service.bad("POST", "/v1/rewards", {"rewards": [{"decision_id": third, "reward": value} for value in (0, 1)]},
                    status=409, says="two rewards")
        assert service.show(experiment)["rewards"] == 2


def claim_a_batch_with_an_error_writes_nothing():
    with running() as service:
        experiment = service.create()
        ids = [d["decision_id"] for d in service.decide(experiment, count=3)]
        for wrong, status in (({"decision_id": experiment + "-99", "reward": 1}, 404),
                              ({"decision_id": ids[2], "reward": 0.5}, 409),
                              ({"decision_id": ids[2], "reward": "1"}, 400),
                              ({"decision_id": "none", "reward": 1}, 404)):
            service.bad("POST", "/v1/rewards",
                        {"rewards": [{"decision_id": ids[0], "reward": 1}, {"decision_id": ids[1], "reward": 1}, wrong]},
                        status=status, says="rewards[2]")
            assert service.show(experiment)["rewards"] == 0


def claim_a_request_that_is_repeated_gets_the_same_decisions():
    with running() as service:
        experiment = service.create()
        first = service.decide(experiment, count=4, request_id="r-1", segment="s")
        service.decide(experiment, count=3)
        assert service.decide(experiment, count=4, request_id="r-1", segment="s") == first
        for other in ({"count": 5, "segment": "s"}, {"count": 4}, {"count": 4, "segment": "s", "candidates": ["a"]}):
            service.bad("POST", f"/v1/experiments/{experiment}/decisions", {"request_id": "r-1", **other}, status=409)
        assert service.show(experiment)["decisions"] == 7
        another = service.create()
        assert service.decide(another, count=4, request_id="r-1", segment="s") != first


def claim_a_candidate_is_drawn_as_the_best_of_the_candidates():
    with running() as service:
        experiment = service.create({"a": 90, "b": 8, "c": 2}, seed=1)
        rows = service.decide(experiment, count=1000, candidates=["b", "c"])
        assert {row["action"] for row in rows} == {"b", "c"}
        shares = {row["action"]: row["probability"] for row in rows}
        assert math.isclose(sum(shares.values()), 1)
        # Given that a is most likely the best, the order of b and c is nearly open: the law renormalised would say
        # 0.8 to 0.2, the posterior says about one half each.
        assert 0.35 < shares["b"] < 0.65, shares
        assert service.decide(experiment, candidates=["c"])[0]["probability"] == 1
        for wrong, status in ((["d"], 409), ([], 400), ("a", 400), ([1], 400), (["a"] * 2000, 400), (["\n"], 400)):
            service.bad("POST", f"/v1/experiments/{experiment}/decisions", {"candidates": wrong}, status=status)


def claim_segments_learn_apart():
    with running() as service:
        experiment = service.create()
        for _ in range(10):
            [decision] = service.decide(experiment, segment="young", candidates=["a"])
            service.reward((decision["decision_id"], 0))
        [young] = service.decide(experiment, segment="young", candidates=["a", "b", "c"])
        whole = {arm["name"]: arm["probability"] for arm in service.show(experiment)["arms"]}
        split = {arm["name"]: arm["probability"]
                 for arm in service.good("GET", f"/v1/experiments/{experiment}?segment=young")["arms"]}
        assert split[young["action"]] == young["probability"]
        assert whole["a"] > 0.5 > split["a"]
        assert service.show(experiment)["segments"] == ["young"]
        service.bad("GET", f"/v1/experiments/{experiment}?segment=old", status=404)
        service.bad("GET", f"/v1/experiments/{experiment}?segment=", says="segment")


def claim_an_arm_is_added_with_statistics_carried_over():
    with running() as service:
        experiment = service.create()
        for decision in service.decide(experiment, count=30):
            service.reward((decision["decision_id"], 1))
        before = service.show(experiment)
        after = service.good("POST", f"/v1/experiments/{experiment}/arms", {"add": "d"})
        assert after["model_version"] == 2 and len(after["arms"]) == 4
        for old, new in zip(before["arms"], after["arms"]):
            assert [old[key] for key in ("name", "decisions", "rewards", "reward_sum")] == \
                [new[key] for key in ("name", "decisions", "rewards", "reward_sum")]
        assert after["arms"][3]["probability"] > 0 and after["arms"][3]["decisions"] == 0
        service.bad("POST", f"/v1/experiments/{experiment}/arms", {"add": "d"}, status=409)
        [decision] = service.decide(experiment, candidates=["d"])
        assert decision["action"] == "d"
        service.reward((decision["decision_id"], 1))
        service.good("POST", f"/v1/experiments/{experiment}/arms", {"add": "e", "choices": 40})
        assert service.show(experiment)["arms"][4]["expert_share"] > 0.5
        audit(service.store)


def claim_an_arm_that_is_retired_is_not_taken():
    with running() as service:
        experiment = service.create()
        service.good("POST", f"/v1/experiments/{experiment}/arms", {"retire": "a"})
        rows = service.decide(experiment, count=200)
        assert {row["action"] for row in rows} == {"b", "c"}
        service.bad("POST", f"/v1/experiments/{experiment}/decisions", {"candidates": ["a"]}, status=409, says="retired")
        service.good("POST", f"/v1/experiments/{experiment}/arms", {"retire": "b"})
        service.bad("POST", f"/v1/experiments/{experiment}/arms", {"retire": "c"}, status=409, says="last")
        service.good("POST", f"/v1/experiments/{experiment}/arms", {"restore": "a"})
        assert "a" in {row["action"] for row in service.decide(experiment, count=200)}
        service.bad("POST", f"/v1/experiments/{experiment}/arms", {"retire": "z"}, status=409)
        service.bad("POST", f"/v1/experiments/{experiment}/arms", {"retire": "a", "add": "z"})
        audit(service.store)


def claim_a_paused_experiment_takes_rewards_but_decides_nothing():
    with running() as service:
        experiment = service.create()
        [decision] = service.decide(experiment, request_id="before")
        assert service.good("POST", f"/v1/experiments/{experiment}/pause")["state"] == "paused"
        service.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=409, says="paused")
        assert service.decide(experiment, request_id="before") == [decision]
        service.reward((decision["decision_id"], 1))
        service.good("POST", f"/v1/experiments/{experiment}/resume", {})
        service.decide(experiment)


def claim_shadow_mode_records_what_the_human_chose_and_learns_from_it():
    with running() as service:
        experiment = service.create(shadow=True, seed=3)
        service.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=409, says="chosen")
        rows = [service.decide(experiment, chosen="b")[0] for _ in range(20)]
        assert {row["chosen"] for row in rows} == {"b"} and "a" in {row["action"] for row in rows}
        service.reward(*[(row["decision_id"], 1) for row in rows])
        arms = {arm["name"]: arm for arm in service.show(experiment)["arms"]}
        assert arms["b"]["rewards"] == 20 and arms["a"]["rewards"] == 0
        assert {row["chosen"] for row in service.export(experiment)} == {"b"}
        plain = service.create()
        service.bad("POST", f"/v1/experiments/{plain}/decisions", {"chosen": "a"}, status=409, says="shadow")
        audit(service.store)


def claim_an_export_has_every_decision_and_its_reward():
    with running() as service:
        experiment = service.create({"=cmd()": 3, 'with "quotes", and comma': 5})
        for _ in range(3):
            service.decide(experiment, count=500)
        decision = service.decide(experiment)[0]
        service.reward((decision["decision_id"], 1))
        text = service.good("GET", f"/v1/experiments/{experiment}/export.csv")
        lines = text.splitlines()
        assert len(lines) == 1502
        assert "\n=cmd" not in text and ",=cmd" not in text and "\"'=cmd()\"" in text
        assert lines[-1].startswith(decision["decision_id"]) and lines[-1].split(",")[-2] == "1"


def claim_a_deleted_experiment_is_gone_and_so_are_its_rows():
    with running() as service:
        experiment, other = service.create(), service.create()
        ids = [d["decision_id"] for d in service.decide(experiment, count=10)]
        service.decide(other)
        service.good("DELETE", f"/v1/experiments/{experiment}")
        for method, path in (("GET", ""), ("POST", "/decisions"), ("DELETE", ""), ("GET", "/export.csv")):
            service.bad(method, f"/v1/experiments/{experiment}{path}", {} if method == "POST" else None, status=404)
        service.bad("POST", "/v1/rewards", {"rewards": [{"decision_id": ids[0], "reward": 1}]}, status=404)
        assert [row["id"] for row in service.good("GET", "/v1/experiments")["experiments"]] == [other]
        for _ in range(LONG * 10):
            left = int(stores.query(service.store, "SELECT count(*) FROM decisions")[0][0])
            if left == 1:
                break
            service.show(other)  # the writer sweeps between groups
            time.sleep(0.1)
        assert left == 1, left


def claim_a_restart_goes_on_where_it_ended():
    with tempfile.TemporaryDirectory() as folder:
        store = stores.make(folder)
        with running(store=store) as service:
            experiment = service.create()
            ids = [d["decision_id"] for d in service.decide(experiment, count=50)]
            service.reward(*[(name, i % 2) for i, name in enumerate(ids)])
            before = service.show(experiment)
        with running(store=store) as service:
            assert service.show(experiment) == before
            assert service.decide(experiment)[0]["decision_id"] == f"{experiment}-51"
        assert audit(store) == "1 experiments, 51 decisions, 50 rewards; 0 differ"


def claim_decisions_are_a_function_of_seed_rewards_and_number():
    runs = []
    for sizes in ([1] * 40, [10] * 4):
        with running() as service:
            experiment = service.create(seed=7)
            seen = []
            for size in sizes * 2:
                seen += [(row["action"], row["probability"]) for row in service.decide(experiment, count=size)]
                if len(seen) == 40:
                    service.reward(*[(f"{experiment}-{i + 1}", int(i % 3 == 0)) for i in range(40)])
            runs.append(seen)
    assert runs[0] == runs[1]


def claim_an_audit_finds_what_was_changed():
    with tempfile.TemporaryDirectory() as folder:
        store = stores.make(folder)
        with running(store=store) as service:
            experiment = service.create(seed=1)
            for _ in range(4):
                ids = [d["decision_id"] for d in service.decide(experiment, count=10)]
                service.reward(*[(name, 1) for name in ids[:7]])
        audit(store)
        for change in ("UPDATE decisions SET action = (action + 1) % 3 WHERE number = 17",
                       "UPDATE decisions SET probability = probability + 1e-15 WHERE number = 20",
                       "UPDATE rewards SET reward = 0 WHERE number = 1",
                       "DELETE FROM rewards WHERE number = 12",
                       "DELETE FROM decisions WHERE number = 30",
                       "UPDATE counts SET rewards = rewards + 1 WHERE action = 0"):
            copy = stores.copy(store, folder)
            assert stores.query(copy, change + " RETURNING 1"), change
            done = subprocess.run([TOOL, "audit", "--store", str(copy)], capture_output=True, text=True, timeout=LONG,
                                  check=False)
            assert done.returncode == 1 and not done.stdout.endswith(" 0 differ\n"), (change, done.stdout, done.stderr)


def claim_old_decisions_are_forgotten_and_what_was_learned_is_kept():
    with tempfile.TemporaryDirectory() as folder:
        store = stores.make(folder)
        with running(store=store) as service:
            experiment = service.create(retention_days=30, seed=5)
            ids = [d["decision_id"] for d in service.decide(experiment, count=20)]
            service.reward(*[(name, 1) for name in ids[:15]])
            ids = [d["decision_id"] for d in service.decide(experiment, count=20)]
            service.reward(*[(name, 0) for name in ids[:5]])
            before = service.show(experiment)
        stores.query(store, "UPDATE decisions SET time = time - 31 * CAST(86400000 AS bigint) WHERE number <= 25")  # older than that
        with running(store=store) as service:
            for _ in range(LONG * 10):
                if len(service.export(experiment)) == 15:
                    break
                time.sleep(0.1)
            assert len(service.export(experiment)) == 15
            assert service.show(experiment) == before
            service.bad("POST", "/v1/rewards", {"rewards": [{"decision_id": experiment + "-16", "reward": 1}]},
                        status=404)
            service.reward((experiment + "-40", 1))
            service.decide(experiment)
        audit(store)


def claim_many_clients_at_once_get_decisions_of_their_own():
    with running() as service:
        experiment = service.create()

        def work(index):
            connection = service.connect()
            found = []
            for i in range(25):
                status, answer = service.ask("POST", f"/v1/experiments/{experiment}/decisions", {},
                                             connection=connection)
                assert status == 200
                name = answer["decisions"][0]["decision_id"]
                found.append(name)
                status, _ = service.ask("POST", "/v1/rewards",
                                        {"rewards": [{"decision_id": name, "reward": (index + i) % 2}]},
                                        connection=connection)
                assert status == 200
            connection.close()
            return found

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            names = [name for part in pool.map(work, range(8)) for name in part]
        assert len(set(names)) == 200
        shown = service.show(experiment)
        assert shown["decisions"] == 200 and shown["rewards"] == 200
        audit(service.store)


def claim_what_another_process_on_the_same_store_did_is_seen():
    with running() as one, running(store=one.store) as two:
        experiment = one.create()
        for number in range(1, 7):  # both have it in memory, and each hears of what the other did
            decides, rewards = (one, two) if number % 2 else (two, one)
            rewards.reward((decides.decide(experiment)[0]["decision_id"], number % 2))
            assert decides.show(experiment)["rewards"] == rewards.show(experiment)["rewards"] == number
        two.good("POST", f"/v1/experiments/{experiment}/pause", {})
        one.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=409, says="paused")
        two.good("DELETE", f"/v1/experiments/{experiment}")
        one.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=404)
        audit(one.store)


def claim_a_newer_store_is_refused_with_a_sentence():
    with tempfile.TemporaryDirectory() as folder:
        store = stores.make(folder)
        with running(store=store):
            pass
        stores.set_version(store, 99)
        for words in (["serve", "--no-auth"], ["audit"], ["token", "list"]):
            assert "version 99" in tool(*words, "--store", store, code=2).stderr


@sqlite_only
def claim_a_file_that_is_no_store_is_refused_with_a_sentence():
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "other.db"
        stores.query(other, "CREATE TABLE t(x)")
        assert "no store" in tool("serve", "--no-auth", "--store", other, code=2).stderr
        (pathlib.Path(folder) / "text").write_text("this is no database, whatever its name says\n" * 50)
        assert "cannot be opened" in tool("serve", "--no-auth", "--store", f"{folder}/text", code=2).stderr
        assert "store" in tool("serve", "--no-auth", "--store", f"{folder}/no/such/folder.db", code=2).stderr


def claim_every_family_of_rewards_is_served_and_audited():
    families = {"bernoulli": ([0, 1], [0.5, 2, -1], []), "fractional": ([0, 0.25, 0.5, 1], [1.5, -0.1], []),
                "gaussian": ([-3.5, 0.1, 7.25], [], ["--location", 1, "--scale", 2, "--noise", 1]),
                "poisson": ([0, 1, 7], [0.5, -1], ["--location", 2, "--scale", 1])}
    with running() as service, tempfile.TemporaryDirectory() as folder:
        for family, (values, wrong, options) in families.items():
            file = pathlib.Path(folder) / f"{family}.json"
            tool("fit", SOURCE / "examples/data/treatments.csv", "-o", file, "--rewards", family, *options)
            experiment = service.good("POST", "/v1/experiments",
                                      {"name": family, "model": json.loads(file.read_text())})["id"]
            for i in range(12):
                [decision] = service.decide(experiment)
                for value in wrong:
                    service.bad("POST", "/v1/rewards",
                                {"rewards": [{"decision_id": decision["decision_id"], "reward": value}]}, status=409)
                service.reward((decision["decision_id"], values[i % len(values)]))
            service.decide(experiment, count=5, candidates=["drug A", "drug B"])
            shown = service.show(experiment)
            assert shown["rewards"] == 12 and all(arm["low"] <= arm["mean"] <= arm["high"] for arm in shown["arms"])
        audit(service.store)


def claim_a_model_with_segments_starts_each_from_its_own_prior():
    with running() as service, tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "choices.csv"
        table.write_text("drug,age,count\n" + "".join(f"{drug},{age},{count}\n" for drug, age, count in (
            ("a", "young", 90), ("b", "young", 10), ("a", "old", 12), ("b", "old", 88), ("a", "mid", 50), ("b", "mid", 49))))
        tool("fit", table, "--action", "drug", "--by", "age", "-o", f"{folder}/model.json")
        model = json.loads(pathlib.Path(f"{folder}/model.json").read_text())
        experiment = service.good("POST", "/v1/experiments", {"name": "ages", "model": model})["id"]
        told = {}
        for age in ("young", "old"):
            service.decide(experiment, segment=age)
            arms = service.good("GET", f"/v1/experiments/{experiment}?segment={age}")["arms"]
            told[age] = {arm["name"]: arm["probability"] for arm in arms}
            law = json.loads(tool("decide", f"{folder}/model.json", "--segment", age, "--json").stdout)
            expected = dict(zip(law["actions"], law["probabilities"]))
            assert all(math.isclose(told[age][name], expected[name], rel_tol=1e-9) for name in expected), (told, expected)
        assert told["young"]["a"] > 0.7 and told["old"]["a"] < 0.3
        service.bad("POST", f"/v1/experiments/{experiment}/decisions", {"segment": "nobody"}, status=409, says="segment")
        service.good("POST", f"/v1/experiments/{experiment}/arms", {"add": "c"})
        service.decide(experiment, count=50, segment="young")
        service.decide(experiment, count=50)
        audit(service.store)


@sqlite_only
def claim_experiments_that_rest_give_their_memory_back_and_go_on():
    if INSTRUMENTED:  # slow there, and its memory is not the service's
        return
    with running() as service:
        arms = {f"arm {i}": 1 + i % 7 for i in range(1024)}  # the law of each takes about 100 MB
        experiments = [service.create(arms, seed=i) for i in range(10)]
        for value in (1, 0):
            for experiment in experiments:
                [decision] = service.decide(experiment)
                service.reward((decision["decision_id"], value))
        for experiment in experiments:
            service.decide(experiment, count=2)
        pages = int(pathlib.Path(f"/proc/{service.process.pid}/statm").read_text().split()[1])
        assert pages * os.sysconf("SC_PAGESIZE") < 800 << 20
        audit(service.store)


def claim_models_with_states_are_refused():
    with running("--max-body", "100000000") as service, tempfile.TemporaryDirectory() as folder:
        tool("fit", SOURCE / "examples/data/corridor.csv", "-o", f"{folder}/model")
        data = pathlib.Path(f"{folder}/model").read_bytes()
        service.bad("POST", "/v1/experiments", {"name": "x", "model": data.decode("latin-1", "ignore").replace("\0", " ")}, status=409)


if __name__ == "__main__":
    run_claims(sys.modules[__name__])
