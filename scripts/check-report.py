#!/usr/bin/env python3
"""Checks a report in headless Chromium: `check-report.py report.html [--screenshots DIR]`.

It opens the page at 1400 and at 400 pixels, light and dark. The console must be empty, there must be no network request, all
charts must be drawn, and nothing may be wider than the window. The keyboard must open and close a trial and get the focus
back. The trial's sounds must be decodable and its spectrograms drawn. With --command it also runs the command of the opened
trial, which must print the score on the page. Needs Debian's chromium and chromium-driver. Exits with 1 on a failure.
"""
import argparse
import base64
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    """A headless Chromium, controlled by the WebDriver protocol (W3C) and Chromium's own commands."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--autoplay-policy=no-user-gesture-required",
                 f"--user-data-dir={self.profile.name}"]
        wanted = {"goog:chromeOptions": {"args": flags}, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        for _ in range(100):
            try:
                answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        else:
            raise RuntimeError("chromedriver does not answer")
        self.session = f"/session/{answer['sessionId']}"
        # Excludes Chromium's own first page.
        self.open("about:blank")
        self.log("performance")

    def call(self, method: str, path: str, body: dict | None = None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, address: str) -> None:
        self.call("POST", self.session + "/url", {"url": address})

    def run(self, script: str, *arguments):
        """Runs the body of a function in the page and awaits its promise."""
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def developer(self, command: str, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, key: str) -> None:
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def log(self, kind: str) -> list[dict]:
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def screenshot(self, path: pathlib.Path) -> None:
        path.write_bytes(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self) -> None:
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()


ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"

BLANK_CANVASES = """
return [...document.querySelectorAll(arguments[0])].filter((canvas) => {
  if (canvas.width === 0 || canvas.height === 0) return true;
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return !pixels.some((value, place) => place % 4 === 3 && value > 0);
}).map((canvas) => canvas.id || canvas.className || "a canvas without a name");
"""

DURATIONS = """
return Promise.all([...document.querySelectorAll("dialog[open] audio")].map((audio) => new Promise((resolve) => {
  const finish = () => resolve(audio.error ? audio.error.message || "error" : audio.duration);
  if (audio.readyState > 0 || audio.error) finish();
  audio.addEventListener("loadedmetadata", finish);
  audio.addEventListener("error", finish);
  setTimeout(finish, 5000);
})));
"""


class Check:
    def __init__(self, browser: Browser, page: pathlib.Path, screenshots: pathlib.Path | None) -> None:
        self.browser, self.page, self.screenshots = browser, page, screenshots
        self.faults: list[str] = []
        self.command = self.words = ""

    def expect(self, is_true: bool, what: str) -> None:
        if not is_true:
            self.faults.append(f"{self.place}: {what}")

    def all(self) -> None:
        for width, height in [(1400, 900), (400, 800)]:
            for scheme in ["light", "dark"]:
                self.place = f"{width} px, {scheme}"
                self.view(width, height, scheme)

    def view(self, width: int, height: int, scheme: str) -> None:
        browser = self.browser
        self.size(width, height)
        browser.developer("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        began = time.monotonic()
        browser.open(self.page.as_uri())
        browser.run("return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        seconds = time.monotonic() - began
        blank = browser.run(BLANK_CANVASES, "main canvas")
        charts = browser.run("return document.querySelectorAll('main canvas').length")
        self.expect(not blank, f"charts not drawn: {', '.join(blank)}")
        wide = browser.run("return document.documentElement.scrollWidth")
        self.expect(wide <= width, f"the page is {wide} pixels wide")
        self.shoot(f"{width}-{scheme}", whole=True)
        self.trial(f"{width}-{scheme}")
        for entry in browser.log("browser"):
            self.expect(False, f"console: {entry['message']}")
        for entry in browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                self.expect(address.split(":")[0] in ("file", "data", "blob"), f"request to {address[:200]}")
        print(f"{self.place}: opened in {seconds:.2f} s, {charts} charts")

    def trial(self, name: str) -> None:
        """Opens a trial with audio by keyboard."""
        browser = self.browser
        if not browser.run("return document.getElementById('trial-table') !== null"):
            return
        browser.run("const only = document.getElementById('pick-shown'); if (!only.closest('label').hidden) only.click()")
        browser.run("document.querySelector('#trial-table button.open').focus()")
        browser.press(DOWN)
        before = browser.run("return document.activeElement.dataset.trial")
        self.expect(before is not None, "the arrow key left the table")
        browser.press(ENTER)
        time.sleep(0.5)
        self.expect(browser.run("return document.querySelector('dialog[open]') !== null"), "Enter did not open the trial")
        lengths = browser.run(DURATIONS)
        self.expect(len(lengths) > 0, "the opened trial has no sound")
        for length in lengths:
            self.expect(isinstance(length, (int, float)) and length > 0.1, f"a sound cannot be decoded: {length}")
        time.sleep(0.5)
        blank = browser.run(BLANK_CANVASES, "dialog[open] canvas")
        self.expect(not blank, f"not drawn in the opened trial: {', '.join(blank)}")
        wide = browser.run("const box = document.querySelector('dialog[open]'); return [box.scrollWidth, box.clientWidth]")
        self.expect(wide[0] <= wide[1] + 1, f"the opened trial is {wide[0]} pixels wide in {wide[1]}")
        self.command = browser.run("const code = document.querySelector('dialog[open] .command code'); return code ? code.textContent : ''")
        self.words = browser.run("return document.querySelector('dialog[open]').innerText")
        self.shoot(f"{name}-trial", whole=False)
        browser.press(ESCAPE)
        self.expect(browser.run("return document.querySelector('dialog[open]') === null"), "Escape did not close the trial")
        after = browser.run("return document.activeElement.dataset.trial")
        self.expect(after == before, "the focus did not return")

    def shoot(self, name: str, whole: bool) -> None:
        if self.screenshots is None:
            return
        file = self.screenshots / f"{self.page.stem}-{name}.png"
        width = self.browser.run("return window.innerWidth")
        height = self.browser.run("return window.innerHeight")
        if whole:
            full = self.browser.run("return Math.min(document.documentElement.scrollHeight, 12000)")
            self.size(width, full)
            time.sleep(0.5)
        self.browser.screenshot(file)
        self.size(width, height)

    def size(self, width: int, height: int) -> None:
        self.browser.developer(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="a folder for screenshots")
    parser.add_argument("--command", action="store_true", help="run the command of the opened trial; earshot must be on PATH")
    arguments = parser.parse_args()
    for program in ["chromium", "chromedriver"]:
        if shutil.which(program) is None:
            print(f"{program} is missing: apt-get install chromium chromium-driver", file=sys.stderr)
            return 1
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    browser = Browser()
    try:
        check = Check(browser, arguments.report.resolve(), arguments.screenshots)
        check.all()
    finally:
        browser.close()
    if arguments.command:
        print(check.command)
        again = subprocess.run(check.command, shell=True, check=False, capture_output=True, text=True)
        score = re.search(r"score (\S+)", again.stdout)
        if score is None or score.group(1) not in check.words:
            check.faults.append(f"the command has another score, exit code {again.returncode}: {again.stdout[-500:]}")
    size = arguments.report.stat().st_size
    print(f"{size / 1e6:.2f} MB; {'no faults' if not check.faults else 'faults:'}")
    for fault in check.faults:
        print(f"  {fault}")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
