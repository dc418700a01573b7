"""Lets schemathesis (PyPI) look for requests that the service does not answer as its OpenAPI document says: by examples at
the edges of the document, at random, and in sequences; then at random about an experiment and decisions that exist. The store
is audited afterwards.

    explore.py [--examples N] [--seed N] [--program SCHEMATHESIS]      XP_STORE=postgresql for the other store"""

import argparse
import json
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
        made = service.decide(known, count=100)
        address = f"http://127.0.0.1:{service.port}"
        config, narrow = pathlib.Path(folder) / "known.toml", pathlib.Path(folder) / "known.json"
        config.write_text(f'[parameters]\n"path.experiment" = "{known}"\n')
        document = service.good("GET", "/openapi.json")
        reward = document["components"]["schemas"]["Rewards"]["properties"]["rewards"]["items"]["properties"]
        reward["decision_id"] = {"enum": [row["decision_id"] for row in made]}
        reward["reward"] = {"anyOf": [{"enum": [0, 1]}, {"type": "number"}]}
        narrow.write_text(json.dumps(document))
        codes = []
        for config, place, more in (([], f"{address}/openapi.json", []),
                                    (["--config-file", str(config)], str(narrow),
                                     ["--url", address, "--phases", "fuzzing", "--exclude-operation-id", "deleteExperiment"])):
            done = subprocess.run([given.program, *config, "run", place, "--checks", "all", "--max-examples",
                                   str(given.examples), "--seed", str(given.seed), "--no-color",
                                   # how fast the explorer itself is, on a busy machine, is no fault of the service
                                   "--suppress-health-check", "too_slow", *more], cwd=folder, check=False)
            codes.append(done.returncode)
        assert service.process.poll() is None, "the service ended"
        print(audit(service.store))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
