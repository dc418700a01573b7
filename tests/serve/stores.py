"""The stores that tests give to the service: SQLite files, or databases of a PostgreSQL server that is started here, not
as root, in a folder of its own. XP_STORE says which of the two the tests of this process use."""

import atexit
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

KIND = os.environ.get("XP_STORE", "sqlite")
WAIT = 120  # seconds; far more than a server takes to start


def find_programs():
    """The folder of Debian's server programs, or None."""
    places = [pathlib.Path(place) for place in sorted(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin")),
                                                      key=lambda place: float(place.split("/")[4]), reverse=True)]
    found = shutil.which("postgres")
    places += [pathlib.Path(found).resolve().parent] if found else []
    return next((place for place in places if (place / "initdb").exists() and (place / "psql").exists()), None)


def children(pid):
    """Processes that a process started, from /proc."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if int(place.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(place.parent.name))
    return found


class Server:
    """A PostgreSQL server on a Unix socket. `options` are settings, as in fsync="off"."""

    def __init__(self, **options):
        self.programs = find_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="experior-postgresql-"))
        self.options, self.process, self.databases = options, None, 0
        self.as_user = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            owner = names.get("postgres") or names["nobody"]
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.as_user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self.folder.chmod(0o755)
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C",
                 "--no-sync", "--wal-segsize", "1")
        self.start()
        atexit.register(self.remove)

    def run(self, program, *words):
        done = subprocess.run([self.programs / program, *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=WAIT, **self.as_user)
        assert done.returncode == 0, f"{program} {words}: {done.stdout} {done.stderr}"
        return done.stdout

    def start(self, limit=None):
        """With a limit, no file may be larger than so many bytes."""
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "max_connections": "60",
                    "min_wal_size": "8MB", "max_wal_size": "256MB", "recovery_init_sync_method": "syncfs", **self.options}
        limited = ["prlimit", f"--fsize={limit}:{limit}"] if limit else []
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        end = time.monotonic() + WAIT
        while True:
            with open(self.folder / "log", "ab") as log:
                self.process = subprocess.Popen([*limited, self.programs / "postgres", "-D", self.folder / "data",
                                                 *words],
                                                cwd=self.folder, stdout=log, stderr=log, **self.as_user)
            while self.process.poll() is None:
                asked = subprocess.run([self.programs / "pg_isready", "-q", "-h", self.folder], check=False)
                if asked.returncode == 0:
                    return
                assert time.monotonic() < end, "PostgreSQL does not start: " + (self.folder / "log").read_text()[-2000:]
                time.sleep(0.05)
            # One that was killed may still be letting go of its memory.
            assert time.monotonic() < end, "PostgreSQL does not start: " + (self.folder / "log").read_text()[-2000:]
            time.sleep(0.1)

    def kill(self):
        """All processes of the server end at once."""
        pids = [self.process.pid]
        self.process.send_signal(signal.SIGSTOP)  # it starts no others meanwhile
        pids += children(self.process.pid)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(WAIT)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # fast: connections are ended
            self.process.wait(WAIT)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, text, database="postgres"):
        return self.run("psql", "-X", "-A", "-t", "-q", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U",
                        "postgres", "-d", database, "-c", text)

    def make(self, more=""):
        """An empty database."""
        self.databases += 1
        name = f"d{self.databases}"
        self.psql(f"CREATE DATABASE {name} {more}")
        return Database(self, name)


class Database(str):
    """Where a database is, as the service is told; a string that knows its server."""

    def __new__(cls, server, name):
        made = super().__new__(cls, f"postgresql:///{name}?host={server.folder}&user=postgres")
        made.server, made.name = server, name
        return made


_server = None


def server():
    """The server of this process, started when it is first asked for."""
    global _server
    if _server is None:
        _server = Server()
    return _server


def is_there(kind=None):
    """Whether stores of this kind can be made here."""
    return (kind or KIND) == "sqlite" or find_programs() is not None


def make(folder, name="store"):
    """A store that does not exist yet: what --store gets."""
    return pathlib.Path(folder) / f"{name}.db" if KIND == "sqlite" else server().make()


def query(store, text):
    """The rows that a statement gives, as texts or numbers; or how many rows it changed."""
    if isinstance(store, Database):
        told = store.server.psql(f"SET search_path = experior; {text}", store.name).splitlines()
        return [tuple(line.split("\t")) for line in told]
    db = sqlite3.connect(store)
    try:
        with db:
            return db.execute(text).fetchall()
    finally:
        db.close()


def copy(store, folder):
    """Another store with the same rows; the service is not running."""
    if isinstance(store, Database):
        return store.server.make(f"TEMPLATE {store.name}")
    target = pathlib.Path(folder) / "copy.db"
    target.write_bytes(store.read_bytes())
    return target


def set_version(store, version):
    query(store, f"UPDATE version SET version = {version}" if isinstance(store, Database)
          else f"PRAGMA user_version = {version}")
