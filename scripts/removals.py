#!/usr/bin/env python3
"""Lists commands, options, columns of tables and paths of the server that the last release had and this tree has not.

usage: scripts/removals.py [--check]     --check exits with 1 unless the first section of CHANGELOG.md names each of them

The last release is the tag or the commit of the latest report in Reports/api before the first version of CHANGELOG.md, or the
latest of all while its first section is "Unreleased".
"""
import os, re, subprocess, sys

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HELP = "Tests/CommandLineTests/Snapshots/help.txt"
COLUMNS = "Sources/Reporting/Reporting.docc/Columns.md"
SERVER = "Sources/CatalogServer/CatalogServer.docc/openapi.yaml"


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout


def here(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def version(text):
    return tuple(map(int, text.split(".")))


def last_release(current):
    """The commit of the latest release before a version."""
    reports = [name[:-4] for name in os.listdir(os.path.join(ROOT, "Reports/api")) if re.fullmatch(r"[\d.]+\.txt", name)]
    last = max((name for name in reports if version(name) < version(current)), key=version)
    tag = subprocess.run(["git", "-C", ROOT, "rev-parse", "-q", "--verify", f"v{last}^{{commit}}"], capture_output=True, text=True)
    return tag.stdout.strip() or re.search(r"^commit (\w+)", here(f"Reports/api/{last}.txt"), re.M)[1]


def names(read):
    """What programs depend on, by the words with which a changelog would name it."""
    command, found = "", set()
    for line in read(HELP).splitlines():
        if match := re.match(r"\$ (earshot.*) --help$", line):
            command = match[1]
            found.add(command)
        elif match := re.match(r"  (?:-\w, )*(--[\w-]+)", line):
            found.add(f"{command} {match[1]}")
    table = ""
    for line in read(COLUMNS).splitlines():
        if match := re.match(r"## (\S+\.csv)", line):
            table = match[1]
        elif match := re.match(r"\| `(\w+)` \|", line):
            found.add(f"{table} {match[1]}")
    return found | {f"server {path}" for path in re.findall(r"^  (/[\w/{}.]*):$", read(SERVER), re.M)}


changelog = here("CHANGELOG.md")
section = re.split(r"^## ", changelog, flags=re.M)[1]
dated = re.match(r"\[([\d.]+)\]", section)
commit = last_release(dated[1] if dated else "999")
gone = sorted(names(lambda path: git("show", f"{commit}:{path}")) - names(here))
unnamed = [name for name in gone if not re.search(rf"(?<![\w-]){re.escape(name.split()[-1])}(?![\w-])", section)]
for name in gone:
    print(name + (": not in CHANGELOG.md" if name in unnamed else ""))
sys.exit(1 if unnamed and "--check" in sys.argv else 0)
