#!/usr/bin/env python3
"""Write the first page of the documentation: what Earshot is, the use cases of README, all articles, and a search of all pages.

    scripts/parts/docs-landing.py SITE

SITE is the folder that `docc merge` wrote. Its own first page becomes a list of modules, with a link to this one.
"""
import html
import json
import re
import sys
from pathlib import Path

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Earshot</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif }}
  body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
  h1 {{ margin-bottom: .2rem }}
  a {{ color: #0b5fa5 }}
  code {{ font: .88em ui-monospace, monospace; overflow-wrap: anywhere }}
  input {{ font: inherit; width: 100%; padding: .6rem .8rem; box-sizing: border-box; margin-top: .6rem }}
  .doors {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: .8rem; padding: 0; list-style: none }}
  .doors li {{ border: 1px solid #8886; border-radius: .5rem; padding: .8rem 1rem }}
  .doors b {{ display: block; margin-bottom: .3rem }}
  .modules {{ columns: 2 20rem; column-gap: 2rem }}
  .modules section {{ break-inside: avoid; margin-bottom: 1rem }}
  .modules h3 {{ margin: 0 }} .modules ul {{ margin: .2rem 0; padding-left: 1.2rem }}
  .fine {{ opacity: .75; font-size: .9rem; margin: 0 }}
  #found {{ padding-left: 1.2rem }} #found li {{ margin: .4rem 0 }}
  @media (prefers-color-scheme: dark) {{ a {{ color: #7db8ea }} }}
</style>
<h1>Earshot</h1>
<p>{sentence}</p>
<label for="words">Search all articles and symbols</label>
<input id="words" type="search" autofocus autocomplete="off">
<p id="count" class="fine" role="status"></p>
<ol id="found"></ol>
<div id="doors">
<h2>Where to begin</h2>
<ul class="doors">
{doors}</ul>
<h2>Articles</h2>
<div class="modules">
{modules}</div>
</div>
<script src="search-index.js"></script>
<script>
"use strict";
const element = (id) => document.getElementById(id);
// What holds all words: in the title, then in the first sentence, then in the text. Articles come before symbols.
function rank(page, words) {{
  const places = words.map((word) => page.slice(0, 3).findIndex((text) => text.toLowerCase().includes(word)));
  return places.includes(-1) ? Infinity : Math.max(...places) * 2 + (page[4] ? 0 : 1) + page[0].length / 1000;
}}
function search() {{
  const words = element("words").value.toLowerCase().split(/\\s+/).filter(Boolean);
  element("doors").hidden = words.length > 0;
  const found = words.length === 0 ? []
    : PAGES.map((page) => [rank(page, words), page]).filter(([place]) => place < Infinity).sort((a, b) => a[0] - b[0]);
  element("count").textContent = words.length === 0 ? "" : found.length === 1 ? "1 page" : `${{found.length}} pages`;
  element("found").replaceChildren(...found.slice(0, 40).map(([, [title, first, , path, module]]) => {{
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = path.slice(1) + "/";
    link.textContent = title;
    const words = document.createElement("p");
    words.className = "fine";
    words.textContent = [path.split("/")[2], first].filter(Boolean).join(": ");
    item.append(link, words);
    return item;
  }}));
  history.replaceState(null, "", words.length ? `#${{encodeURIComponent(element("words").value)}}` : "#");
}}
element("words").value = decodeURIComponent(location.hash.slice(1));
element("words").addEventListener("input", search);
search();
</script>
</html>
"""


def words(node) -> str:
    """All text of a part of a page."""
    if isinstance(node, list):
        return " ".join(filter(None, map(words, node)))
    if not isinstance(node, dict):
        return ""
    if node.get("type") == "codeListing":
        return " ".join(node["code"])
    if isinstance(node.get("text"), str):
        return node["text"]
    if isinstance(node.get("code"), str):
        return node["code"]
    return words([value for value in node.values() if isinstance(value, (list, dict))])


def markup(text: str) -> str:
    """Markdown of a table's cell as HTML; links lead to the project, so only their text stays."""
    text = html.escape(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text), quote=False)
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def main(site: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    sentence = readme.split("\n\n")[1].replace("\n", " ")
    table = readme.split("## Use cases\n")[1].split("\n## ")[0]
    doors = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")][2:]
    pages, modules = [], {}
    for file in sorted((site / "data/documentation").rglob("*.json")):
        page = json.loads(file.read_text())
        path = "/" + file.relative_to(site / "data").with_suffix("").as_posix()
        title, first = page["metadata"]["title"], words(page.get("abstract", []))
        is_article = page["kind"] == "article" or path.count("/") == 2
        text = words(page.get("primaryContentSections", [])) if is_article else ""
        pages.append([title, first, text, path, is_article])
        module = path.split("/")[2]
        if path.count("/") == 2:
            modules.setdefault(module, {})["head"] = (title, first, path)
        elif page["metadata"].get("role") == "article":
            modules.setdefault(module, {}).setdefault("articles", []).append((title, path))
    (site / "search-index.js").write_text("const PAGES = " + json.dumps(pages, ensure_ascii=False) + ";\n")

    def link(title: str, path: str) -> str:
        return f'<a href="{path[1:]}/">{html.escape(title)}</a>'

    lists = []
    for module in modules.values():
        title, first, path = module["head"]
        items = "".join(f"<li>{link(*article)}</li>" for article in sorted(module.get("articles", [])))
        lists.append(f'<section><h3>{link(title, path)}</h3><p class="fine">{html.escape(first)}</p><ul>{items}</ul></section>\n')
    (site / "index.html").write_text(PAGE.format(
        sentence=markup(sentence), modules="".join(lists),
        doors="".join(f"<li><b>{markup(aim[0].upper() + aim[1:])}</b>{markup(command)}</li>\n" for aim, command in doors)))

    # The page of docc, which its header leads to: no grey pictures, and the way to the search.
    file = site / "data/documentation.json"
    page = json.loads(file.read_text())
    page["topicSectionsStyle"] = "list"
    page["abstract"] = [{"type": "text", "text": sentence}]
    page["references"]["search"] = {"type": "link", "identifier": "search", "title": "Search all pages", "url": "../",
                                    "titleInlineContent": [{"type": "text", "text": "Search all pages"}]}
    content = [{"type": "paragraph", "inlineContent": [{"type": "reference", "identifier": "search", "isActive": True}]}]
    page["primaryContentSections"] = [{"kind": "content", "content": content}]
    file.write_text(json.dumps(page))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
