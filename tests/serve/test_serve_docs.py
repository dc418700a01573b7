"""docs/serve.md, executed: its lines of commands run as they stand, on another port, in a folder of their own."""

import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading

import claim
from service import LONG, SOURCE, TOOL, audit, is_built, running

PAGE = (SOURCE / "docs/serve.md").read_text(encoding="utf-8")


def commands():
    return re.findall(r"^    \$ (.*)$", PAGE, flags=re.M)


def claim_the_page_runs_from_a_table_to_a_decision():
    assert len(commands()) >= 8
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = "\n".join(["set -euo pipefail", "trap 'kill %1; wait' EXIT", *commands()])
    script = script.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("examples/", f"{SOURCE}/examples/")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=LONG,
                              env={**os.environ, "PATH": f"{pathlib.Path(TOOL).parent}:{os.environ['PATH']}"},
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        for part in ('"decision_id":"', '"accepted":1', '"arms":[', "xp_", "checkout"):
            assert part in done.stdout, f"{part} is not in {done.stdout}"
        shown = re.search(r'"action":"([^"]*)","probability":([0-9.]+)', done.stdout)
        assert shown, done.stdout


def claim_the_readme_runs_from_a_model_to_a_decision():
    readme = (SOURCE / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (.*)$", readme.partition("\n## As a service")[2].partition("\n## ")[0], flags=re.M)
    made = next(i for i, line in enumerate(lines) if "treatments" in line)
    lines[made] = f"{lines[made]} | tee made"
    lines[made + 1] = lines[made + 1].replace("/ID/", """/$(sed 's/.*"id":"\\([^"]*\\)".*/\\1/' made)/""")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = "\n".join(["set -euo pipefail", "trap 'kill %1; wait' EXIT", *lines])
    script = script.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("build/experior", "experior")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([TOOL, "fit", SOURCE / "examples/data/treatments.csv", "-o", "model.json"], cwd=folder,
                       capture_output=True, check=True)
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=LONG, check=False,
                              env={**os.environ, "PATH": f"{pathlib.Path(TOOL).parent}:{os.environ['PATH']}"})
        assert done.returncode == 0 and '"action":"' in done.stdout, done.stdout + done.stderr


def claim_a_backup_under_load_is_whole():
    with running() as service, tempfile.TemporaryDirectory() as folder:
        experiment = service.create()
        over = threading.Event()

        def load():
            while not over.is_set():
                rows = service.decide(experiment, count=20)
                service.reward(*[(row["decision_id"], 1) for row in rows[:10]])

        worker = threading.Thread(target=load)
        worker.start()
        copy = pathlib.Path(folder) / "copy.db"
        try:
            source, target = sqlite3.connect(service.store), sqlite3.connect(copy)
            source.backup(target)  # what .backup of the sqlite3 program does
            source.close()
            target.close()
        finally:
            over.set()
            worker.join()
        audit(copy)
        with running(store=copy) as restored:
            restored.decide(experiment)
        audit(copy)


def claim_the_files_of_a_deployment_name_options_that_exist():
    told = subprocess.run([TOOL, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    for name in ("experior.service", "Dockerfile"):
        text = (SOURCE / "docs/deploy" / name).read_text()
        lines = [line for line in text.splitlines() if "serve" in line and ("ExecStart" in line or "ENTRYPOINT" in line)]
        assert lines
        for option in re.findall(r"--[a-z-]+", " ".join(lines)):
            assert option in told, option


if is_built() and shutil.which("curl"):
    claim.run(sys.modules[__name__])
else:
    print("the service is not built, or curl is not installed")
    print("0 passed, 0 failed")
