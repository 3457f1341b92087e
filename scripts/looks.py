"""How often each published set was seen, by Reports/looks.csv.

`results.py` uses it. A look is a run whose answers somebody has seen. `results.py` adds one when it stores a run, and
`earshot evaluate --exam` before it asks a query of an exam. What the history does not know is an empty cell.
"""
import csv
import datetime
import hashlib
import os
import re

import origins

COLUMNS = ("date", "set", "setDigest", "plan", "planDigest", "matcher", "version", "settingsDigest", "matcherDigest", "commit")
LEDGER = "Reports/looks.csv"
# The form of each cell; others are not empty.
FORMS = {"date": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"} | {name: r"([0-9a-f]{64})?" for name in COLUMNS if name.endswith("Digest")} \
    | {"version": r".*"}


def read(path=None):
    """The looks of a ledger; ends at the first line that is none, that repeats another, or that is out of order."""
    path = path or os.path.join(origins.ROOT, LEDGER)
    with open(path, newline="", encoding="utf-8") as file:
        text = file.read()
    looks, lines = [], {}

    def wrong(number, problem):
        raise SystemExit(f"{os.path.relpath(path, origins.ROOT)}:{number}: {problem}")
    if not text.endswith("\n"):
        wrong(text.count("\n") + 1, "expected the end of a line")
    for number, cells in enumerate(csv.reader(text.splitlines()), 1):
        if number == 1 and tuple(cells) != COLUMNS:
            wrong(number, f"expected the columns {','.join(COLUMNS)}")
        if len(cells) != len(COLUMNS):
            wrong(number, f"expected {len(COLUMNS)} cells, found {len(cells)}")
        look = dict(zip(COLUMNS, cells))
        if number == 1:
            continue
        for column, value in look.items():
            if not re.fullmatch(FORMS.get(column, r".+"), value):
                wrong(number, f"{column}: expected {FORMS.get(column, 'a text')}, found {value!r}")
        if looks and look["date"] < looks[-1]["date"]:
            wrong(number, f"expected a date from {looks[-1]['date']} on, found {look['date']}")
        first = lines.setdefault(tuple(cells[1:]), number)
        if first != number:
            wrong(number, f"expected another look than that of line {first}")
        looks.append(look)
    return looks


def write(looks, path=None):
    path = path or os.path.join(origins.ROOT, LEDGER)
    with open(path + ".part", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(looks)
    os.replace(path + ".part", path)


def name_of(look):
    """The name of the figures of a look."""
    return f"exam-{look['plan']}" if look["set"] == "exam" else look["set"]


def identity(look):
    return key(name_of(look), look["commit"], look["version"])


def key(name, commit, version):
    # The look itself is a change of the ledger, so the files of an exam differ from their commit.
    return name, commit.rstrip("+") if name.startswith("exam-") else commit, version


def look_of(name, run, moment):
    """The look of a stored run, whose set has the name of its figures."""
    commit, empty = run["commit"], {column: "" for column in COLUMNS}
    plan = re.search(r"--plan (\S+)", run["command"])
    plan = plan[1] if plan else {"standard": "standard"}.get(name, name)
    file = origins.git("show", f"{commit.rstrip('+')}:Corpora/Plans/{plan}.yaml") or ""
    corpus = re.search(r"--corpus (\S+)", run["command"]) or re.search(r"^corpus: (\S+)", file, re.M)
    lock = origins.git("show", f"{commit.rstrip('+')}:Corpora/{corpus[1]}.lock") if corpus else None
    date = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = "exam" if name.startswith("exam-") else name
    return empty | {"date": date, "set": own, "setDigest": hashlib.sha256(lock.encode()).hexdigest() if lock else "", "plan": plan,
                    "matcher": "earshot", "version": run.get("engine", ""), "commit": commit}


def add(name, run):
    """Adds the look of a run that is stored now."""
    looks, look = read(), look_of(name, run, datetime.datetime.now().timestamp())
    if identity(look) not in map(identity, looks):
        write(looks + [look])


def history(files):
    """The looks of all runs that the history stored, in the order of time; takes the files that say where runs come from."""
    moments = dict(line.split() for line in origins.git("log", "--format=%H %ct", "HEAD").splitlines())
    for (name, _), (commit, run, _) in origins.first_records(files).items():
        yield name, run, int(moments[commit])


def changed(looks, found):
    """The looks of the history whose line says something else than the history does."""
    lines = {identity(look): (number, look) for number, look in enumerate(looks, 2)}
    for name, run, moment in found:
        expected = look_of(name, run, moment)
        number, look = lines.get(identity(expected), (0, expected))
        for column in ("setDigest", "plan", "matcher"):
            # A commit that is in no history says nothing.
            if expected[column] and look[column] != expected[column]:
                yield f"{LEDGER}:{number}: {column}: expected {expected[column]}, found {look[column]}"
        # A look is between its run and the commit that stored it.
        if not run.get("date", "")[:10] <= look["date"][:10] or look["date"] > expected["date"]:
            yield f"{LEDGER}:{number}: date: expected one from {run.get('date')} to {expected['date']}, found {look['date']}"


def exams():
    """The sets whose recipes say that they are exams."""
    folder = os.path.join(origins.ROOT, "Corpora")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".yaml"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if re.search(r"^exam: true$", file.read(), re.M):
                    yield name.removesuffix(".yaml")


def faults(looks, runs, known, sealed):
    """What a ledger lacks, and who took an exam twice.

    Takes looks, name and run of each published figure, name and run of the history, and the names of exams.
    """
    seen = set(map(identity, looks))
    for words, some in (("has no look", runs), ("of the history is missing", known)):
        for name, run in some:
            if key(name, run["commit"], run.get("engine", "")) not in seen:
                yield f"{LEDGER}: {name} of commit {run['commit']} {words}. scripts/results.py --looks adds it"
    first = {}
    for number, look in enumerate(looks, 2):
        engine = tuple(look[column] for column in ("setDigest", "plan", "matcher", "version", "settingsDigest"))
        if look["set"] in sealed and first.setdefault(engine, number) != number:
            yield f"{LEDGER}:{number}: {look['matcher']} {look['version']} had its look at {look['set']} in line {first[engine]}"


def count(name, looks):
    """How many looks there were at the set of these figures."""
    return sum(name_of(look) == name for look in looks)


def sentence(name, looks):
    """How often a set was seen."""
    times, engines = count(name, looks), len({look["version"] for look in looks if name_of(look) == name})
    return (f"Seen {times} time{'s' * (times != 1)}, by {engines} version{'s' * (engines != 1)} of the engine."
            if times else "Not seen yet.")


def complete(files):
    """Adds the looks of the history that the ledger lacks, and keeps all lines; returns how many it added."""
    looks = read() if os.path.exists(os.path.join(origins.ROOT, LEDGER)) else []
    seen = set(map(identity, looks))
    more = [look_of(*found) for found in history(files)]
    more = [look for look in more if identity(look) not in seen]
    write(sorted(looks + more, key=lambda look: look["date"]))
    return len(more)
