"""Lets schemathesis (PyPI) look for requests that the service does not answer as its OpenAPI document says: by examples at
the edges of the document, at random, and in sequences. Half of the random ones are about experiments that exist. The store
is audited afterwards.

    explore.py [--examples N] [--seed N] [--program SCHEMATHESIS]      XP_STORE=postgresql for the other store"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from service import audit, running


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="schemathesis")
    given = parser.parse_args()
    with running() as service, tempfile.TemporaryDirectory() as folder:
        known = [service.create(seed=i) for i in range(40)]
        for name in known:
            service.decide(name)
        config = pathlib.Path(folder) / "schemathesis.toml"
        config.write_text('[parameters]\n"path.experiment" = [' + ", ".join(f'"{name}"' for name in known) + "]\n")
        address = f"http://127.0.0.1:{service.port}/openapi.json"
        codes = []
        for words in (["--config-file", str(config), "run"], ["run"]):
            done = subprocess.run([given.program, *words, address, "--checks", "all", "--max-examples",
                                   str(given.examples), "--seed", str(given.seed), "--no-color"], cwd=folder, check=False)
            codes.append(done.returncode)
        assert service.process.poll() is None, "the service ended"
        print(audit(service.store))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
