#!/usr/bin/env python3
"""Shows that the trials of two runs are equal except for latency: `compare-trials.py BEFORE AFTER [--renamed OLD=NEW]...`.

BEFORE and AFTER are run folders or tables `trials.csv`. Columns that end in `Milliseconds` do not count, and neither does the
order of columns. Prints the first difference and exits with 1 if there is one.
"""
import argparse, csv, itertools, pathlib, sys


def table(path, renamed):
    """The rows of a table without latency, under the new names of columns."""
    with open(path / "trials.csv" if path.is_dir() else path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, restkey="a cell without a column")
        names = [renamed.get(name, name) for name in reader.fieldnames or []]
        rows = [{renamed.get(name, name): cell for name, cell in row.items() if not name.endswith("Milliseconds")} for row in reader]
    return [name for name in names if not name.endswith("Milliseconds")], rows


def difference(before, after):
    (old_names, old_rows), (new_names, new_rows) = before, after
    if sorted(old_names) != sorted(new_names):
        return f"columns differ: {sorted(set(old_names) ^ set(new_names)) or 'one is there twice'}"
    if not old_rows and not new_rows:
        return "there are no trials"
    for number, (old, new) in enumerate(itertools.zip_longest(old_rows, new_rows, fillvalue={}), 1):
        for name in {**old, **new}:
            if old.get(name) != new.get(name):
                return f"row {number}, trial {old.get('trial')}: {name} is {old.get(name)!r} before and {new.get(name)!r} after"


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("before", type=pathlib.Path)
parser.add_argument("after", type=pathlib.Path)
parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW", help="a column that has a new name")
options = parser.parse_args()
before = table(options.before, dict(pair.split("=", 1) for pair in options.renamed))
found = difference(before, table(options.after, {}))
print(found or f"equal: {len(before[1])} trials, {len(before[0])} columns without latency")
sys.exit(1 if found else 0)
