"""The ledger of looks at published sets: `scripts/looks.py`."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
looks = pytest.importorskip("looks")


def look(number, **cells):
    digest = f"{number:064x}"
    return {
        "date": f"2026-11-{number:02}T00:00:00Z", "set": "exam", "setDigest": digest[::-1], "plan": "conditions",
        "planDigest": digest, "matcher": "earshot", "version": f"3.{number}", "settingsDigest": digest,
        "matcherDigest": digest, "commit": f"{number:012x}",
    } | cells


@pytest.fixture
def ledger(tmp_path):
    def write(some):
        path = str(tmp_path / "looks.csv")
        looks.write(some, path)
        return path
    return write


def test_a_ledger_is_read_as_it_was_written(ledger):
    some = [look(number, settingsDigest="", version="") for number in range(1, 9)]
    assert looks.read(ledger(some)) == some


def changed(line, change):
    def edit(lines):
        lines[line] = change(lines[line])
    return edit


FAULTS = {
    "expected the columns": lambda lines: lines.pop(0),
    "expected 10 cells": changed(2, lambda text: text.rsplit(",", 1)[0] + "\n"),
    "date: expected": changed(2, lambda text: text.replace("T", " ")),
    "setDigest: expected": changed(2, lambda text: text.replace("exam,", "exam,x")),
    "set: expected": changed(2, lambda text: text.replace("exam", "")),
    "expected a date from": lambda lines: lines.insert(2, lines.pop(3)),
    "expected another look": lambda lines: lines.insert(2, lines[2]),
    "expected the end of a line": changed(-1, lambda text: text.rstrip("\n")),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_faulty_line_is_named(ledger, message):
    path = Path(ledger([look(number) for number in range(1, 6)]))
    lines = path.read_text().splitlines(keepends=True)
    FAULTS[message](lines)
    path.write_text("".join(lines))
    with pytest.raises(SystemExit) as error:
        looks.read(str(path))
    assert message in str(error.value)
    assert "looks.csv:" in str(error.value)


def run(some):
    return looks.name_of(some), {"commit": some["commit"], "engine": some["version"]}


@pytest.mark.parametrize("seed", range(5))
def test_every_missing_look_is_found(seed):
    draw = random.Random(seed)
    some = [look(number) for number in range(1, 9)]
    gone = draw.sample(some, 3)
    left = [one for one in some if one not in gone]
    stored, known = draw.sample(some, 5), draw.sample(some, 6)
    found = list(looks.faults(left, map(run, stored), map(run, known), {"exam"}))
    assert len(found) == sum(one in gone for one in stored) + sum(one in gone for one in known)
    assert list(looks.faults(some, map(run, stored), map(run, known), {"exam"})) == []


def test_an_engine_is_examined_once():
    first = look(1)
    again = look(2, setDigest=first["setDigest"], version=first["version"], settingsDigest=first["settingsDigest"])
    (fault,) = looks.faults([first, again], [], [], {"exam"})
    assert ":3: earshot 3.1 had its look at exam in line 2" in fault
    assert not list(looks.faults([first, again], [], [], set()))
    assert not list(looks.faults([first, again | {"version": "3.2"}], [], [], {"exam"}))


def test_looks_and_versions_are_counted():
    some = [look(1), look(2), look(3, version="3.2"), look(4, set="rows"), look(5, plan="standard")]
    assert looks.sentence("exam-conditions", some) == "Seen 3 times, by 2 versions of the engine."
    assert looks.sentence("rows", some) == "Seen 1 time, by 1 version of the engine."
    assert looks.sentence("none", some) == "Not seen yet."


def test_a_changed_line_of_the_history_is_named(monkeypatch):
    monkeypatch.setattr(looks.origins, "git", lambda *words: "corpus: games\n" if words[1].endswith(".yaml") else "a lock")
    past = {"commit": "0123456789ab", "engine": "3.1", "date": "2026-11-02", "command": "earshot evaluate --plan rows"}
    found = [("rows", past, 1_793_800_000)]
    line = looks.look_of(*found[0])
    assert not list(looks.changed([line], found))
    for column, value in {"setDigest": 64 * "0", "plan": "row", "matcher": "ear", "date": "2026-11-01T00:00:00Z"}.items():
        (fault,) = looks.changed([line | {column: value}], found)
        assert fault.startswith(f"Reports/looks.csv:2: {column}: expected")
