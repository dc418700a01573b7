#!/usr/bin/env python3
"""The page about a model as a browser shows it: on a phone and on a desk, light and dark. Needs Chromium: where it is not
installed the test is skipped and says so, except where XP_BROWSER=required (CI).

    test_inspection_page.py --pictures DIR     renews the pictures of the documentation
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import browser
import claim
import pixels

SOURCE = pathlib.Path(os.environ.get("XP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build"))
TOOL = str(BUILD / "experior")
DATA = SOURCE / "examples" / "data" / "lessons.csv"
PICTURES = SOURCE / "docs" / "pictures"
PLACE = tempfile.TemporaryDirectory(prefix="experior-page-")
HERE = pathlib.Path(PLACE.name)
SCREENS = [(width, dark) for width in (390, 1200) for dark in (False, True)]
LONGEST = "x" * 300 + " " + "verylongword" * 8


def tool(*words):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, cwd=HERE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def page(name, table, *options):
    """Fits a table of choices, inspects the model and gives the page's path."""
    tool("fit", table, "-o", f"{name}.json")
    tool("inspect", f"{name}.json", "--html", f"{name}.html", *options)
    return HERE / f"{name}.html"


def picture_name(width, dark):
    return f"inspect-{width}-{'dark' if dark else 'light'}.png"


def size_of(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    return struct.unpack(">II", png[16:24])


def quick(name, table):
    return page(name, table, "--tasks", 60, "--draws", 400)


def overflow(width):
    """Elements that stick out of the screen, those in boxes that scroll by themselves aside. (A phone that finds such an
    element shows a wider page, smaller: innerWidth is then not the screen's.)"""
    return BROWSER.value("""[...document.querySelectorAll('body *')].filter(each => !each.closest('.wide') &&
        (each.getBoundingClientRect().right > WIDTH + 1 || each.getBoundingClientRect().left < -1))
        .map(each => each.className + ': ' + each.textContent.slice(0, 40)).slice(0, 5)""".replace("WIDTH", str(width)))


def claim_nothing_sticks_out_of_any_screen():
    wide = HERE / "wide.csv"
    wide.write_text(f'action,count\nshort,60\n"{LONGEST}",30\nthird,10\n', encoding="utf-8")
    for path in (quick("lessons", DATA), quick("wide", wide)):
        for width, dark in SCREENS:
            BROWSER.open(path, width, dark)
            scroll = BROWSER.value("Math.max(innerWidth, document.documentElement.scrollWidth)")
            assert scroll == width and overflow(width) == [], (path.name, width, scroll, overflow(width))


def claim_something_that_sticks_out_is_found():
    path = quick("broken", DATA)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<h1>", "<h1 style='width:500px;white-space:nowrap'>"), encoding="utf-8")
    BROWSER.open(path, 390, False)
    assert overflow(390) != []
    assert BROWSER.value("Math.max(innerWidth, document.documentElement.scrollWidth)") > 390


def claim_words_can_be_read_light_and_dark():
    """Contrast of text and ground as WCAG defines it: at least 4.5 for each word that is shown."""
    path = quick("contrast", DATA)
    for dark in (False, True):
        BROWSER.open(path, 390, dark)
        found = BROWSER.value("""(() => {
            const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
            const light = c => { const f = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
                                 return .2126 * f(c[0]) + .7152 * f(c[1]) + .0722 * f(c[2]); };
            const ground = e => { for (; e; e = e.parentElement) {
                const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
                return [255, 255, 255]; };
            return [...document.querySelectorAll('body *')].filter(e => !e.closest('svg') &&
                [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).map(e => {
                const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e));
                return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.className + ' ' + e.textContent.slice(0, 30)];
            }).sort((p, q) => p[0] - q[0])[0]; })()""")
        assert found[0] >= 4.5, (dark, found)
    BROWSER.open(path, 390, True)
    grounds = BROWSER.value("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", grounds))) < 64, "the dark page is not dark"


def claim_names_and_numbers_are_on_the_screen():
    path = quick("words", DATA)
    BROWSER.open(path, 390, False)
    words = BROWSER.value("document.body.innerText")
    for part in ["Is this expert data worth anything?", "Adding fractions with unlike denominators",
                 "Word problems: distance, speed and time", "First 1,000 decisions", "never wrong"]:
        assert part in words, part
    small = BROWSER.value("""Math.min(...[...document.querySelectorAll('body *')].filter(e => e.innerText)
        .map(e => parseFloat(getComputedStyle(e).fontSize)))""")
    assert small >= 11, small
    hills = BROWSER.value("""[...document.querySelectorAll('.ridge path')].map(e => {
        const box = e.getBoundingClientRect(); return [box.width, box.height]; })""")
    assert len(hills) == 9 and all(width > 300 and height > 3 for width, height in hills), hills


def claim_names_cannot_run_scripts():
    table = HERE / "hostile.csv"
    table.write_text('action,count\n"<script>document.title=1</script>",5\n'
                     '"<img src=x onerror=document.title=1>",3\n"</span></div><style>*{display:none}",2\n',
                     encoding="utf-8")
    BROWSER.open(quick("hostile", table), 390, False)
    assert BROWSER.value("document.title") == "ExPerior: what expert data is worth"
    assert BROWSER.value("document.querySelectorAll('script, img').length") == 0
    assert "onerror" in BROWSER.value("document.body.innerText")


def claim_the_page_fetches_nothing():
    path = quick("alone", DATA)
    BROWSER.ask("Network.enable")
    BROWSER.open(path, 1200, False)
    asked = [event["params"]["request"]["url"] for event in BROWSER.events
             if event.get("method") == "Network.requestWillBeSent"]
    BROWSER.ask("Network.disable")
    assert [url for url in asked if not url.endswith("alone.html")] == [], asked


def draw(directory):
    """The page of the example, one picture per screen, small enough for a repository."""
    directory.mkdir(parents=True, exist_ok=True)
    path = page("lessons", DATA)
    for width, dark in SCREENS:
        BROWSER.open(path, width, dark)
        (directory / picture_name(width, dark)).write_bytes(pixels.few_colours(BROWSER.picture()))


def claim_the_documentation_has_a_picture_of_every_screen():
    quick("drawn", DATA)
    for width, dark in SCREENS:
        png = (PICTURES / picture_name(width, dark)).read_bytes()
        assert size_of(png)[0] == width and len(png) < 150_000, (width, dark, size_of(png), len(png))


PROGRAM = browser.find()
if PROGRAM is None:
    print("not installed: chromium. The page is not looked at in a browser; tools/install_packages.sh browser")
    required = os.environ.get("XP_BROWSER") == "required"
    print("0 passed, 1 failed" if required else "0 passed, 0 failed")
    sys.exit(1 if required else 77)
BROWSER = browser.Browser(PROGRAM)
try:
    if sys.argv[1:2] == ["--pictures"]:
        draw(pathlib.Path(sys.argv[2]))
    else:
        claim.run(sys.modules[__name__])
finally:
    BROWSER.close()
