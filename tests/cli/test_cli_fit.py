#!/usr/bin/env python3
"""experior fit with states: what it says of each prior, and what it refuses: fits that diverge, inputs that ask for
gigabytes."""

import json
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, INSTRUMENTED, SOURCE, bad, load, run, write  # noqa: E402

CORRIDOR = SOURCE / "examples" / "data" / "corridor.jsonl"


def peak_mebibytes():
    """The most memory that any program run so far has taken."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def claim_few_bytes_that_ask_for_gigabytes_are_refused_before_any_is_taken():
    write("wide.jsonl", '{"states": [[65535, 65535, 65535, 65535, 65535]], "actions": [0]}\n')
    for method in ("ensemble", "max_entropy", "modes", "mixture", "union"):
        bad("fit", "wide.jsonl", "--method", method,
            says=["wide.jsonl", "of 327680 inputs, 50 hidden units", "MiB of memory, and at most 1024 are allowed",
                  "use fewer networks"])
    mixed = [[65535, 0.5]] + [[step % 1000, 0.25] for step in range(19999)]
    write("mixed.jsonl", json.dumps({"states": mixed, "actions": [0, 1] * 10000}) + "\n")
    bad("fit", "mixed.jsonl", says=["a table of 20000 states of 262148 bytes each would take 5000 MiB"])
    write("prior.json", '{"a": [' + "1," * (12 << 20) + "1]}")
    bad("inspect", "prior.json", says=["prior.json", "25165834 bytes of JSON", "at most 512 are allowed"])
    header = ('{"a": [' + "{}," * (25 << 20) + "{}]}").encode()
    (HERE / "many.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    bad("inspect", "many.safetensors", says=["has a header of 78643211 bytes; at most 67108864 are read"])
    header = header[:7] + b"{}," * (5 << 20) + b"{}]}"
    (HERE / "many.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    bad("inspect", "many.safetensors", says=["15728651 bytes of JSON", "at most 1024 are allowed"])
    assert INSTRUMENTED or peak_mebibytes() < 500, peak_mebibytes()  # a sanitizer shadows memory


def claim_a_fit_that_diverges_is_an_error_and_nothing_is_written():
    told = run("fit", CORRIDOR, "--method", "max_entropy", "--clip", 0, "--regulariser", 1e4,
               "-o", "large.safetensors", code=1)
    assert "its networks are not finite. Use a smaller chain_rate or regulariser, or a clip above 0" in told.stderr
    assert not (HERE / "large.safetensors").exists()


def claim_states_may_be_in_any_unit():
    write("small.jsonl", '{"states": [[0.25], [0.5]], "actions": [0, 1]}\n')
    write("large.jsonl", '{"states": [[2.5e25], [5e25]], "actions": [0, 1]}\n')
    for method in ("ensemble", "modes", "mixture", "union"):
        small, large = (load(run("fit", f"{name}.jsonl", "--method", method, "--json").stdout) for name in ("small", "large"))
        assert abs(small["log_likelihood"] - large["log_likelihood"]) < 1e-6, (small, large)


def claim_trajectories_that_demos_writes_are_read_in_every_format_whatever_the_experts_left_out():
    # No optimal expert of the lake goes left: action 3 is named before the first trajectory.
    told = []
    for ending in ("jsonl", "csv"):
        run("demos", "--env", "frozen_lake", "--count", 50, "--format", ending, "-o", f"left_out.{ending}")
        told.append(load(run("fit", f"left_out.{ending}", "--method", "ensemble", "--pretrain-steps", 1, "--json").stdout))
    assert (HERE / "left_out.jsonl").read_text().startswith('{"action":3,"count":0}\n')
    assert [each["demonstrations"] for each in told] == [50, 50], told


def claim_each_method_says_what_its_prior_rests_on():
    assert "rests on" not in run("fit", CORRIDOR, "--method", "ensemble").stdout
    text = run("fit", CORRIDOR, "--method", "modes").stdout
    assert " modes (effective number)\n" in text and "reference" not in text, text
    for method in ("mixture", "union"):
        assert " policies (effective number)\n" in run("fit", CORRIDOR, "--method", method).stdout
    text = run("fit", CORRIDOR, "--method", "max_entropy", "--chain-steps", 10).stdout
    assert " reference networks (effective number)\n" in text, text
    told = load(run("fit", CORRIDOR, "--method", "modes", "--json").stdout)
    assert told["effective_of"] == "modes" and 1 <= told["effective"] <= told["networks"] == 2


def claim_a_random_environment_does_not_make_the_divergence_negative():
    run("demos", "--env", "frozen_lake", "--observation", "mdp", "--format", "jsonl", "-o", "lake.jsonl")
    told = load(run("fit", "lake.jsonl", "--env", "frozen_lake", "--observation", "mdp", "--method", "modes",
                    "--json").stdout)
    # One mode follows all of the nine walks, whose likelihoods of 0.9 and more add up to 9 times that.
    assert told["networks"] == 1 and 0 <= told["divergence"] < 0.11, told


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
