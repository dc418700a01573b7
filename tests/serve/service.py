"""The decision service as tests use it: the real program on a free port, with a store of its own."""

import contextlib
import http.client
import json
import os
import pathlib
import queue
import signal
import subprocess
import tempfile
import threading

import stores

SOURCE = pathlib.Path(os.environ.get("XP_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build"))
TOOL = str(BUILD / "experior")
PROGRAM = BUILD / "libexec/experior/experior-serve"
INSTRUMENTED = os.environ.get("XP_INSTRUMENTED", "0") == "1"
LONG = 120  # seconds; far more than anything here takes, even on a busy machine under a sanitizer
CHOICES = {"a": 12, "b": 3, "c": 1}


def is_built():
    """Whether the service can be tested here; if not, a word on why. With XP_POSTGRESQL_SERVER=required it must be."""
    required = os.environ.get("XP_POSTGRESQL_SERVER") == "required"
    if not PROGRAM.exists():
        print("the service is not built")
    elif stores.KIND == "postgresql" and not uses_postgresql():
        assert not required, "the service is built without PostgreSQL"
        print("the service is built without PostgreSQL")
    elif not stores.is_there():
        assert not required, "no PostgreSQL server is installed"
        print("no PostgreSQL server is installed: tools/install_packages.sh database")
    else:
        return True
    return False


def uses_postgresql():
    told = subprocess.run([PROGRAM, "audit", "--store", "postgresql://127.0.0.1:1/none?connect_timeout=1"],
                          capture_output=True, text=True, check=False).stderr
    return "libpq-dev" not in told


def run_claims(module):
    import claim  # only tests need it

    if is_built():
        claim.run(module)
    print("0 passed, 0 failed")


def sqlite_only(function):
    """Marks a claim on SQLite files, or one that is not about the store: it is not repeated for the other store."""
    function.sqlite_only = True
    return function


class Service:
    """One process. `options` are those of experior serve beside --listen and --store."""

    def __init__(self, store, *options, auth=False, program=(TOOL, "serve"), **more):
        self.store = store
        self.words = [*program, "--listen", "127.0.0.1:0", "--store", str(store), *options]
        if not auth:
            self.words += ["--no-auth", *(["yes"] if program[0] != TOOL else [])]
        self.more = more
        self.lines = []
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stderr=subprocess.PIPE, text=True, **self.more)
        heard = queue.Queue()

        def listen(stream):
            for line in stream:
                self.lines.append(line)
                heard.put(line)
            heard.put(None)

        self.listener = threading.Thread(target=listen, args=(self.process.stderr,), daemon=True)
        self.listener.start()
        while True:
            line = heard.get(timeout=LONG)
            assert line is not None, f"the service did not start: {self.lines}"
            if '"listening"' in line:
                self.port = int(json.loads(line)["address"].rpartition(":")[2])
                return

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(LONG)
        self.listener.join(LONG)
        self.process.stderr.close()

    def stop(self, code=0):
        """Asks it to end; it must do so without a complaint."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        ended = self.process.wait(LONG)
        self.listener.join(LONG)
        self.process.stderr.close()
        assert ended == code, f"exit status {ended}: {''.join(self.lines[-20:])}"

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)

    def ask(self, method, path, body=None, token=None, headers=None, connection=None):
        """The status, and the answer: an object where it is JSON, else a text."""
        data = None if body is None else body if isinstance(body, (bytes, str)) else json.dumps(body)
        more = dict(headers or {})
        if token:
            more["Authorization"] = f"Bearer {token}"
        own = connection or self.connect()
        try:
            own.request(method, path, data, more)
            answer = own.getresponse()
            text = answer.read().decode()
            self.headers = answer.headers
            kind = answer.headers.get("Content-Type", "")
            return answer.status, json.loads(text) if kind == "application/json" and method != "HEAD" else text
        finally:
            if connection is None:
                own.close()

    def good(self, method, path, body=None, **more):
        status, answer = self.ask(method, path, body, **more)
        assert status in (200, 201), f"{method} {path} {body}: {status} {answer}"
        return answer

    def bad(self, method, path, body=None, status=400, says="", **more):
        found, answer = self.ask(method, path, body, **more)
        assert found == status and says in answer["error"], f"{method} {path} {str(body)[:200]}: {found} {answer}"
        return answer["error"]

    def create(self, choices=None, **more):
        token = more.pop("token", None)
        return self.good("POST", "/v1/experiments", {"name": "test", "choices": choices or CHOICES, **more},
                         token=token)["id"]

    def decide(self, experiment, token=None, **body):
        return self.good("POST", f"/v1/experiments/{experiment}/decisions", body, token=token)["decisions"]

    def reward(self, *pairs):
        return self.good("POST", "/v1/rewards",
                         {"rewards": [{"decision_id": name, "reward": value} for name, value in pairs]})

    def show(self, experiment):
        return self.good("GET", f"/v1/experiments/{experiment}")

    def export(self, experiment):
        lines = self.good("GET", f"/v1/experiments/{experiment}/export.csv").splitlines()
        names = lines[0].split(",")
        return [dict(zip(names, line.split(","))) for line in lines[1:]]


@contextlib.contextmanager
def running(*options, store=None, **more):
    """A service in a folder of its own, which ends in order."""
    with tempfile.TemporaryDirectory(prefix="experior-serve-") as folder:
        service = Service(store or stores.make(folder), *options, **more)
        try:
            yield service
        except BaseException:
            service.kill()
            raise
        service.stop()


def tool(*words, code=0, seconds=LONG):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == code, f"{words}: {done.returncode} {done.stdout} {done.stderr}"
    return done


def audit(store, seconds=LONG):
    """Every decision is computed again; none differs. Returns the line that counts them."""
    last = tool("audit", "--store", store, seconds=seconds).stdout.splitlines()[-1]
    assert last.endswith("; 0 differ"), last
    return last
