"""What clients and disks do wrong: a sentence each, never the end of the service."""

import json
import os
import pathlib
import resource
import socket
import sqlite3
import sys
import tempfile
import time

import stores
from service import INSTRUMENTED, LONG, audit, run_claims, running, sqlite_only, tool


def raw(service, data, wait=True):
    """Sends bytes and reads all that comes back."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=LONG) as end:
        end.sendall(data)
        answer = b""
        while wait:
            try:
                part = end.recv(65536)
            except ConnectionResetError:
                break
            answer += part
            if not part or b"\r\n\r\n" in answer and b'"error"' in answer:
                break
        return answer


def wait_until_ready(service):
    for _ in range(LONG * 10):
        if service.ask("GET", "/readyz")[0] == 200:
            return
        time.sleep(0.1)
    raise AssertionError("the service does not become ready again")


def claim_bodies_that_are_not_what_is_asked_for_get_a_sentence():
    with running() as service:
        experiment = service.create()
        decide = f"/v1/experiments/{experiment}/decisions"
        name = service.decide(experiment)[0]["decision_id"]
        for path, body in [
                ("/v1/experiments", "{"), ("/v1/experiments", "[]"), ("/v1/experiments", "nonsense"),
                ("/v1/experiments", "{}"), ("/v1/experiments", {"name": "x"}), ("/v1/experiments", {"name": 3}),
                ("/v1/experiments", {"name": ""}), ("/v1/experiments", {"name": "n" * 300, "choices": {"a": 1, "b": 1}}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1}}),
                ("/v1/experiments", {"name": "x", "choices": {"a": -1, "b": 2}}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1.5, "b": 2}}),
                ("/v1/experiments", {"name": "x", "choices": {"": 1, "b": 2}}),
                ("/v1/experiments", {"name": "x", "choices": {"a\u0007": 1, "b": 2}}),
                ("/v1/experiments", {"name": "x", "choices": {str(i): 1 for i in range(1025)}}),
                ("/v1/experiments", {"name": "x", "choices": [1, 2]}),
                ("/v1/experiments", {"name": "x", "model": ["/etc/passwd"]}),
                ("/v1/experiments", {"name": "x", "model": {}, "choices": {"a": 1, "b": 1}}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1, "b": 1}, "seed": -1}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1, "b": 1}, "seed": 1e300}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1, "b": 1}, "shadow": "yes"}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1, "b": 1}, "retention_days": 0}),
                ("/v1/experiments", {"name": "x", "choices": {"a": 1, "b": 1}, "unknown": 1}),
                ("/v1/experiments", '{"name": "x", "name": "y", "choices": {"a": 1, "b": 1}}'),
                (decide, {"count": 0}), (decide, {"count": 1001}), (decide, {"count": "1"}), (decide, {"count": 1.5}),
                (decide, {"segment": ""}), (decide, {"segment": "s" * 129}), (decide, {"segment": "a\u0007"}), (decide, {"segment": 1}),
                (decide, {"request_id": ["a"]}), (decide, {"candidates": "a"}), (decide, {"other": 1}),
                (decide, b'{"segment": "\xff"}'), (decide, '{"segment": "a\\u0000b"}'), (decide, "[" * 5000),
                ("/v1/rewards", {}), ("/v1/rewards", {"rewards": []}), ("/v1/rewards", {"rewards": [1]}),
                ("/v1/rewards", {"rewards": [{"decision_id": name}]}),
                ("/v1/rewards", {"rewards": [{"decision_id": name, "reward": None}]}),
                ("/v1/rewards", {"rewards": [{"decision_id": name, "reward": True}]}),
                ("/v1/rewards", '{"rewards": [{"decision_id": "%s", "reward": NaN}]}' % name),
                ("/v1/rewards", '{"rewards": [{"decision_id": "%s", "reward": 1e999}]}' % name),
                ("/v1/rewards", {"rewards": [{"decision_id": name, "reward": 1, "extra": 1}]}),
                (f"/v1/experiments/{experiment}/arms", {}), (f"/v1/experiments/{experiment}/arms", {"add": ""}),
                (f"/v1/experiments/{experiment}/arms", {"add": "x\n"}),
                (f"/v1/experiments/{experiment}/arms", {"retire": "a", "choices": 1}),
                (f"/v1/experiments/{experiment}/pause", {"for": "ever"})]:
            assert len(service.bad("POST", path, body)) > 10
        service.bad("POST", decide, '{"segment": "a\\u0000b"}', says="zero character")
        service.bad("POST", "/v1/experiments", {"name": "x", "model": "model.json"}, status=409, says="name of a file")
        service.bad("POST", "/v1/rewards", {"rewards": [{"decision_id": name, "reward": 0.5}]}, status=409,
                    says="rewards[0]: the reward 0.5 is not 0 or 1")
        for body in ({"choices": {"a": 0, "b": 0}}, {"model": "/etc/passwd"}, {"model": {"format": "other"}}):
            service.bad("POST", "/v1/experiments", {"name": "x", **body}, status=409)
        shown = service.show(experiment)
        assert shown["decisions"] == 1 and shown["rewards"] == 0 and len(shown["arms"]) == 3
        assert len(service.good("GET", "/v1/experiments")["experiments"]) == 1


def claim_paths_and_methods_that_do_not_exist_are_told_apart():
    with running() as service:
        experiment = service.create()
        for path in ("/nothing", "/v1", "/v1/experiments/", "/v1/experiments/../../etc/passwd", "//", "/%2e%2e/etc",
                     f"/v1/experiments/{experiment}/", f"/v1/experiments/{experiment}/nothing",
                     f"/v1/experiments/{experiment}x", "/v1/experiments/" + "a" * 900, "/dashboard.js/x",
                     f"/v1/experiments/{experiment[:-1]}'", "/v1/experiments/%27%20OR%201=1"):
            service.bad("GET", path, status=404)
        service.bad("GET", "/healthz%00", status=400)
        service.bad("PUT", "/v1/experiments", {}, status=405, says="POST")
        assert service.headers["Allow"] == "GET, POST"
        service.bad("GET", "/v1/rewards", status=405)
        status, answer = service.ask("HEAD", "/healthz")
        assert status == 200 and answer == ""
        assert b"400" in raw(service, b"nonsense\r\n\r\n") or raw(service, b"nonsense\r\n\r\n") == b""
        long = b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        assert b" 4" in raw(service, long)[:16]
        header = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100000 + b"\r\n\r\n"
        assert b" 4" in raw(service, header)[:16]
        service.good("GET", "/healthz")


def claim_a_query_of_any_size_is_answered():
    with running() as service:
        for query in ("a=b&" * 16 + "a=b", "a=b&" * 300, "a=b&" * 1500, "a=" + "b" * 5000,
                      "&".join(["a=" + "b" * 460] * 16), "&".join(["a=" + "b" * 770] * 10)):
            told = raw(service, f"GET /v1/experiments?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert b" 400 " in told[:16] and b"too long" in told, (query[:20], told)
        path = f"/v1/experiments/{service.create()}?" + "&".join(["a=b"] * 15) + "&segment=" + "%E2%82%AC" * 128
        service.bad("GET", path, status=404, says="\u20ac" * 40)


def claim_a_body_beyond_the_limit_is_413_whether_announced_or_not():
    with running("--max-body", "10000") as service:
        experiment = service.create()
        path = f"/v1/experiments/{experiment}/decisions"
        service.bad("POST", path, " " * 20000, status=413)
        gigabyte = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {1 << 30}\r\n\r\n").encode()
        assert b" 413 " in raw(service, gigabyte)[:20]
        chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        assert b" 413 " in raw(service, head + chunk * 10 + b"0\r\n\r\n")[:20]
        assert len(service.decide(experiment)) == 1


@sqlite_only
def claim_a_gigabyte_that_is_sent_all_the_same_is_cut_off():
    with running() as service:
        path = f"/v1/experiments/{service.create()}/decisions"
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        sent = 0
        with socket.create_connection(("127.0.0.1", service.port), timeout=LONG) as end:
            end.sendall(head)
            try:
                for sent in range(1024):
                    end.sendall(chunk)
            except OSError:
                pass
        assert sent < 100, f"{sent} MiB were taken"
        pages = int(pathlib.Path(f"/proc/{service.process.pid}/statm").read_text().split()[1])
        assert INSTRUMENTED or pages * os.sysconf("SC_PAGESIZE") < 100 << 20
        service.good("GET", "/healthz")


def claim_labels_with_html_stay_text():
    with running() as service:
        label = "<script>alert(1)</script>"
        experiment = service.create({label: 3, "b\"'&": 1}, name=label)
        connection = service.connect()
        connection.request("GET", f"/v1/experiments/{experiment}")
        answer = connection.getresponse()
        text = answer.read().decode()
        assert "<script" not in text and json.loads(text)["arms"][0]["name"] == label
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Type"] == "application/json"
        connection.close()


@sqlite_only
def claim_answers_are_json_whatever_bytes_they_repeat():
    with running() as service:
        experiment = service.create()
        for path in ("/v1/experiments/%FF", "/v1/experiments/%C3", f"/v1/experiments/{experiment}?segment=%ED%A0%80"):
            assert "\ufffd" in service.bad("GET", path, status=404)
        assert "'é'" in service.bad("GET", f"/v1/experiments/{experiment}?segment=%C3%A9", status=404)
        for shift in range(4):  # wherever a message cuts a long name
            name = "x" * shift + "\u20ac" * 250
            service.bad("POST", f"/v1/experiments/{experiment}/decisions", {"candidates": [name]}, status=409, says=name[:60])
            service.bad("POST", f"/v1/experiments/{experiment}/arms", {"retire": name}, status=409, says=name[:60])


def claim_a_client_that_is_too_slow_is_cut_off_and_others_are_served():
    with running("--timeout", "2") as service:
        experiment = service.create()
        path = f"/v1/experiments/{experiment}/decisions"
        starts = [b"GET /heal", b"POST " + path.encode() + b" HTTP/1.1\r\nHost: local",
                  f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{{".encode(), b""]
        ends = [socket.create_connection(("127.0.0.1", service.port), timeout=LONG) for _ in starts]
        for end, start in zip(ends, starts):
            end.sendall(start)
        open_ends, last = set(ends), time.monotonic() + LONG
        while open_ends and time.monotonic() < last:
            service.decide(experiment)
            for end in list(open_ends):
                end.settimeout(0.05)
                try:
                    end.sendall(b" ")  # a byte now and then
                    if not end.recv(4096):
                        open_ends.discard(end)
                except TimeoutError:
                    pass
                except OSError:
                    open_ends.discard(end)
        assert not open_ends
        for end in ends:
            end.close()


def claim_connections_beyond_the_limit_are_refused_and_others_are_served():
    with running("--connections", "8") as service:
        experiment = service.create()
        first = [service.connect() for _ in range(8)]
        for connection in first:
            service.ask("POST", f"/v1/experiments/{experiment}/decisions", {}, connection=connection)
        crowd = []
        for _ in range(300):
            try:
                crowd.append(socket.create_connection(("127.0.0.1", service.port), timeout=LONG))
            except OSError:
                break
        refused = 0
        for end in crowd[:20]:
            end.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                refused += b" 503 " in end.recv(4096)
            except OSError:
                refused += 1
        assert refused == 20
        for connection in first:
            status, _ = service.ask("POST", f"/v1/experiments/{experiment}/decisions", {}, connection=connection)
            assert status == 200
            connection.close()
        for end in crowd:
            end.close()
        for _ in range(LONG * 10):  # room again
            status, _ = service.ask("GET", "/healthz")
            if status == 200:
                break
            time.sleep(0.1)
        assert status == 200


@sqlite_only
def claim_ten_thousand_connections_are_refused_while_existing_clients_are_served():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wanted = min(10000, hard - 200)
    ends = []
    try:
        with running("--connections", "500") as service:
            experiment = service.create()
            first = [service.connect() for _ in range(20)]

            def served():
                for connection in first:
                    status, _ = service.ask("POST", f"/v1/experiments/{experiment}/decisions", {}, connection=connection)
                    assert status == 200

            served()
            for number in range(wanted):
                end = socket.socket()
                end.setblocking(False)
                end.connect_ex(("127.0.0.1", service.port))
                ends.append(end)
                if number % 1000 == 0:
                    served()
            refused, last = 0, time.monotonic() + LONG
            for number, end in enumerate(ends):  # each is closed, told 503, or among those that are let in
                if number % 500 == 0:
                    served()
                end.settimeout(max(1, last - time.monotonic()))
                try:
                    end.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    told = end.recv(4096)
                    assert not told or b" 200 " in told[:20] or b" 503 " in told[:20], told
                    refused += not told or b" 503 " in told[:20]
                except OSError:
                    refused += 1
            served()
            assert refused >= wanted - 500, refused
            for end in ends:
                end.close()
            for _ in range(LONG * 10):  # room again
                if service.ask("GET", "/healthz")[0] == 200:
                    break
                time.sleep(0.1)
            for connection in first:
                connection.close()
    finally:
        for end in ends:
            end.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def claim_a_rate_is_kept_per_client():
    with running("--rate", "5") as service:
        found = [service.ask("GET", "/v1/experiments")[0] for _ in range(200)]
        assert found[0] == 200 and 429 in found
        assert service.ask("GET", "/healthz")[0] == 200


def claim_without_tokens_no_web_page_is_answered():
    with running() as service:
        experiment = service.create()
        path = f"/v1/experiments/{experiment}/decisions"
        own = f"localhost:{service.port}"
        for headers in ({"Host": "evil.example"}, {"Host": "localhost.evil.example"}, {"Host": "127.0.0.1.evil.example"},
                        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"http://{own}1"},
                        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
            service.bad("POST", path, {}, status=403, headers=headers)
            service.bad("GET", f"/v1/experiments/{experiment}", status=403, headers=headers)
        service.good("POST", path, {}, headers={"Host": own, "Origin": f"http://{own}", "Sec-Fetch-Site": "same-origin"})
        assert service.headers.get("Access-Control-Allow-Origin") is None
        service.bad("GET", "/", status=403, headers={"Host": "evil.example"})
        assert service.show(experiment)["decisions"] == 1


def claim_no_auth_is_for_loopback_only():
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/store.db"
        for address in ("0.0.0.0:0", "[::]:0"):
            told = tool("serve", "--listen", address, "--store", store, "--no-auth", code=2).stderr
            assert "loopback" in told, told
        for address in ("127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:99999", "127.0.0.1:-1", ":80", "[::1",
                        "nowhere.invalid:80"):
            tool("serve", "--listen", address, "--store", store, "--no-auth", code=2)


def claim_tokens_open_what_their_scope_says_and_nothing_after_they_are_revoked():
    with tempfile.TemporaryDirectory() as folder:
        store = stores.make(folder)
        tokens = {scope: tool("token", "create", "--store", store, "--scope", scope, "--name", scope).stdout.strip()
                  for scope in ("read", "decide", "admin", "read,decide")}
        if stores.KIND == "sqlite":
            assert oct(store.stat().st_mode & 0o777) == "0o600"
        with running(store=store, auth=True) as service:
            experiment = service.create(token=tokens["admin"])
            path = f"/v1/experiments/{experiment}"
            asked = {"read": ("GET", path, None), "decide": ("POST", path + "/decisions", {}),
                     "admin": ("POST", path + "/pause", {})}
            for holder, may in (("read", {"read"}), ("decide", {"decide"}), ("read,decide", {"read", "decide"}),
                                ("admin", {"read", "decide", "admin"})):
                for scope in ("decide", "read", "admin"):
                    status, _ = service.ask(*asked[scope], token=tokens[holder])
                    assert status == (200 if scope in may else 403), (holder, scope, status)
            for wrong in (None, "", "x", tokens["admin"] + "0", tokens["admin"][:-1], "y" * 5000):
                status, answer = service.ask("GET", path, token=wrong)
                assert status in (401, 400, 429, 431), (status, answer)
            service.bad("GET", "/metrics", status=401)
            assert service.headers["WWW-Authenticate"] == "Bearer"
            service.good("GET", "/healthz")
            service.good("GET", "/")
            listed = tool("token", "list", "--store", store).stdout
            assert not any(token in listed for token in tokens.values()) and listed.count("valid") == 4
            name = tokens["read"].split("_")[1]
            tool("token", "revoke", "--store", store, "--id", name)
            tool("token", "revoke", "--store", store, "--id", name, code=2)
            for _ in range(LONG * 10):
                status, _ = service.ask("GET", path, token=tokens["read"])
                if status != 200:
                    break
                time.sleep(0.1)
            assert status in (401, 429)
            service.good("GET", path, token=tokens["admin"])
        kept = stores.query(store, "SELECT * FROM tokens") if stores.KIND == "postgresql" else \
            [file.read_bytes() for file in pathlib.Path(folder).iterdir()]
        assert kept
        data = repr(kept).encode() if stores.KIND == "postgresql" else b"".join(kept)
        for token in tokens.values():
            assert token.encode() not in data and token.rpartition("_")[2].encode() not in data
        assert not any(token.rpartition("_")[2] in line for token in tokens.values() for line in service.lines)


def claim_wrong_tokens_are_counted():
    with tempfile.TemporaryDirectory() as folder:
        store = stores.make(folder)
        token = tool("token", "create", "--store", store, "--scope", "read").stdout.strip()
        with running(store=store, auth=True) as service:
            found = [service.ask("GET", "/v1/experiments", token="wrong")[0] for _ in range(200)]
            assert found[0] == 401 and 429 in found
            assert service.ask("GET", "/v1/experiments", token=token)[0] == 200


@sqlite_only
def claim_a_disk_that_is_full_answers_503_and_recovers():
    with running() as service:
        experiment = service.create()
        path = f"/v1/experiments/{experiment}/decisions"
        [decision] = service.decide(experiment)
        whole = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (0, whole[1]))
        for _ in range(3):
            service.bad("POST", path, {}, status=503, says="nothing was changed")
            service.bad("POST", "/v1/rewards", {"rewards": [{"decision_id": decision["decision_id"], "reward": 1}]},
                        status=503)
        assert service.ask("GET", "/readyz")[0] == 503 and service.ask("GET", "/healthz")[0] == 200
        assert service.show(experiment)["decisions"] == 1
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, whole)
        wait_until_ready(service)  # by itself: a balancer sends it nothing until then
        assert service.decide(experiment)[0]["decision_id"] == experiment + "-2"
        assert service.ask("GET", "/readyz")[0] == 200
        shown = service.show(experiment)
        assert shown["decisions"] == 2 and shown["rewards"] == 0
        audit(service.store)


@sqlite_only
def claim_a_store_that_is_read_only_answers_503_and_recovers():
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder) / "store.db"
        with running(store=store) as service:
            experiment = service.create()
            # Another process holds the file for itself: for the service it can only be read.
            db = sqlite3.connect(store, isolation_level=None)
            db.execute("BEGIN IMMEDIATE")
            service.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=503, says="store")
            assert service.show(experiment)["decisions"] == 0
            db.execute("ROLLBACK")
            db.close()
            service.decide(experiment)
        if os.geteuid() != 0:
            store.chmod(0o400)
            with running(store=store) as service:
                service.bad("POST", f"/v1/experiments/{experiment}/decisions", {}, status=503, says="store")
                assert service.show(experiment)["decisions"] == 1
                store.chmod(0o600)
                assert service.decide(experiment)[0]["decision_id"] == experiment + "-2"


def claim_a_service_that_is_asked_to_end_answers_what_is_under_way():
    with running() as service:
        experiment = service.create()
        connection = service.connect()
        connection.request("POST", f"/v1/experiments/{experiment}/decisions", json.dumps({"count": 1000}))
        first = connection.getresponse()
        answered = len(json.loads(first.read())["decisions"])
        service.stop()
        connection.close()
        last = audit(service.store)
        assert answered == 1000 and last.startswith("1 experiments, 1000 decisions"), last
        assert any('"stopped"' in line for line in service.lines)
        service.start()


def claim_logs_are_lines_of_json():
    with running("--log-requests") as service:
        experiment = service.create({"secret label": 1, "b": 1})
        service.decide(experiment)
    events = [json.loads(line) for line in service.lines]
    assert {"listening", "request", "stopping", "stopped"} <= {event["event"] for event in events}
    assert not any("secret label" in line for line in service.lines)


if __name__ == "__main__":
    run_claims(sys.modules[__name__])
