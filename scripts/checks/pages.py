#!/usr/bin/env python3
"""Checks pages in headless Chromium: those that are named, or the pages of a run, a comparison, a history and a study that it makes.

It opens each page at 1400 and at 400 pixels, light and dark. The console must be empty, there must be no network request, all
charts must be drawn, nothing may be wider than the window, and text must have a contrast of 4.5 to 1 (3 to 1 where it is
large), as WCAG 2 demands. The navigation must stay in sight. Heads of tables must be printed whole, and no cell may print over
its neighbour. The keyboard must open and close a trial and get the focus back. The trial's sounds must be decodable and its
spectrograms drawn. The command of the opened trial must print the score on the page. Exits with 1 on a failure. Needs Debian's
chromium and chromium-driver. EARSHOT_BINARY is the program, .build/release/earshot by default.
"""
import argparse
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from harness import EARSHOT, Bench, free_port


class Browser:
    """A headless Chromium, controlled by the WebDriver protocol (W3C) and Chromium's own commands."""

    def __init__(self) -> None:
        port = free_port()
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
const copy = document.createElement("canvas");
const pen = copy.getContext("2d", { willReadFrequently: true });
return [...document.querySelectorAll(arguments[0])].filter((canvas) => {
  if (canvas.width === 0 || canvas.height === 0) return true;
  [copy.width, copy.height] = [canvas.width, canvas.height];
  pen.drawImage(canvas, 0, 0);
  const pixels = pen.getImageData(0, 0, canvas.width, canvas.height).data;
  return !pixels.some((value, place) => place % 4 === 3 && value > 0);
}).map((canvas) => canvas.id || canvas.className || "a canvas without a name");
"""

# Text whose colour is too near to that of what is behind it.
FAINT = """
const parse = (text) => { const parts = text.match(/[\\d.]+/g).map(Number); return parts.length < 4 ? [...parts.slice(0, 3), 1] : parts; };
const over = (top, below) => top.slice(0, 3).map((value, place) => value * top[3] + below[place] * (1 - top[3])).concat(1);
const light = (colour) => colour.slice(0, 3).map((value) => value / 255)
  .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  .reduce((sum, value, place) => sum + value * [0.2126, 0.7152, 0.0722][place], 0);
const faults = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.textContent.trim() || element.closest("script, style, svg, .hidden, .skip, button:disabled, option") || !element.checkVisibility()) continue;
  const layers = [];
  for (let part = element; part; part = part.parentElement) {
    layers.push(parse(getComputedStyle(part).backgroundColor));
    if (layers[layers.length - 1][3] === 1) break;
  }
  const back = layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 1]);
  const style = getComputedStyle(element);
  const front = over(parse(style.color), back);
  const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
  const size = parseFloat(style.fontSize);
  const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < least - 0.005) faults.add(`"${node.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
}
return [...faults].slice(0, 8);
"""

# Cells of tables whose text is wider than the cell on paper, and heads that are not printed.
OVERPRINTED = """
const faults = [];
for (const table of document.querySelectorAll("main table")) {
  if (!table.checkVisibility()) continue;
  const head = table.tHead;
  if (head && !head.classList.contains("hidden") && getComputedStyle(head).display !== "table-header-group") faults.push(`head of ${table.className}`);
  for (const cell of table.querySelectorAll("thead:not(.hidden) th, tbody th, tbody td")) {
    if (getComputedStyle(cell).overflowX === "visible" && cell.scrollWidth > cell.clientWidth + 2) faults.push(`${table.className}: ${cell.textContent.trim().slice(0, 40)}`);
  }
}
return faults.slice(0, 8);
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
        wide = browser.run("return document.documentElement.scrollWidth")
        self.expect(wide <= width, f"the page is {wide} pixels wide before its charts are drawn")
        # Charts are drawn when they come near the window.
        self.size(width, browser.run("return Math.min(document.documentElement.scrollHeight, 12000)"))
        for _ in range(30):
            # Sounds on the first screen are decoded before their spectrograms can be drawn.
            blank = browser.run(BLANK_CANVASES, "main canvas")
            if not blank:
                break
            time.sleep(0.1)
        self.size(width, height)
        charts = browser.run("return document.querySelectorAll('main canvas').length")
        self.expect(not blank, f"charts not drawn: {', '.join(blank)}")
        wide = browser.run("return document.documentElement.scrollWidth")
        self.expect(wide <= width, f"the page is {wide} pixels wide")
        faint = browser.run(FAINT)
        self.expect(not faint, f"contrast below 4.5: {'; '.join(faint)}")
        stays = browser.run("const nav = document.querySelector('nav'); if (!nav) return false; scrollTo(0, 1500); "
                            "const top = nav.getBoundingClientRect().top; scrollTo(0, 0); "
                            "return top >= 0 || document.documentElement.scrollHeight < innerHeight + 1500")
        self.expect(stays, "the navigation does not stay in sight")
        screens = browser.run("return document.documentElement.scrollHeight / innerHeight")
        self.shoot(f"{width}-{scheme}", whole=True)
        if width > 1000 and scheme == "light":
            self.paper()
        self.trial(f"{width}-{scheme}")
        for entry in browser.log("browser"):
            self.expect(False, f"console: {entry['message']}")
        for entry in browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                self.expect(address.split(":")[0] in ("file", "data", "blob"), f"request to {address[:200]}")
        print(f"{self.place}: opened in {seconds:.2f} s, {screens:.1f} screens, {charts} charts")

    def paper(self) -> None:
        """Prints the page."""
        browser = self.browser
        browser.developer("Emulation.setEmulatedMedia", media="print")
        self.size(1030, 720)
        overprinted = browser.run(OVERPRINTED)
        self.expect(not overprinted, f"on paper: {'; '.join(overprinted)}")
        self.size(1400, 900)
        browser.developer("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "light"}])
        data = base64.b64decode(browser.developer("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        sheets = len(re.findall(rb"/Type\s*/Page[^s]", data))
        print(f"{self.place}: {sheets} printed pages")
        if self.screenshots is not None:
            (self.screenshots / f"{self.page.stem}.pdf").write_bytes(data)

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
        has_sounds = browser.run("return document.querySelector('[id^=trial-detail-]') !== null")
        self.expect(len(lengths) > 0 or not has_sounds, "the opened trial has no sound")
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=pathlib.Path, nargs="*", help="pages that earshot wrote")
    parser.add_argument("--screenshots", type=pathlib.Path, help="a folder for screenshots")
    arguments = parser.parse_args()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        return max(check_page(page.resolve(), arguments.screenshots) for page in arguments.pages or made_pages(folder))


def made_pages(folder: str) -> list[pathlib.Path]:
    bench = Bench(folder)
    # The command of a trial finds the corpus as the run did.
    os.environ.update(bench.environment, PATH=f"{os.path.dirname(EARSHOT)}:{os.environ['PATH']}")
    few = ["--plan", "smoke", "--positives", "4"]
    for words in [["evaluate", *few, "--output", "run"], ["evaluate", *few, "--matcher", "null", "--output", "null"],
                  ["compare", "run", "null", "--output", "comparison"], ["history", "run", "null", "--output", "history"],
                  ["streams", *few, "--output", "streams"]]:
        bench.run([EARSHOT, *words])
    return sorted(bench.folder.glob("*/*.html"))


def check_page(page: pathlib.Path, screenshots: pathlib.Path | None) -> int:
    browser = Browser()
    try:
        check = Check(browser, page, screenshots)
        check.all()
    finally:
        browser.close()
    if check.command:
        print(check.command)
        again = subprocess.run(check.command, shell=True, check=False, capture_output=True, text=True)
        score = re.search(r"score (\S+)", again.stdout)
        if score is None or score.group(1) not in check.words:
            check.faults.append(f"the command has another score, exit code {again.returncode}: {again.stdout[-500:]}")
    size = page.stat().st_size
    print(f"{page.name}: {size / 1e6:.2f} MB; {'no faults' if not check.faults else 'faults:'}")
    for fault in check.faults:
        print(f"  {fault}")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
