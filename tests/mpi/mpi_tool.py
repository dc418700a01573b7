"""Runs the command line tool under mpirun, for tests, or says why that is not possible here."""

import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cli_tool import BUILD, HERE, TOOL, environment  # noqa: E402

PLUGIN = BUILD / "libexec" / "experior" / "experior-mpi.so"
# Several processes on one machine, however many cores it has, also as root, who may be the only user of a container. The
# loopback interface is enough, and the only one that always exists.
LAUNCH = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "btl_tcp_if_include", "lo",
          "--mca", "oob_tcp_if_include", "lo"]


def why_not():
    """Returns why MPI cannot be used here, or None if it can."""
    if shutil.which("mpirun") is None:
        return "mpirun is not installed"
    if not PLUGIN.exists():
        return "experior-mpi.so was not built"
    return None


def skip_unless_it_can_run():
    """If MPI cannot be used, ends the test as skipped (exit status 77 for ctest), or as failed if XP_MPIRUN=required."""
    reason = why_not()
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(1 if os.environ.get("XP_MPIRUN") == "required" else 77)


def start(processes, *words, **more):
    """Starts mpirun in a group of its own, in the test's directory."""
    return subprocess.Popen([*LAUNCH, "-n", str(processes), TOOL, *map(str, words)], cwd=HERE, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment(**more), start_new_session=True)


def end_group(process):
    """Ends whatever processes mpirun has left."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(processes, *words, code=0, **more):
    """Runs to the end; the exit status must be `code`."""
    process = start(processes, *words, **more)
    try:
        out, err = process.communicate(timeout=1200)
    finally:
        end_group(process)
    assert process.returncode == code, f"{words}: exit status {process.returncode}\n{out}\n{err}"
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def ranks(process):
    """Process ids of the tool's processes under a running mpirun."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                    name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
            except (OSError, IndexError):
                continue
            fields = rest.split()
            # Its parent is mpirun; one that has ended and waits to be noticed is none.
            if name == "experior" and int(fields[1]) == process.pid and fields[0] != "Z":
                found.append(int(entry))
    return found
