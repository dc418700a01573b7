#!/usr/bin/env python3
"""Reports on what there is: damaged units, searches without an end, units whose study or sweep is not there, several
sweeps in one directory, files of earlier runs."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, bad, load, run, write  # noqa: E402

GRID = {"name": "grid", "environments": ["bernoulli_bandit:arms=3"], "experts": ["optimal"], "demonstrations": [20],
        "agents": ["naive_ts", "naive_ucb", "ucb_explore"], "seeds": [3, 5], "problems": 3, "tasks": 4, "episodes": 30}
SEARCH = {"rounds": 2, "problems": 2, "keep": 0.4}  # two agents are left after the first round, one after the second


def sweep(directory, *words, code=0, **changes):
    return run("sweep", write("grid.json", json.dumps({**GRID, **changes})), "-o", directory, *words, code=code)


def study(directory, name, *words, code=0):
    return run("study", name, "--scale", "smoke", "-o", directory, *words, code=code)


def ask(directory, sql):
    with contextlib.closing(sqlite3.connect(HERE / directory / "study.sqlite")) as database, database:
        return database.execute(sql).fetchall()


def damage(directory, where):
    ask(directory, "UPDATE unit SET numbers = zeroblob(length(numbers)) WHERE (key, seed) IN "
                   f"(SELECT key, seed FROM unit {where})")


def bare(directory, *names):
    """A new directory with these files of another alone, as an interruption leaves them."""
    place = HERE / f"{directory}-bare"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in names:
        shutil.copy(HERE / directory / name, place / name)
    return place.name


def sections(directory):
    page = (HERE / directory / "index.html").read_text(encoding="utf-8")
    return re.findall(r'<section id="(\w+)"', page), page


def claim_a_damaged_unit_costs_itself_alone():
    first = study("torn", "figure3b")
    filed = "SELECT key, numbers FROM unit ORDER BY key"
    before = dict(ask("torn", filed))
    damage("torn", "LIMIT 1")
    done = run("report", "torn")
    assert "figure3b: 1 unit is damaged and is left out" in done.stderr, done.stderr
    assert "7 of 8 units finished" in done.stdout, done.stdout
    assert "1 unit is damaged and is left out" in study("torn", "figure3b", "--so-far").stderr
    again = study("torn", "figure3b")
    assert "1 unit is damaged and is computed again" in again.stderr and again.stdout == first.stdout
    after = dict(ask("torn", filed))
    assert sum(before[key] != after[key] for key in before) <= 1  # its seconds are others
    assert "damaged" not in run("report", "torn").stderr


def claim_a_damaged_unit_that_nobody_needs_blocks_nothing():
    sweep("needless", "--brief")  # all agents on the problems of the report
    kept, = {row["agent"] for row in load(sweep("needless", "--json", search=SEARCH).stdout)["rows"]}
    shutil.copytree(HERE / "needless", HERE / "whole")
    damage("needless", f"WHERE key LIKE '%/0/%' AND key NOT LIKE '%/{kept}%'")
    assert ask("needless", "SELECT count(*) FROM unit WHERE numbers = zeroblob(length(numbers))")[0][0] == 4
    for done in (run("report", "needless"), sweep("needless", "--brief", search=SEARCH)):
        assert "damaged" not in done.stderr, done.stderr
    done = run("compare", "whole", "needless")
    assert "4 only before, 0 only after" in done.stdout, done.stdout


def claim_a_sweep_goes_on_over_damage_and_comes_to_the_same():
    sweep("swept", "--brief", search=SEARCH)
    before = (HERE / "swept/grid-values.csv").read_bytes()
    damage("swept", "WHERE key LIKE '%/1000000/%' AND seed = 3")
    assert "the search is not finished: 3 units of round 1 are missing" in run("report", "swept", code=2).stderr
    assert "3 units are damaged and are computed again" in sweep("swept", "--brief", search=SEARCH).stderr
    assert (HERE / "swept/grid-values.csv").read_bytes() == before


def claim_a_file_that_is_no_database_is_refused():
    (HERE / "text").mkdir()
    write("text/study.sqlite", "no database at all " * 100)
    for words in (("report", "text"), ("study", "figure3b", "-o", "text"), ("compare", "text", "text")):
        bad(*words, says=["text/study.sqlite", "is not a file of finished study units"])


def claim_a_search_without_an_end_says_what_is_there_and_what_to_do():
    sweep("halved", "--brief", search=SEARCH)
    place = bare("halved", "study.sqlite", "grid.sweep")
    ask(place, "DELETE FROM unit WHERE key LIKE '%/1000003/%' OR key LIKE '%/0/%'")
    units, = ask(place, "SELECT count(*) FROM unit")[0]
    said = run("report", place, code=2).stderr
    assert f"{place}/grid.sweep: the search is not finished: 4 units of round 2 are missing" in said, said
    command = f"'experior sweep {place}/grid.sweep -o {place}'"
    assert f"'{place}' has {units} finished units, and {command} computes the rest" in said, said
    run(*command.strip("'").split()[1:], "--brief")
    assert (HERE / place / "grid-values.csv").read_bytes() == (HERE / "halved/grid-values.csv").read_bytes()
    ask(place, "DELETE FROM unit")
    assert "the search is not finished: 12 units of round 1 are missing" in run("report", place, code=2).stderr
    plain = {**GRID, "name": "plain"}
    run("sweep", write("plain.json", json.dumps(plain)), "-o", place, "--brief")
    ask(place, "DELETE FROM unit")
    assert "plain.sweep: there is nothing to report so far: none of 18 units" in run("report", place, code=2).stderr


def claim_a_search_that_is_finished_is_reported_before_its_report_has_begun():
    sweep("found", "--brief", search=SEARCH)
    place = bare("found", "study.sqlite", "grid.sweep")
    ask(place, "DELETE FROM unit WHERE key NOT LIKE '%/100000_/%'")
    done = run("report", place)
    assert "grid, sweep, 2 seeds: 0 of 6 units finished after the search" in done.stdout, done.stdout
    names, page = sections(place)
    assert names == ["grid"] and "The search is finished, but the units of the report are not finished." in page
    assert " has mean rank 1.00 and is reported." in page and "Unfinished: 0 of 6 units" in page
    done = load(sweep(place, "--so-far", "--json", search=SEARCH).stdout)
    assert done["rows"] == [] and len(done["candidates"]) == 3 + 2


def claim_units_of_another_version_are_told_of_in_a_report():
    sweep("older", "--brief")
    ask("older", "UPDATE unit SET version = '0.0.9'")
    said = run("report", "older", code=2).stderr
    assert "older/grid.sweep: 18 finished units are of another version or revision and are left out" in said, said
    assert "older/grid.sweep: there is nothing to report so far: none of 18 units is finished" in said, said


def seal(seed, *texts, numbers):
    value = 0xcbf29ce484222325
    for byte in seed.to_bytes(8, "little") + b"".join(text.encode() + b"\0" for text in texts) + numbers:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value.to_bytes(8, "little")


def claim_a_directory_without_a_report_says_what_it_has():
    sweep("only", "--brief")
    place = bare("only", "study.sqlite")
    bad("report", place, says=[f"'{place}' has 18 finished units", "nor to a sweep file (NAME.sweep)",
                               f"'experior sweep FILE -o {place} --so-far' reports on them"])
    run("sweep", "grid.json", "-o", place, "--so-far", "--brief")
    assert "18 of 18 units finished" in run("report", place).stdout
    with contextlib.closing(sqlite3.connect(HERE / place / "study.sqlite")) as database, database:
        for key, number, revision, blob in database.execute("SELECT key, seed, revision, numbers FROM unit").fetchall():
            sealed = blob[:-8] + seal(number, key, revision, "0.0.9", numbers=blob[:-8])
            database.execute("UPDATE unit SET version = '0.0.9', numbers = ? WHERE key = ? AND seed = ?",
                             (sealed, key, number))
    (HERE / place / "grid.sweep").unlink()
    damage(place, "WHERE seed = 3")
    bad("report", place, says=["has no units that can be used: 9 are of another version and 9 are damaged"])


def claim_the_page_shows_all_studies_and_sweeps_of_its_directory():
    run("sweep", write("other.json", json.dumps({**GRID, "name": "other", "seeds": [4]})), "-o", "shared", "--brief")
    study("shared", "figure3b", "--brief")
    sweep("shared", "--brief")
    names, page = sections("shared")
    assert names == ["figure3b", "grid", "other"] and "Not shown" not in page
    assert "<code>experior sweep DIR/other.sweep -o DIR</code>" in page and "study grid" not in page
    done = run("report", "shared")
    assert "grid, sweep, 2 seeds: 18 of 18 units finished" in done.stdout, done.stdout
    assert "other, sweep, seed 4: 9 of 9 units finished" in done.stdout, done.stdout
    assert sections("shared")[0] == names
    shutil.copy(HERE / "shared/other.json", HERE / "shared/my.json")
    (HERE / "shared/other.sweep").unlink()
    study("shared", "figure3b", "--brief")
    names, page = sections("shared")
    assert names == ["figure3b", "grid"] and page.count("is named after neither a study nor a sweep") == 2


def claim_the_sum_at_the_end_counts_every_unit_once():
    sweep("sum", "--brief", search=SEARCH, demonstrations=[20, 30])  # naive_ts and others are run once for both
    study("sum", "figure3b", "--brief")
    units, = ask("sum", "SELECT count(*) FROM unit")[0]
    found = load(run("report", "sum", "--json").stdout)
    assert found["work"]["units"] == units and found["work_of_the_paper"]["units"] == 8
    assert found["work"]["seconds"] > sum(each["seconds"] for each in found["studies"]) > 0  # the search is in it
    assert [each.get("seeds", each.get("seed")) for each in found["studies"]] == [1, 2]
    assert f"all finished units, each counted once: {units} units, " in run("report", "sum").stdout
    sweep("once", "--brief", demonstrations=[20, 30], agents=["naive_ts"])
    found = load(run("report", "once", "--json").stdout)
    assert abs(found["studies"][0]["seconds"] - found["work"]["seconds"]) < 1e-12, found


def claim_files_of_an_earlier_run_do_not_stay_beside_other_numbers():
    study("stale", "figure4", "--runs", "--brief")
    run("report", "stale")
    files = [HERE / "stale/figure4-runs.csv", HERE / "stale/figure4-aggregates.csv"]
    assert all(path.exists() for path in files)
    study("stale", "figure4", "--problems", "1", "--brief")
    assert not any(path.exists() for path in files)


def claim_what_a_sweep_that_is_killed_leaves_is_removed_by_the_next_one():
    sweep("killed", "--brief", problems=100, agents=["naive_ts"], episodes=2)
    size = (HERE / "killed/grid-values.sqlite").stat().st_size
    assert all(path.stat().st_size < size for path in (HERE / "killed").iterdir() if path.suffix in (".csv", ".html"))
    (HERE / "killed/grid-values.sqlite").unlink()

    def limit():  # the signal of a file that grows beyond its limit ends the program at once
        resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, size - 1))
    run("report", "killed", code=-signal.SIGXFSZ, preexec_fn=limit)
    left = [path.name for path in (HERE / "killed").iterdir() if "-values.sqlite" in path.name]
    assert len(left) == 1 and left[0].endswith(".tmp"), left
    sweep("killed", "--brief", problems=100, agents=["naive_ts"], episodes=2)
    assert [path.name for path in (HERE / "killed").iterdir() if "-values.sqlite" in path.name] == ["grid-values.sqlite"]


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
