#!/usr/bin/env python3
"""Compares the first answers of the ways to ask the product with the judge's: `ways.py FOLDER [--list]`.

    earshot arena run --plan conditions --contestants scripts/adapters/ways.yaml --output ways
    scripts/ways.py ways

Each way is compared with one from which it differs in one thing. Where that is only how it is asked, all printed digits must be
equal. Prints the differences by cause with the greatest of each, and ends with 1 if one has no cause.
--list names each query that has another answer, or a difference without a cause.
"""
import argparse, collections, csv, pathlib, struct, sys

THRESHOLD = 3.0
UNEXPLAINED = "unexplained"
NUMBERS = {"offset": "answerOffsetSeconds", "time skew": "answerTimeSkew", "frequency skew": "answerFrequencySkew",
           "score": "answerScore", "confidence": "answerConfidence"}
# On which side an answer near the threshold was accepted.
COUNTS = ("accepted only by the first", "accepted only by the second")
# The kit has no scores, and numbers of 32 bits except for the offset.
KIT = ["time skew", "frequency skew", "confidence"]
# The last digits of `match --json`, and of numbers of 32 bits near 1. What differs by less is equal.
DIGITS = {"offset": 1.1e-6, "time skew": 2e-7, "frequency skew": 2e-7, "score": 1.1e-6, "confidence": 2e-7}
# The greatest differences that 16 bits and signatures make; those of scores are in STEPS.
BOUNDS = {"offset": 0.005, "time skew": 5e-4, "frequency skew": 2e-4, "confidence": 1}
# The delay that the engine takes off where it hears a room, in seconds: `Reverberance.delaySeconds`.
ECHO_SECONDS = 0.012
# Repeats are farther apart.
REPEAT_SECONDS = 0.1
# Below this score another line may fit the few peaks that match.
WEAK = 10
# The lengths of queries that a server and a session accept, in seconds.
SHORTEST, LONGEST = 1, 12


def trials(path):
    if not (path / "trials.csv").exists():
        sys.exit(f"{path}: no trials.csv. Run the arena with scripts/adapters/ways.yaml")
    with open(path / "trials.csv", encoding="utf-8", newline="") as file:
        return {row["trial"]: row for row in csv.DictReader(file)}


def single(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def sizes(one, other, is_kit=False):
    """The differences of the numbers of two first answers."""
    def number(row, name):
        return single(row[NUMBERS[name]]) if is_kit and name in KIT else float(row[NUMBERS[name]])
    found = {name: abs(number(one, name) - number(other, name)) for name in NUMBERS if not (is_kit and name == "score")}
    return {name: size if size > DIGITS[name] else 0 for name, size in found.items()}


def cause(step, one, other):
    """Why two answers differ, and by how much; None if they are equal."""
    is_kit = step.after == "session"
    if one["error"] or other["error"]:
        return refusal(one, other) if step.is_signature or is_kit else (UNEXPLAINED, {})
    if one["answerReference"] != other["answerReference"]:
        if step.finds_parts and not one["answerReference"]:
            return "part", {}
        if step.change and is_at_threshold(one, other, step.most):
            return "threshold", {COUNTS[0 if one["answerReference"] else 1]: 1}
        return UNEXPLAINED, {}
    if not one["answerReference"]:
        return None
    found = sizes(one, other, is_kit)
    if not any(found.values()):
        return None
    is_near = all(found[name] <= most for name, most in BOUNDS.items())
    if (is_kit or step.is_signature) and seconds(one) > LONGEST:
        return "length", found
    if not step.change or found["score"] > step.most:
        return UNEXPLAINED, found
    if is_near:
        return step.change, found
    later = float(one[NUMBERS["offset"]]) - float(other[NUMBERS["offset"]])
    is_echo = BOUNDS["offset"] < later <= ECHO_SECONDS + BOUNDS["offset"]
    if step.is_signature and is_echo and found["time skew"] <= BOUNDS["time skew"]:
        return "echo", found
    if found["offset"] > REPEAT_SECONDS:
        return "repeat", {"score": found["score"]}
    if min(float(row[NUMBERS["score"]]) for row in (one, other)) < WEAK:
        return "weak", found
    return UNEXPLAINED, found


def seconds(row):
    return int(row["queryFrames"]) / int(row["querySampleRate"])


def refusal(one, other):
    """A query that both refuse, or a server or session alone for its length or its silence."""
    if one["error"] and other["error"]:
        return None
    if not SHORTEST <= seconds(other) <= LONGEST:
        return "length", {}
    return ("silence" if not one["bestReference"] and "silent" in other["error"] else UNEXPLAINED), {}


def is_at_threshold(one, other, most):
    """Whether one way accepts an answer and the other none, with scores that differ by at most so much."""
    accepted, below = (one, other) if one["answerReference"] else (other, one)
    if below["answerReference"]:
        return False
    is_same = below["bestReference"] == accepted["answerReference"]
    return float(accepted["answerScore"]) - (float(below["bestScore"]) if is_same else THRESHOLD) <= most


class Step:
    """A way and the one that it is compared with: what differs, and by how much scores may differ then."""

    def __init__(self, before, after, change=None, most=0, is_signature=False, finds_parts=False):
        self.before, self.after, self.change, self.most = before, after, change, most
        self.is_signature, self.finds_parts = is_signature, finds_parts


STEPS = [Step("judge", "adapter", "16 bits", 6), Step("adapter", "match", finds_parts=True),
         Step("adapter", "serve", "signature", 10, is_signature=True), Step("serve", "session")]
CAUSES = {
    "16 bits": "the judge's queries and references are floats, a program gets 16 bits",
    "signature": "a signature has rounded peaks and no spectrogram",
    "echo": "a signature has no measure of echo, for which the others move the offset by up to 12 ms",
    "repeat": "the recording repeats: another place has nearly the same score",
    "weak": "few peaks match, and another skew fits them as well",
    "threshold": "near the threshold: one way accepts nothing",
    "part": "`match` also names what is heard in a part of the query",
    "length": "a server takes 1 to 12 s, so a longer query is cut",
    "silence": "refused: silence",
    UNEXPLAINED: "none is known",
}


def figures(folder, is_listed=False):
    """A row for each cause of each step, with the greatest difference of each number."""
    return [row for step in STEPS for row in compare(step, folder, is_listed)]


def compare(step, folder, is_listed):
    one, other = trials(folder / step.before), trials(folder / step.after)
    if one.keys() != other.keys():
        sys.exit(f"{step.before} and {step.after} have other trials")
    groups = collections.defaultdict(list)
    for trial, row in one.items():
        found = cause(step, row, other[trial])
        if found:
            groups[found[0]].append(found[1])
            if is_listed and (found[0] == UNEXPLAINED or not found[1].keys() & NUMBERS.keys()):
                print(f"{trial}: {step.before}, {step.after}: {found[0]}: {told(row)}, {told(other[trial])}")
    return [{"before": step.before, "after": step.after, "cause": name, "count": len(groups[name]), "of": len(one),
             **{number: sum(sizes.get(number, 0) for sizes in groups[name]) for number in COUNTS},
             **{number: max((sizes[number] for sizes in groups[name] if number in sizes), default="") for number in NUMBERS}}
            for name in CAUSES if name in groups or name == UNEXPLAINED]


def told(row):
    if row["error"]:
        return row["error"]
    name, score = ("answerReference", "answerScore") if row["answerReference"] else ("bestReference", "bestScore")
    if not row[name]:
        return "nothing"
    below = "" if row["answerReference"] else "below "
    return f"{row[name]} {below}{row[score]} at {row['answerOffsetSeconds']}"


UNITS = {"offset": (1e3, " ms"), "time skew": (1e6, " ppm"), "frequency skew": (1e6, " ppm")}


def greatest(row):
    """The sides of answers near the threshold, or the greatest difference of each number."""
    counts = [f"{row[number]} {number}" for number in COUNTS if int(row[number])]
    words = []
    for number in NUMBERS:
        if row[number] != "" and float(row[number]):
            scale, unit = UNITS.get(number, (1, ""))
            words.append(f"{number} {float(f'{float(row[number]) * scale:.2g}'):g}{unit}")
    return "; ".join(counts or words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="name the queries with another answer, or a difference without a cause")
    options = parser.parse_args()
    rows = figures(options.folder, options.list)
    for row in rows:
        print(f"{row['before']}, {row['after']}: {CAUSES[row['cause']]}: {row['count']:,} of {row['of']:,}", greatest(row))
    unexplained = sum(row["count"] for row in rows if row["cause"] == UNEXPLAINED)
    print(f"{unexplained} differences without a cause")
    sys.exit(1 if unexplained or not rows else 0)


if __name__ == "__main__":
    main()
