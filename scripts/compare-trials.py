#!/usr/bin/env python3
"""Shows that the trials of two runs are equal except for latency: `compare-trials.py BEFORE AFTER [--renamed OLD=NEW]...`.

With --answers it compares the first answers alone and lists every difference: those of two ways to ask one matcher.

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


def answers(before, after):
    """A line for each trial whose first answers differ, and the number of trials. 16-bit files move numbers a little."""
    (_, old_rows), (_, new_rows) = before, after
    new = {row["trial"]: row for row in new_rows}
    if {row["trial"] for row in old_rows} != new.keys():
        sys.exit("the runs have other trials")
    for row in old_rows:
        other = new[row["trial"]]
        if row["error"] or other["error"]:
            yield row["trial"], f"error: {row['error'] or other['error']}"
        elif row["answerReference"] != other["answerReference"]:
            yield row["trial"], f"{row['answerReference'] or 'nothing'} before, {other['answerReference'] or 'nothing'} after"
        elif row["answerReference"]:
            for name, most in [("answerOffsetSeconds", 0.005), ("answerTimeSkew", 2e-4), ("answerFrequencySkew", 2e-4),
                               ("answerConfidence", 0.02)]:
                if abs(float(row[name]) - float(other[name])) > most:
                    yield row["trial"], f"{name} is {row[name]} before and {other[name]} after"


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("before", type=pathlib.Path)
parser.add_argument("after", type=pathlib.Path)
parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW", help="a column that has a new name")
parser.add_argument("--answers", action="store_true", help="compare first answers, and list all differences")
options = parser.parse_args()
before = table(options.before, dict(pair.split("=", 1) for pair in options.renamed))
if options.answers:
    found = list(answers(before, table(options.after, {})))
    for line in found:
        print(*line, sep=": ")
    print(f"{len({trial for trial, _ in found})} of {len(before[1])} trials differ in their first answers")
    sys.exit(1 if found else 0)
found = difference(before, table(options.after, {}))
print(found or f"equal: {len(before[1])} trials, {len(before[0])} columns without latency")
sys.exit(1 if found else 0)
