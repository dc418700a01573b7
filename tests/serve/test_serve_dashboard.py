"""The dashboard as a browser shows it: create an experiment, watch it change, pause it; on a phone and on a desk, light
and dark. Needs Chromium: where it is not installed the test is skipped and says so, except where XP_BROWSER=required.

    test_serve_dashboard.py --pictures DIR     renews the pictures of the documentation
"""

import json
import os
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))

import browser  # noqa: E402
import claim  # noqa: E402
from service import LONG, audit, is_built, running, tool  # noqa: E402

SCREENS = [(width, dark) for width in (390, 1200) for dark in (False, True)]
HTML = "<img src=x onerror=alert(1)><script>document.title='taken'</script>"


class Page(browser.Browser):
    """A browser that shows the dashboard of a service."""

    def show(self, service, width=1200, dark=False, path="/"):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Runtime.enable")
        self.ask("Log.enable")
        self.events = []
        self.ask("Page.navigate", url=f"http://127.0.0.1:{service.port}{path}")
        self.wait("document.readyState === 'complete'")

    def wait(self, expression):
        until = time.monotonic() + LONG
        while not self.value(expression):
            assert time.monotonic() < until, f"never true: {expression}; {self.value('document.body.innerText')}"
            time.sleep(0.05)

    def faults(self):
        """What the page did wrong: exceptions, and errors in its log such as what its policy forbids."""
        return [event for event in self.events if event.get("method") == "Runtime.exceptionThrown" or
                event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error" and
                event["params"]["entry"]["source"] != "network"]

    def text(self, name):
        return self.value(f"document.getElementById('{name}').textContent")

    def press(self, key):
        code = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "Escape": 27}[key]
        more = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **more)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)


def fill(service, experiment, count, means, seed=1):
    """Decides and rewards, arms paying 1 with the given chances."""
    chance = random.Random(seed)
    for _ in range(count):
        rows = service.decide(experiment, count=20)
        service.reward(*[(row["decision_id"], int(chance.random() < means[row["action"]])) for row in rows])


def claim_an_experiment_is_created_watched_and_paused():
    with running() as service:
        PAGE.show(service)
        PAGE.value("document.getElementById('open-create').click()")
        PAGE.value("document.getElementById('create-name').value = 'Treatments'")
        PAGE.value("document.getElementById('create-choices').value = 'standard care, 30\\ndrug A, 55\\n'")
        PAGE.value("document.getElementById('create-form').requestSubmit()")
        PAGE.wait("document.getElementById('name').textContent === 'Treatments'")
        [row] = service.good("GET", "/v1/experiments")["experiments"]
        assert PAGE.text("id") == row["id"] and PAGE.text("decisions") == "0"
        fill(service, row["id"], 5, {"standard care": 0.4, "drug A": 0.6})
        PAGE.wait("document.getElementById('decisions').textContent === '100'")  # without being asked to
        PAGE.wait("document.querySelectorAll('#curve polyline').length === 2")
        shown = service.show(row["id"])
        assert PAGE.value("[...document.querySelectorAll('#arms tr')].map(row => row.cells[3].textContent)") == \
            [str(arm["decisions"]) for arm in shown["arms"]]
        assert PAGE.value("document.querySelectorAll('#arms .band').length") == 2
        PAGE.value("document.getElementById('pause').click()")
        PAGE.wait("document.getElementById('state').textContent === 'paused'")
        assert service.show(row["id"])["state"] == "paused"
        PAGE.value("document.getElementById('pause').click()")
        PAGE.wait("document.getElementById('state').textContent === 'running'")
        assert not PAGE.faults(), PAGE.faults()


def claim_what_cannot_be_created_is_said():
    with running() as service:
        PAGE.show(service)
        PAGE.value("document.getElementById('open-create').click()")
        PAGE.value("document.getElementById('create-name').value = 'x'")
        for text, says in (("a 12", "is not an arm"), ("a, 1\\na, 2", "twice"), ("a, 1", "arms")):
            PAGE.value(f"document.getElementById('create-choices').value = '{text}'")
            PAGE.value("document.getElementById('create-form').requestSubmit()")
            PAGE.wait(f"document.getElementById('create-error').textContent.includes('{says}')")
        assert service.good("GET", "/v1/experiments")["experiments"] == []


def claim_labels_with_html_are_shown_as_text():
    with running() as service:
        experiment = service.create({HTML: 3, "b": 1}, name=HTML)
        service.decide(experiment, segment=HTML)
        PAGE.show(service)
        PAGE.wait(f"document.getElementById('name').textContent === {json.dumps(HTML)}")
        assert PAGE.value("document.querySelector('#arms th').textContent") == HTML
        assert PAGE.value("document.querySelectorAll('img').length") == 0
        assert PAGE.value("document.querySelectorAll('script').length") == 1
        assert "taken" != PAGE.value("document.title") and not PAGE.faults()


def claim_nothing_sticks_out_of_the_screen():
    with running() as service:
        experiment = service.create({"x" * 200: 3, "a long name of many words " * 8: 5, "c": 1}, name="y" * 200)
        fill(service, experiment, 3, {"x" * 200: 0.3, "a long name of many words " * 8: 0.5, "c": 0.5})
        for width, dark in SCREENS:
            PAGE.show(service, width, dark)
            PAGE.wait("document.querySelectorAll('#curve polyline').length === 2")
            PAGE.wait("document.querySelector('#curve svg').viewBox.baseVal.width === "
                      "Math.max(300, document.getElementById('curve').clientWidth)")
            wide = PAGE.value("""[...document.querySelectorAll('body *')].filter(each => !each.closest('.scroll') &&
                !each.closest('dialog') && !each.closest('.skip') && each.getBoundingClientRect().width > 0 &&
                each.getBoundingClientRect().right > WIDTH + 1).map(each => each.outerHTML.slice(0, 80))
                """.replace("WIDTH", str(width)))
            assert wide == [], (width, wide)
            small = PAGE.value("""[...document.querySelectorAll('header button, nav button, article button')]
                .filter(each => each.getBoundingClientRect().height < 40).length""")
            assert small == 0  # large enough for a thumb


def claim_the_keyboard_is_enough():
    with running() as service:
        experiment = service.create()
        fill(service, experiment, 3, {"a": 0.3, "b": 0.5, "c": 0.5})
        PAGE.show(service)
        PAGE.wait("document.querySelectorAll('#curve polyline').length === 2")
        reached = []
        for _ in range(12):
            PAGE.press("Tab")
            reached.append(PAGE.value("document.activeElement.id || document.activeElement.dataset.id || "
                                      "document.activeElement.tagName"))
        for wanted in ("open-create", "open-token", experiment, "pause", "export", "svg"):
            assert wanted in reached, (wanted, reached)
        PAGE.value("document.querySelector('#curve svg').focus()")
        before = PAGE.text("reading")
        PAGE.press("ArrowLeft")
        assert PAGE.text("reading") != before
        PAGE.value("document.getElementById('pause').focus()")
        PAGE.press("Enter")
        PAGE.wait("document.getElementById('state').textContent === 'paused'")
        PAGE.value("document.getElementById('open-create').focus()")
        PAGE.press("Enter")
        PAGE.wait("document.getElementById('create-dialog').open")
        PAGE.press("Escape")
        PAGE.wait("!document.getElementById('create-dialog').open")


def claim_a_token_is_asked_for_where_one_is_needed():
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder) / "store.db"
        token = tool("token", "create", "--store", store, "--scope", "admin").stdout.strip()
        with running(store=store, auth=True) as service:
            service.create(token=token, name="Hidden")
            PAGE.show(service)
            for text, then in (("wrong", "document.getElementById('token-error').textContent.includes('unknown')"),
                               (token, "document.getElementById('name').textContent === 'Hidden'")):
                PAGE.wait("document.getElementById('token-dialog').open")
                PAGE.value(f"document.getElementById('token').value = '{text}'")
                PAGE.value("document.querySelector('#token-form button[value=ok]').click()")
                PAGE.wait(then)
            assert not PAGE.faults()


def take_pictures(folder):
    with running() as service:
        arms = {"standard care": 30, "drug A": 55, "drug B": 25, "drug A, half dose": 10}
        experiment = service.create(arms, name="Treatments", seed=4)
        service.create({"short": 4, "long": 9}, name="Reminder texts")
        fill(service, experiment, 40, dict(zip(arms, (0.4, 0.55, 0.65, 0.35))), seed=4)
        for width, dark in SCREENS:
            PAGE.show(service, width, dark, f"/#{experiment}")
            PAGE.wait("document.querySelectorAll('#curve polyline').length === 2")
            PAGE.wait("document.querySelector('#curve svg').viewBox.baseVal.width === "
                      "Math.max(300, document.getElementById('curve').clientWidth)")
            name = f"dashboard-{width}-{'dark' if dark else 'light'}.png"
            pathlib.Path(folder, name).write_bytes(PAGE.picture())
        audit(service.store)


PROGRAM = browser.find()
if not is_built() or PROGRAM is None:
    assert os.environ.get("XP_BROWSER") != "required", "Chromium or the service is missing"
    print("Chromium is not installed or the service is not built: the dashboard is not tested")
    print("0 passed, 0 failed")
else:
    PAGE = Page(PROGRAM)
    try:
        if sys.argv[1:2] == ["--pictures"]:
            take_pictures(sys.argv[2])
        else:
            claim.run(sys.modules[__name__])
    finally:
        PAGE.close()
