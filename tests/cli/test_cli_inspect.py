"""What an inspection says on the command line: the answer first, JSON with everything, a page, segments, warnings."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, bad, fitted, load, run, write  # noqa: E402

QUICK = ["--tasks", 40, "--draws", 300]


def claim_the_answer_comes_first_and_json_has_everything():
    model = fitted("sure", ["a"] * 90 + ["b"] * 7 + ["c"] * 3)
    text = run("inspect", model, "--tasks", 150).stdout
    assert text.startswith("Yes: over the first 100 decisions the experts' choices save about"), text[:200]
    seen = load(run("inspect", model, "--tasks", 150, "--json").stdout)
    assert text.replace("\n", " ").startswith(seen["answer"])
    assert [each["decisions"] for each in seen["horizons"]] == [10, 100, 1000]
    for each in seen["horizons"]:
        assert abs(each["saved"] - (each["regret_without"] - each["regret"])) < 1e-9
        assert abs(each["saved_share"] - each["saved"] / each["regret_without"]) < 1e-9
    assert 0 < seen["head_start"] < 1000 and seen["held_out"]["folds"] == 0
    assert seen["held_out"]["log_likelihood"] > seen["held_out"]["guessing"]
    density = seen["mean_reward_density"]
    for arm in density["arms"]:
        assert abs(sum(arm) * (density["high"] - density["low"]) / len(arm) - 1) < 0.01
    quantiles = seen["mean_reward_quantiles"]
    assert all(quantiles["q05"][k] < quantiles["q50"][k] < quantiles["q95"][k] for k in range(3))
    assert [each["beta"] for each in seen["competences"]][-1] == "inf" and seen["competences"][-1]["feasible"]
    assert run("inspect", model, "--tasks", 150, "--json").stdout == run("inspect", model, "--tasks", 150, "--json").stdout


def claim_a_page_is_written_beside_what_is_printed():
    model = fitted("paged", ["a"] * 30 + ["b"] * 10)
    said = run("inspect", model, *QUICK, "--html", "page.html").stdout
    page = (HERE / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    assert said == run("inspect", model, *QUICK).stdout
    failed = run("inspect", model, *QUICK, "--html", "nowhere/page.html", code=2)
    assert "nowhere/page.html" in failed.stderr and failed.stdout == ""
    states = write("walk.csv", "demonstration,step,action,state_0\n0,0,1,0\n0,1,1,1\n")
    run("fit", states, "--agent", "boot_dqn:members=2", "-o", "walk.safetensors")
    bad("inspect", "walk.safetensors", "--html", "walk.html", says=["no arms to draw", "--html"])


def claim_a_stated_scale_is_that_of_the_tasks():
    model = fitted("scaled", ["a"] * 30 + ["b"] * 10)
    own = load(run("inspect", model, *QUICK, "--json").stdout)
    rare = load(run("inspect", model, *QUICK, "--mean", 0.01, "--json").stdout)
    assert rare["horizons"][0]["regret_without"] < own["horizons"][0]["regret_without"] / 4
    assert "stated" in rare["scale"] and rare["mean_reward"] == own["mean_reward"]
    bad("inspect", model, "--mean", 1.5, says=["mean"])


def claim_every_segment_is_inspected():
    rows = [("north", "a")] * 40 + [("north", "b")] * 10 + [("south", "b")] * 30 + [("south", "c")] * 6
    path = write("shops.csv", "shop,action\n" + "".join(f"{shop},{arm}\n" for shop, arm in rows))
    run("fit", path, "--by", "shop", "-o", "shops.json")
    seen = load(run("inspect", "shops.json", *QUICK, "--json", "--html", "shops.html").stdout)
    assert [each["name"] for each in seen["segments"]] == ["north", "south"]
    north, south = seen["segments"]
    best = [seen["actions"][max(range(3), key=each["probability_best"].__getitem__)] for each in (north, south)]
    assert best == ["a", "b"] and north["counts"] != south["counts"]
    for each in (north, south):
        assert each["effective_demonstrations"] >= each["demonstrations"] - 1e-9
        assert each["held_out"]["log_likelihood"] > each["held_out"]["guessing"]
        assert len(each["horizons"]) == 3 and len(each["competences"]) == 7
    assert set(seen["pooling"]["held_out"]) == {"none", "full", "estimated"}
    page = (HERE / "shops.html").read_text(encoding="utf-8")
    assert page.count('id="segment-') == 2 and "Segment by segment" in page
    text = run("inspect", "shops.json", *QUICK).stdout
    assert "north" in text and "south" in text and "own share" in text
    one = load(run("inspect", "shops.json", "--segment", "south", *QUICK, "--json").stdout)
    assert one["probability_best"] == south["probability_best"] and "segments" not in one


def claim_what_is_wrong_with_the_data_is_said():
    def codes(path, *options):
        run("fit", path, "-o", "warned.json", *options)
        return {each["code"] for each in load(run("inspect", "warned.json", *QUICK, "--json").stdout)["warnings"]}

    few = codes(write("few.csv", "action\n" + "a\n" * 9 + "b\n"), )
    assert "few_rows" in few, few
    even = codes(write("even.csv", "action,count\na,34\nb,33\nc,33\n"))
    assert "no_preference" in even, even
    late = codes(write("late.csv", "action\n" + "a\nb\n" * 100 + "b\nb\nc\n" * 60))
    assert "drift" in late, late
    habits = "".join(f"{'a' if i % 3 else 'b'},eve\n{'b' if i % 4 else 'c'},bob\n" for i in range(120))
    apart = codes(write("apart.csv", "action,who\n" + habits), "--expert", "who")
    assert "experts_disagree" in apart and "drift" not in apart, apart
    never = codes(write("never.csv", "action,count\na,60\nb,40\nc,0\n"))
    assert "never_chosen" in never, never


claim.run(sys.modules[__name__])
