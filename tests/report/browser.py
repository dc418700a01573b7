"""Headless Chromium as tests use it: pages of files, at a width, light or dark, measured and photographed. It is driven
over a pipe (the DevTools protocol), so it needs no network and no other package."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 120  # far above what any step takes: it ends a browser that hangs


def find():
    """The browser's program, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, program):
        self.place = tempfile.TemporaryDirectory(prefix="experior-browser-", ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--hide-scrollbars", "--font-render-hinting=none", "--disable-lcd-text", "--no-first-run",
                 f"--user-data-dir={self.place.name}/profile", "--remote-debugging-pipe", "about:blank"]

        def arrange():  # the protocol's descriptors are 3 and 4, whatever the pipes' are
            high = os.dup(theirs_in), os.dup(theirs_out)
            spare = [os.dup(fd) for fd in high]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        # Chromium speaks to the desktop about things that a test does not have: none of it is news.
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=arrange,
                                        env={**os.environ, "HOME": self.place.name})
        os.close(theirs_in)
        os.close(theirs_out)
        self.input, self.output = ours_in, ours_out
        self.rest, self.serial, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def receive(self, until):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.input], [], [], max(0, until - time.monotonic()))
            chunk = os.read(self.input, 1 << 20) if ready else b""
            if not chunk:
                raise AssertionError("the browser does not answer" if ready == [] else "the browser ended")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.serial += 1
        message = {"id": self.serial, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        until = time.monotonic() + SECONDS
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.serial:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width, dark):
        """Shows a file on a screen of that width."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                 mobile=width < 600)
        scheme = "dark" if dark else "light"
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.ask("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + SECONDS
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive(until))

    def value(self, expression):
        """What a JavaScript expression is in the page that is shown."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self):
        """The whole page as PNG."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        answer = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(answer["data"])

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
            self.process.wait(SECONDS)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        finally:
            os.close(self.input)
            os.close(self.output)
            self.place.cleanup()
