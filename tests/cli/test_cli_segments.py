#!/usr/bin/env python3
"""Segments on the command line: fit --by, and --segment wherever a model is used."""

import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import bad, load, run, write  # noqa: E402

ARMS = ["standard care", "drug A", "drug B"]
COUNTS = {"18-30": (20, 13, 5), "31-50": (28, 20, 12), "51-70": (9, 12, 9), "over 70": (1, 3, 5)}


def table(name="segments.csv"):
    rows = [(arm, age) for age, counts in COUNTS.items() for arm, count in zip(ARMS, counts) for _ in range(count)]
    return write(name, "id,drug,age\n" + "".join(f"{i},{arm},{age}\n" for i, (arm, age) in enumerate(rows)))


def model():
    run("fit", table(), "--action", "drug", "--by", "age", "-o", "segments.json")
    return "segments.json"


def claim_fit_says_what_pooling_was_estimated_and_what_it_is_worth():
    text = run("fit", table(), "--action", "drug", "--by", "age").stdout
    for part in ("age (segment)", "the overall table is worth", "rows", "held-out", "with none", "with full", "over 70"):
        assert part in text, f"{part!r} is not in {text}"
    told = load(run("fit", table(), "--action", "drug", "--by", "age", "--json").stdout)
    held_out = told["pooling"]["held_out"]
    assert max(held_out["none"], held_out["full"]) < held_out["estimated"] < 0
    assert told["pooling"]["strength_low"] <= told["pooling"]["strength"] <= told["pooling"]["strength_high"]
    assert [each["name"] for each in told["segments"]] == list(COUNTS)
    for each in told["segments"]:
        assert tuple(each["counts"]) == COUNTS[each["name"]] and each["count"] == sum(each["counts"])
        assert math.isclose(sum(each["frequencies"]), 1) and 0 < each["own"] < 1
    assert told["segments"][1]["own"] > told["segments"][3]["own"], "more rows weigh more"


def claim_leaving_one_choice_out_of_no_pooling_is_what_it_should_be():
    told = load(run("fit", table(), "--action", "drug", "--by", "age", "--json").stdout)
    total = sum(sum(counts) for counts in COUNTS.values())
    alone = sum(n * math.log((n - 0.5) / (sum(counts) + 0.5)) for counts in COUNTS.values() for n in counts) / total
    assert math.isclose(told["pooling"]["held_out"]["none"], alone, rel_tol=1e-12)


def claim_a_segment_decides_by_its_own_frequencies():
    path = model()
    told = load(run("fit", table(), "--action", "drug", "--by", "age", "--json").stdout)
    laws = {}
    for each in told["segments"]:
        law = load(run("decide", path, "--segment", each["name"], "--json").stdout)
        assert law["segment"] == each["name"] and law["actions"] == ARMS
        assert all(abs(p - f) < 1e-6 for p, f in zip(law["probabilities"], each["frequencies"])), law
        laws[each["name"]] = law["probabilities"]
    overall = load(run("decide", path, "--json").stdout)
    assert "segment" not in overall
    assert laws["over 70"][2] > overall["probabilities"][2] > laws["18-30"][2]


def claim_the_model_without_segments_is_the_same_beside_them():
    path = model()
    run("fit", table(), "--action", "drug", "-o", "whole.json")
    assert run("decide", path).stdout == run("decide", "whole.json").stdout


def claim_an_unknown_segment_is_refused_with_near_names():
    path = model()
    bad("decide", path, "--segment", "over70", says=["no segment 'over70'; it has 'over 70'", "overall"])
    bad("inspect", path, "--segment", "20", says=["no segment '20'"])
    run("fit", table(), "--action", "drug", "-o", "whole.json")
    bad("decide", "whole.json", "--segment", "18-30", says=["has no segments", "--by"])
    bad("fit", table(), "--action", "drug", "--by", "sex", says=["sex"])
    bad("fit", table(), "--action", "drug", "--by", "age", "--agent", "behaviour_cloning", says=["experior_maxent"])


def claim_one_state_keeps_a_learner_per_segment():
    path, laws = model(), {}
    for name in ("51-70", "18-30"):
        drawn = load(run("decide", path, "--segment", name, "--state", "s", "--draw", "--json").stdout)
        assert drawn["segment"] == name
        assert drawn["probabilities"] == load(run("decide", path, "--segment", name, "--json").stdout)["probabilities"]
        laws[name] = drawn["probabilities"]
    told = load(run("observe", path, "--state", "s", "--list", "--json").stdout)["pending_decisions"]
    assert [one["segment"] for one in told] == ["51-70", "18-30"]
    done = load(run("observe", path, "--state", "s", "--decision", 1, "--reward", 1, "--json").stdout)
    assert done["observations"] == 1 and done["pending"] == 1, done
    after = {name: load(run("decide", path, "--segment", name, "--state", "s", "--json").stdout) for name in laws}
    assert after["51-70"]["observations"] == 1 and after["51-70"]["probabilities"] != laws["51-70"]
    assert after["18-30"]["observations"] == 0 and after["18-30"]["probabilities"] == laws["18-30"]
    assert load(run("decide", path, "--state", "s", "--json").stdout)["observations"] == 0
    bad("decide", path, "--segment", "over70", "--state", "s", "--draw", says=["no segment 'over70'"])


def claim_segments_are_inspected_and_simulated():
    path = model()
    told = load(run("inspect", path, "--segment", "over 70", "--tasks", 5, "--episodes", 20, "--json").stdout)
    assert told["actions"] == ARMS
    text = run("inspect", path, "--tasks", 5, "--episodes", 20).stdout
    assert "own share" in text and "18-30" in text
    run("simulate", "--tasks-from", path, "--segment", "51-70", "--agent", "oracle_ts", "--tasks", 2, "--episodes", 20)


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
