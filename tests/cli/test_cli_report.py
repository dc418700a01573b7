#!/usr/bin/env python3
"""A report in a directory where others can write: nothing of theirs acts in the page, hangs the program or is shown
under its name."""

import base64
import html.parser
import json
import os
import pathlib
import shutil
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import claim  # noqa: E402
from cli_tool import HERE, bad, run, write  # noqa: E402

STUDY = ["study", "figure3b", "--scale", "smoke", "-o"]
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 600" width="920" height="600">\n<title>t</title>'
EVIL = ("<SCRIPT>alert(1)</SCRIPT><image href='x' onerror='alert(2)'/><a href='javascript:alert(3)'>x</a>"
        "<foreignObject><iframe src='http://example.org'></iframe></foreignObject>")


class Page(html.parser.HTMLParser):
    """The elements of a page, and the pictures in its images."""

    def __init__(self, place):
        super().__init__()
        self.elements, self.pictures, self.text = [], [], (place / "index.html").read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def check(self):
        """Nothing that could act, and nothing to fetch."""
        for tag, attributes in self.elements:
            assert tag not in ("script", "svg", "iframe", "object", "embed", "base", "link", "form", "foreignobject"), tag
            for name, value in attributes.items():
                assert not name.startswith("on"), (tag, name)
                assert name not in ("href", "src") or not value.lower().startswith(("javascript", "http", "//")), value
            if tag == "img":
                kind, data = attributes["src"].split(",", 1)
                assert kind == "data:image/svg+xml;base64"
                self.pictures.append(base64.b64decode(data, validate=True).decode())
        policy = [each for tag, each in self.elements if tag == "meta" and "http-equiv" in each]
        assert policy and "default-src 'none'" in policy[0]["content"], policy
        return self


def directory(name):
    """A directory with the report of one study; the other study's JSON, as it would be."""
    place = HERE / name
    shutil.rmtree(place, ignore_errors=True)
    run(*STUDY, name)
    result = json.loads((place / "figure3b.json").read_text(encoding="utf-8"))
    result["study"] = "figure2"
    return place, result


def put(place, result):
    (place / "figure2.json").write_text(json.dumps(result), encoding="utf-8")


def again(place):
    run(*STUDY, place.name)
    return Page(place).check()


def seal(svg):
    """What makes a file look like one that the program wrote: no secret, as svg.c says."""
    value = 0xcbf29ce484222325
    for byte in svg.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{svg}<!-- ExPerior {value:016x} -->\n"


def claim_a_report_shows_its_pictures_as_images():
    place, _ = directory("plain")
    page = again(place)
    if shutil.which("gnuplot"):
        assert len(page.pictures) == 1
        root = xml.etree.ElementTree.fromstring(page.pictures[0])
        assert root.find("{http://www.w3.org/2000/svg}title").text.startswith("Figure 3b")
    assert page.text.count("<section") == 1


def claim_pictures_of_others_are_not_shown():
    place, result = directory("pictures")
    result["pictures"] = [{"title": "film", "file": "figure2-picture-1.svg"}]
    put(place, result)
    ours = again(place).pictures
    for svg in (f"{HEAD}{EVIL}</svg>\n", HEAD.replace("<svg", "<svg onload='alert(1)'") + "</svg>\n", "", "\0", "<svg ",
                seal(f"{HEAD}</svg>\n").replace("<title>", "<title onclick='x'>")):
        (place / "figure2.svg").write_text(svg, encoding="utf-8")
        (place / "figure2-picture-1.svg").write_text(svg, encoding="utf-8")
        page = again(place)
        assert page.pictures == ours and "alert(" not in page.text and page.text.count("<section") == 2
        assert "is not one that ExPerior wrote" in page.text and "or not one that ExPerior wrote" in page.text


def claim_a_forged_picture_is_an_image_in_which_nothing_runs():
    place, result = directory("forged")
    result["pictures"] = [{"title": "\"><script>alert(0)</script>", "file": "../../etc/passwd"}]
    put(place, result)
    before = len(again(place).pictures)
    (place / "figure2.svg").write_text(seal(f"{HEAD}{EVIL}</svg>\n"), encoding="utf-8")
    (place / "figure2-picture-1.svg").write_text(seal(f"{HEAD}{EVIL}</svg>\n"), encoding="utf-8")
    page = again(place)
    assert len(page.pictures) == before + 2 and "alert(1)" not in page.text


def claim_text_from_a_result_cannot_leave_its_place():
    place, result = directory("text")
    mark = "</style></title>\"'><script>alert(1)</script><img src=x onerror=alert(2)>&lt;"
    for key in ("title", "scale", "version", "reference"):
        result[key] = mark
    result["notes"] = result["findings"] = [mark]
    for row in result["rows"]:
        row.update(agent=mark, spec=mark, group=mark, measure=mark)
    put(place, result)
    (place / "<img src=x onerror=alert(3)>.json").write_text("{}", encoding="utf-8")
    page = again(place)
    assert page.text.count("<section") == 2 and "&lt;script&gt;alert(1)" in page.text
    assert "onerror=alert(3)&gt;.json&#39; is named after neither a study" in page.text


def claim_a_result_under_another_name_is_not_shown():
    place, result = directory("names")
    for name in ("../up", "figure3b", "", "figure2/../figure2", "\"><script>alert(1)</script>"):
        result["study"] = name
        put(place, result)
        page = again(place)
        assert page.text.count("<section") == 1
        assert "figure2.json&#39; is not the result of study &#39;figure2&#39;" in page.text
    assert not (HERE / "up.svg").exists()


def claim_a_result_that_is_not_one_is_refused_whatever_it_holds():
    place, result = directory("values")
    whole = json.dumps(result)
    changes = [("rows", 7), ("rows", [[]]), ("rows", [{}]), ("series", None), ("series", [{"x": [1], "y": [1, 2]}]),
               ("notes", [1]), ("findings", "x"), ("pictures", {}), ("pictures", [{}]), ("title", None), ("version", 1)]
    texts = ["", "[" * 100000, whole[:-5], whole + "x", whole.replace('"study"', '"study": "a", "study"'), "\xff",
             *(json.dumps({**result, key: value}) for key, value in changes)]
    for text in texts:
        (place / "figure2.json").write_text(text, encoding="latin-1")
        page = again(place)
        assert page.text.count("<section") == 1 and "Not shown: " in page.text, text[:200]
    for row in result["rows"]:  # numbers that no study has
        row.update(degrees=1e-300, difference=1e308, difference_se=-1e308, priors=2**62, mean=-1e308)
    put(place, result)
    assert again(place).text.count("<section") == 2


def claim_pipes_devices_links_and_folders_are_neither_read_nor_written():
    secret = HERE / "secret.svg"
    secret.write_text(seal(f"{HEAD}<text>SECRET</text></svg>\n"), encoding="utf-8")
    makers = [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path), lambda path: os.symlink(secret, path)]
    for make in makers:
        place, result = directory("kinds")
        result["pictures"] = [{"title": "film", "file": "figure2-picture-1.svg"}]
        put(place, result)
        pictures = again(place).pictures
        make(place / "figure2.svg")
        make(place / "figure2-picture-1.svg")
        page = again(place)
        assert page.pictures == pictures and "SECRET" not in page.text
        (place / "figure2.json").unlink()
        make(place / "figure2.json")
        page = again(place)
        assert page.text.count("<section") == 1 and "figure2.json&#39; is not a regular file" in page.text
    for name in ("figure3b.json", "figure3b.csv", "figure3b.svg", "index.html", "study.sqlite"):
        if name == "figure3b.svg" and not shutil.which("gnuplot"):
            continue
        place, _ = directory("written")
        (place / name).rename(HERE / "kept")
        kept = (HERE / "kept").read_bytes()
        os.mkfifo(place / name)
        bad(*STUDY, "written", says=[f"written/{name}", "is not a regular file"])
        assert pathlib.Path(place / name).is_fifo()
        (place / name).unlink()
        os.symlink(HERE / "kept", place / name)
        bad(*STUDY, "written", says=[f"written/{name}", "is not a regular file"])
        assert (HERE / "kept").read_bytes() == kept and (place / name).is_symlink()


def claim_no_file_of_a_sweep_is_written_through_a_link_or_read_from_a_pipe():
    write("grid.json", json.dumps({"name": "grid", "environments": "bernoulli_bandit:arms=2", "experts": "optimal",
                                   "demonstrations": 9, "agents": "naive_ts", "problems": 2, "tasks": 2, "episodes": 9}))
    write("another's", "precious")
    for name in ("grid.sweep", "grid.json", "grid.csv", "grid-values.csv", "grid-values.sqlite", "index.html"):
        shutil.rmtree(HERE / "swept", ignore_errors=True)
        (HERE / "swept").mkdir()
        os.symlink("../another's", HERE / "swept" / name)
        bad("sweep", "grid.json", "-o", "swept", says=[f"swept/{name}", "is not a regular file"])
        assert (HERE / "another's").read_text(encoding="utf-8") == "precious"
    run("sweep", "grid.json", "-o", "pipes", "--brief")
    (HERE / "pipes" / "grid.sweep").unlink()
    for make in (os.mkfifo, lambda path: os.symlink(HERE / "grid.json", path), os.mkdir):
        shutil.copytree(HERE / "pipes", HERE / "pipe")
        make(HERE / "pipe" / "grid.sweep")
        assert "pipe/grid.sweep' is not a regular file" in run("report", "pipe", code=2).stderr
        shutil.rmtree(HERE / "pipe")


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
