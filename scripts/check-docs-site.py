#!/usr/bin/env python3
"""Opens every page of a site of docs.sh in headless Chromium: `check-docs-site.py [.build/docs] [--screenshots DIR]`.

The page of each article must have its title, tables, code blocks and pictures. Every page must have an empty console and links
that lead to pages of the site. Needs Debian's chromium and chromium-driver. Exits with 1 on a failure.
"""
import argparse, functools, http.server, importlib, pathlib, re, sys, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
Browser = importlib.import_module("check-report").Browser

CONTENT = """
const count = (what) => document.querySelectorAll("main " + what).length;
return {title: document.querySelector("h1")?.innerText, tables: count("table"), blocks: count("pre"),
        pictures: [...document.querySelectorAll("main img")].filter((image) => image.naturalWidth).length,
        links: [...document.querySelectorAll("main a[href]")].map((link) => link.href.split("#")[0])};"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=pathlib.Path, nargs="?", default=ROOT / ".build/docs")
    parser.add_argument("--screenshots", type=pathlib.Path, help="a folder for screenshots")
    options = parser.parse_args()
    http.server.SimpleHTTPRequestHandler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=options.site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address, faults, pages = f"http://127.0.0.1:{server.server_port}", 0, {"/": {"title": "Earshot"}}
    for article in sorted(ROOT.glob("Sources/*/*.docc/*.md")):
        text = article.read_text(encoding="utf-8")
        names = dict.fromkeys([article.parent.stem.lower(), article.stem.lower()])
        pages["/documentation/" + "/".join(names) + "/"] = {
            "title": re.match(r"# (.*)", text)[1].strip("`"), "pictures": len(re.findall(r"^!\[", text, re.M)),
            "tables": len(re.findall(r"^\|[ :|]*-[ :|-]*$", text, re.M)), "blocks": len(re.findall(r"^```", text, re.M)) // 2}
    browser = Browser()
    browser.developer("Emulation.setDeviceMetricsOverride", width=1400, height=5000, deviceScaleFactor=1, mobile=False)
    for path, wanted in pages.items():
        browser.open(address + path)
        # The site's program draws a page after it has loaded.
        for _ in range(50):
            time.sleep(0.2)
            page = browser.run(CONTENT)
            found = [f"{name}: {page[name]} instead of {value}" for name, value in wanted.items() if page[name] != value]
            if not found:
                break
        found += [entry["message"] for entry in browser.log("browser")]
        links = {link.removeprefix(address).rstrip("/") for link in page["links"] if link.startswith(address)}
        found += [f"broken link {link}" for link in sorted(links) if not (options.site / f"data{link}.json").exists()]
        if options.screenshots:
            browser.screenshot(options.screenshots / (path.strip("/").replace("/", "-") + ".png"))
        print(f"{path} {page['tables']} tables, {page['blocks']} blocks, {len(page['links'])} links", *found, sep="\n  ")
        faults += len(found)
    browser.close()
    print(f"{len(pages)} pages, {faults} faults")
    return 1 if faults else 0


sys.exit(main())
