"""Lets schemathesis (PyPI) look for requests that the service does not answer as its OpenAPI document says: by examples at
the edges of the document, at random, and in sequences; then at random about an experiment that exists. The store is audited afterwards.

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
        known = service.create()
        service.decide(known, count=100)
        config = pathlib.Path(folder) / "known.toml"
        config.write_text(f'[parameters]\n"path.experiment" = "{known}"\n')
        address = f"http://127.0.0.1:{service.port}/openapi.json"
        codes = []
        for config, more in (([], []), (["--config-file", str(config)],
                                        ["--phases", "fuzzing", "--exclude-operation-id", "deleteExperiment"])):
            done = subprocess.run([given.program, *config, "run", address, "--checks", "all", "--max-examples",
                                   str(given.examples), "--seed", str(given.seed), "--no-color",
                                   # how fast the explorer itself is, on a busy machine, is no fault of the service
                                   "--suppress-health-check", "too_slow", *more], cwd=folder, check=False)
            codes.append(done.returncode)
        assert service.process.poll() is None, "the service ended"
        print(audit(service.store))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
