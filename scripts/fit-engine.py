#!/usr/bin/env python3
"""Fits the weights of the matcher's score to evidence, cross-validated over recordings.

usage: scripts/fit-engine.py [--output FILE]            fit, and write the weights to FILE or Sources/Signatures/Weights.swift
       scripts/fit-engine.py --check FILE               fit, and exit with 1 if FILE holds other weights
       scripts/fit-engine.py --compare                  print what each kind of evidence buys, and how far other models get
       scripts/fit-engine.py --collect EARSHOT [--recordings DIR]
                                                        ask EARSHOT for the evidence of all sets, and store it

Needs NumPy and SciPy; --compare also scikit-learn. Takes 15 seconds and 400 MB. Reports/evidence/NAME.csv.xz holds the evidence: for
each query the right place and the wrong places with the highest scores, in each set of bands. `earshot evidence` measured it on the
tuning halves, and on half of the recordings of a microphone, which nobody needs again to repeat the fit.

The score is a constant plus a curve for each kind of evidence: a polygon that never turns back. A place has the score of its best set of
bands, and a query the scores of its right place and of its best wrong one. Both go into a logistic regression, so the score is the
log-odds of a match. Knots, ridge and weights of the sets are stated below; slopes and constant are fitted. Only --compare draws.
"""
import argparse, collections, csv, hashlib, io, lzma, os, pathlib, subprocess
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"  # Sums in one order, whatever the machine.
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORE = ROOT / "Reports/evidence"
# What is asked of `earshot evidence`, and how much one query of the set counts.
SETS = {
    "standard": ("--plan standard --half tuning", 1),
    "conditions": ("--plan conditions --half tuning --positives 24 --negatives 8", 1),
    "microphone": ("--plan microphone --half tuning", 1),
    "negatives": ("--plan negatives --half tuning --negatives 30", 1),
    "ladder": ("--plan ladder --half tuning", 1),
    "recordings": ("--queries truth.csv --query-folder queries --references references --negative-folds 2", 2),
}
# How much a wrong place counts, on a rung of the ladder and elsewhere: many more unknown queries are asked than these.
WRONG = {"": 3, "unrelated": 1, "same sounds": 1, "same loop": 0.3, "other sounds": 3, "other tempo and key": 0.3}
# Nobody can tell another mix or take of the same sounds from the recording by the sound: neither counts.
LEFT_OUT = ("other mix", "other take")
PLACES, DIGITS, FOLDS, RIDGE, ROUNDS = 3, 3, 5, 1.0, 16
# This share of the queries of `negatives` may reach the threshold: the mean distance of the `TAIL` highest scores, cross-validated, says
# how fast they get rare.
THRESHOLD, ACCEPTED, TAIL = 3.0, 1 / 10000, 50
# A curve: the evidence, its knots, and whether it speaks for a match.
CURVES = {
    "skew": ("skewLogOdds", (-4, 0, 3, 10), 1),
    "frequencyGain": ("frequencyGain", (0, 4, 10, 18, 30), 1),
    "explainedShare": ("explainedShare", (0, 0.15, 0.3, 0.5, 0.8), 1),
    "unexplainedHeight": ("unexplainedHeight", (3, 4, 5, 6.5, 8), -1),
    "concentration": ("concentration", (-10, -2, 4, 12, 30), 1),
    "peakEvidence": ("peakEvidence", (0, 0.7, 1.5, 3, 5), 1),
    "misfit": ("misfit", (2, 2.4, 2.8, 3.2, 3.6, 4, 4.8), -1),
    "lead": ("lead", (-1, 0, 0.7, 1.4, 2.2), 1),
    "meanHeight": ("meanHeight", (0.5, 1.5, 2.2, 2.8, 3.6), 1),
    "length": ("lengthOctaves", (0, 1), 1),
}
# What buys nothing beside these, as --compare shows.
DROPPED = {"slotEvidence": ("slotEvidence", (0, 1, 2, 3, 4.5), 1)}
# What makes a curve count: not at all up to the first value, and in full from the second. Noise lowers mean heights, and in a short
# query few moments make a large lead.
SHARES = {"misfit": ("misfitPeaks", (10, 30)), "lead": ("lengthOctaves", (-1, 3)), "meanHeight": ("unexplainedHeight", (3.5, 6))}
VALUES = tuple(source for source, *_ in (CURVES | DROPPED).values() if source != "lengthOctaves") + ("misfitPeaks", "sizeLogOdds")
KEYS = ("trial", "kind", "lengthSeconds", "rung", "recording", "truth", "place", "variant")


def fail(text):
    raise SystemExit(f"fit-engine: {text}")


# Evidence --------------------------------------------------------------------------------------------------------------------

def recording(row):
    """What a query's recording is called in every set: renditions of a piece, and cuts of a recording, are one."""
    name = row["sourceClass"] or row["source"]
    return name.split("@")[0].split("-snippet")[0]


def part(name):
    """Which part of the recordings of a microphone a file belongs to: half of them are kept for the exam."""
    return ("fit", "exam")[hashlib.sha256(name.encode()).digest()[0] % 2]


def packed(path, name):
    """The rows of a table of `earshot evidence` that the fit needs, as compressed CSV."""
    trials = collections.defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        missing = [column for column in VALUES + ("trial", "truth", "matcher") if column not in (rows.fieldnames or ())]
        if missing:
            fail(f"{path}: no column {', '.join(missing)}")
        matcher = trial = None
        for row in rows:
            at = f"{path}:{rows.line_num}"
            matcher = matcher or row["matcher"]
            if row["matcher"] != matcher:
                fail(f"{at}: evidence of {row['matcher']}, and of {matcher} before it")
            if row["truth"] not in ("right", "elsewhere", "permitted", "related", "other"):
                fail(f"{at}: expected a truth, found {row['truth']!r}")
            if name == "recordings" and part(recording(row)) == "exam":
                continue
            if row["trial"] in trials and row["trial"] != trial:
                fail(f"{at}: {row['trial']} for the second time")
            trial = row["trial"]
            # The rows of a place follow each other, one for each set of bands.
            places = trials[row["trial"]]
            if not places or row["variant"] in places[-1]:
                places.append({})
            places[-1][row["variant"]] = row
    text = io.StringIO()
    writer = csv.DictWriter(text, KEYS + VALUES, lineterminator="\n")
    writer.writeheader()
    for number, places in enumerate(trials.values()):
        best = sorted(places, key=lambda rows: -max(float(row["score"]) for row in rows.values()))
        sides = collections.Counter()
        for rows in best:
            first = next(iter(rows.values()))
            side = {"right": "right", "related": "wrong", "other": "wrong"}.get(first["truth"])
            if side is None or first["rung"] in LEFT_OUT or sides[side] >= (1 if side == "right" else PLACES):
                continue
            sides[side] += 1
            for row in rows.values():
                values = {key: row[key] and f"{float(row[key]):.{DIGITS}g}" for key in VALUES}
                writer.writerow(values | {
                    "trial": number, "kind": row["kind"], "lengthSeconds": row["lengthSeconds"], "rung": row["rung"],
                    "recording": recording(row), "truth": side, "place": sides[side], "variant": row["variant"]})
    return lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME)


def collect(earshot, recordings):
    STORE.mkdir(parents=True, exist_ok=True)
    for name, (words, _) in SETS.items():
        if name == "recordings" and not recordings:
            continue
        path = STORE / f"{name}.csv"
        command = [os.path.abspath(earshot), "evidence", *words.split(), "--csv", str(path)]
        subprocess.run(command, check=True, cwd=recordings if name == "recordings" else ROOT)
        (STORE / f"{name}.csv.xz").write_bytes(packed(path, name))
        path.unlink()


class Evidence:
    """The rows of some sets: values, and for each query and side the first row and the last."""

    def __init__(self, names=SETS):
        rows, groups, octaves, self.queries = [], [], [], []
        for name in names:
            path = STORE / f"{name}.csv.xz"
            if not path.exists():
                fail(f"no evidence in {path}. Collect it with --collect")
            with lzma.open(path, "rt", newline="", encoding="utf-8") as file:
                table, known = csv.DictReader(file), {}
                for row in table:
                    values = [float(row[key]) if row[key] else np.nan for key in VALUES]
                    holes = [key for key, value in zip(VALUES, values) if np.isnan(value) and key != "lead"]
                    if holes or row["truth"] not in ("right", "wrong"):
                        fail(f"{path}:{table.line_num}: no {', '.join(holes) or 'truth'}")
                    if row["trial"] not in known:
                        known[row["trial"]] = len(self.queries)
                        self.queries.append({key: row[key] for key in KEYS[1:5]} | {"set": name})
                    rows.append(values)
                    groups.append((known[row["trial"]], row["truth"] == "right"))
                    octaves.append(np.log2(float(row["lengthSeconds"])))
        groups = np.array(groups)
        order = np.lexsort((groups[:, 0], groups[:, 1]))
        self.values, groups = dict(zip(VALUES, np.array(rows)[order].T)), groups[order]
        self.values["lengthOctaves"] = np.array(octaves)[order]
        starts = np.flatnonzero(np.r_[True, (groups[1:] != groups[:-1]).any(axis=1)])
        self.starts, self.query, self.is_right = starts, groups[starts, 0], groups[starts, 1] == 1
        if self.is_right.all() or not self.is_right.any():
            fail("evidence of one class only: a fit needs right places and wrong ones")
        asked = [self.queries[query] for query in self.query]
        self.weights = np.array([SETS[query["set"]][1] * (1 if is_right else WRONG.get(query["rung"], 1))
                                 for query, is_right in zip(asked, self.is_right)], float)
        names = [query["recording"] for query in asked]
        if len(set(names)) < 2 * FOLDS:
            fail(f"{len(set(names))} recordings are too few for {FOLDS} folds")
        self.fold = np.array([hashlib.sha256(name.encode()).digest()[1] % FOLDS for name in names])
        self.recordings = np.unique(names, return_inverse=True)[1]

    def columns(self, curves):
        """What the slope of each piece of a curve is multiplied with, and of which curve it is."""
        columns, owners = [], []
        for name, (source, knots, sign) in curves.items():
            # Without a lead there is nothing to add.
            values = np.nan_to_num(self.values[source], nan=knots[0])
            of, (none, full) = SHARES.get(name, (source, (-1e9, -1e8)))
            share = np.clip((self.values[of] - none) / (full - none), 0, 1)
            for low, high in zip(knots, knots[1:]):
                columns.append(sign * (np.clip(values, low, high) - low) * share)
                owners.append(name)
        return np.stack(columns, 1), owners


# Fit -------------------------------------------------------------------------------------------------------------------------

def best(scores, starts):
    """The first row with the highest score of each group."""
    highest = np.repeat(np.maximum.reduceat(scores, starts), np.diff(np.r_[starts, len(scores)]))
    rows = np.flatnonzero(scores >= highest)
    return rows[np.unique(np.searchsorted(starts, rows, side="right"), return_index=True)[1]]


def fitted(evidence, curves=CURVES, weights=None):
    """The slopes of all pieces, and the constant: a logistic regression over the best row of each side of each query.

    Which rows are best depends on the slopes, so both are found in turn.
    """
    columns, owners = evidence.columns(curves)
    weights = evidence.weights if weights is None else weights
    size = evidence.values["sizeLogOdds"]
    scale = np.sqrt((columns ** 2).mean(axis=0)) + 1e-3
    # A ridge on slopes, and on the step from each to its neighbour of the same curve.
    penalty = np.diag([0.1 * RIDGE] * len(owners) + [0])
    for place in range(len(owners) - 1):
        if owners[place] == owners[place + 1]:
            penalty[place:place + 2, place:place + 2] += 0.4 * RIDGE * np.array([[1, -1], [-1, 1]])
    slopes, constant = np.full(len(owners), 0.5), -8.0
    sides = np.where(evidence.is_right, -1.0, 1.0)
    used = weights > 0
    for turn in range(ROUNDS):
        rows = best(columns @ slopes - size, evidence.starts)[used]
        inputs, offsets = np.c_[columns[rows] / scale, np.ones(len(rows))], -size[rows]
        counts, signs = weights[used], sides[used]

        def loss(point):
            odds = signs * (inputs @ point + offsets)
            gradient = inputs.T @ (counts * signs * expit(odds)) + penalty @ point
            return (counts * np.logaddexp(0, odds)).sum() + point @ penalty @ point / 2, gradient

        least = np.r_[np.zeros(len(owners)), -np.inf]
        found = minimize(loss, np.r_[slopes * scale, constant], jac=True, method="L-BFGS-B",
                         bounds=[(low, None) for low in least]).x
        # Newton's method to the last digit, so that no library decides one.
        for _ in range(40):
            value, gradient = loss(found)
            free = (found > least) | (gradient < 0)
            chance = expit(inputs @ found + offsets)
            bend = (inputs * (counts * chance * (1 - chance))[:, None]).T @ inputs + penalty
            move = np.zeros(len(found))
            move[free] = np.linalg.solve(bend[np.ix_(free, free)], gradient[free])
            length = 1.0
            while length > 1e-9 and loss(np.maximum(found - length * move, least))[0] > value:
                length /= 2
            found = np.maximum(found - length * move, least)
            if np.abs(length * move[free]).max() < 1e-11:
                break
        # Half a step at last, so that rows that are best in turn do not make the fit swing.
        step = 1.0 if turn < 2 else 0.6
        slopes = slopes + step * (found[:-1] / scale - slopes)
        constant = float(constant + step * (found[-1] - constant))
    return slopes, constant


def cross_validated(evidence, curves=CURVES):
    """The score of each side of each query by a fit without its recording."""
    result = np.empty(len(evidence.starts))
    for fold in range(FOLDS):
        slopes, constant = fitted(evidence, curves, np.where(evidence.fold == fold, 0, evidence.weights))
        rows = evidence.columns(curves)[0] @ slopes - evidence.values["sizeLogOdds"]
        result[evidence.fold == fold] = (np.maximum.reduceat(rows, evidence.starts) + constant)[evidence.fold == fold]
    return result


class Outcomes:
    """What is accepted at a threshold, by set."""

    def __init__(self, evidence, sides):
        count = len(evidence.queries)
        self.right, self.wrong = np.full(count, -np.inf), np.full(count, -np.inf)
        self.right[evidence.query[evidence.is_right]] = sides[evidence.is_right]
        self.wrong[evidence.query[~evidence.is_right]] = sides[~evidence.is_right]
        self.of = {key: np.array([query[key] for query in evidence.queries]) for key in evidence.queries[0]}
        self.is_plain = self.of["rung"] == ""
        self.is_positive = self.of["kind"] == "positive"

    def line(self, threshold):
        accepted = self.is_positive & (self.right >= threshold) & (self.right > self.wrong)
        cells = {"wrong": f"{(self.is_plain & (self.wrong > self.right) & (self.wrong >= threshold)).sum()}"}
        for name in dict.fromkeys(self.of["set"]):
            asked = self.is_positive & (self.of["set"] == name)
            if asked.any() and name != "ladder":
                cells[name] = f"{100 * accepted[asked].mean():.2f}"
        for rung in dict.fromkeys(self.of["rung"][~self.is_plain]):
            asked = self.of["rung"] == rung
            said = accepted if self.is_positive[asked].any() else (self.wrong >= threshold) & (self.wrong > self.right)
            cells[rung] = f"{said[asked].sum()}/{asked.sum()}"
        return cells


def refused_score(evidence, sides):
    """The score that `ACCEPTED` of the queries of `negatives` reach."""
    outcomes = Outcomes(evidence, sides)
    asked = outcomes.wrong[outcomes.of["set"] == "negatives"]
    scores = np.sort(asked)[:-TAIL - 2:-1]
    return float(scores[-1] + (scores[:-1] - scores[-1]).mean() * np.log(TAIL / (ACCEPTED * len(asked))))


def standard_model(evidence, validated):
    """The fit to all evidence, with the constant that puts `refused_score` at the threshold."""
    slopes, constant = fitted(evidence)
    return slopes, round(constant + THRESHOLD - refused_score(evidence, validated), 3)


# Output ----------------------------------------------------------------------------------------------------------------------

def swift(model):
    slopes, constant = model
    columns, lines = iter(slopes), []
    for name, (_, knots, sign) in CURVES.items():
        lines.append((name, knots, [round(sign * float(next(columns)), 4) + 0.0 for _ in knots[1:]]))
    lines += [(f"{name}Share", ends, [1 / (ends[1] - ends[0])]) for name, (_, ends) in SHARES.items()]
    return ("// Made by scripts/fit-engine.py from Reports/evidence: run it again instead of changing a number.\n\n"
            "extension Settings.Weights {\n    /// The fitted weights.\n    public init() {\n"
            f"        constant = {constant}\n"
            + "".join(f"        {name} = Settings.Curve(\n            knots: {list(knots)},\n"
                      f"            slopes: {[0.0] + pieces + [0.0]})\n" for name, knots, pieces in lines)
            + "    }\n}\n")


def table(lines):
    heads = list(dict.fromkeys(key for _, cells in lines for key in cells))
    widths = [max(len(head), 7) for head in heads]
    print(" " * 26 + "  ".join(head.rjust(width) for head, width in zip(heads, widths)))
    for label, cells in lines:
        print(label.ljust(26) + "  ".join(cells.get(head, "").rjust(width) for head, width in zip(heads, widths)))


def at_threshold(evidence, sides):
    return Outcomes(evidence, sides).line(refused_score(evidence, sides))


def compare(evidence):
    straight = {name: (source, (knots[0], knots[-1]), sign) for name, (source, knots, sign) in CURVES.items()}
    choices = {"all evidence": CURVES, "straight lines": straight}
    choices |= {f"without {left}": {name: CURVES[name] for name in CURVES if name != left} for left in CURVES}
    choices |= {f"with {name}": CURVES | {name: curve} for name, curve in DROPPED.items()}
    lines = [(label, at_threshold(evidence, cross_validated(evidence, curves))) for label, curves in choices.items()]
    lines.append(("boosted trees", at_threshold(evidence, boosted(evidence))))
    print(f"Cross-validated, % accepted where {ACCEPTED:.2%} of the queries of negatives are; of the ladder, "
          "queries accepted:\n")
    table(lines)
    validated = cross_validated(evidence)
    shift = refused_score(evidence, validated) - THRESHOLD
    print("\nAll evidence at other thresholds:\n")
    table([(f"{at:g}", Outcomes(evidence, validated).line(at + shift)) for at in (1, 2, 2.5, 3, 3.5, 4, 5, 6)])
    draws, count, rises = np.random.default_rng(1), evidence.recordings.max() + 1, []
    for _ in range(20):
        drawn = np.bincount(draws.integers(0, count, count), minlength=count)
        rises.append(total_rises(fitted(evidence, weights=evidence.weights * drawn[evidence.recordings])))
    print("\nHow far each curve rises, with the least and the greatest of 20 fits to drawn recordings:\n")
    for name, rise in total_rises(fitted(evidence)).items():
        drawn = sorted(rise[name] for rise in rises)
        print(f"{name.ljust(20)}{rise:6.2f}  {drawn[0]:6.2f} … {drawn[-1]:.2f}")


def total_rises(model):
    slopes, rises = iter(model[0]), {}
    for name, (_, knots, sign) in CURVES.items():
        rises[name] = sign * sum(next(slopes) * (high - low) for low, high in zip(knots, knots[1:]))
    return rises


def boosted(evidence):
    """The scores of boosted trees, trained on the rows that are best by the curves: how far any model gets."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    inputs = np.stack([evidence.values[key] for key in VALUES], 1)
    rows = best(evidence.columns(CURVES)[0] @ fitted(evidence)[0] - evidence.values["sizeLogOdds"], evidence.starts)
    result = np.empty(len(evidence.starts))
    for fold in range(FOLDS):
        train = evidence.fold != fold
        trees = HistGradientBoostingClassifier(max_iter=150, learning_rate=0.06, max_leaf_nodes=12, l2_regularization=1, random_state=1)
        trees.fit(inputs[rows[train]], evidence.is_right[train], sample_weight=evidence.weights[train])
        found = np.maximum.reduceat(trees.decision_function(inputs), evidence.starts)
        result[~train] = found[~train]
    return result


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    for name in ("output", "check", "collect", "recordings"):
        options.add_argument("--" + name)
    options.add_argument("--compare", action="store_true")
    asked = options.parse_args()
    if asked.collect:
        return collect(asked.collect, asked.recordings)
    evidence = Evidence()
    if asked.compare:
        return compare(evidence)
    validated = cross_validated(evidence)
    text = swift(standard_model(evidence, validated))
    if asked.check:
        if pathlib.Path(asked.check).read_text(encoding="utf-8") != text:
            fail(f"{asked.check} holds other weights than the evidence gives. Write it with --output {asked.check}")
        return
    table([("at the threshold", at_threshold(evidence, validated))])
    pathlib.Path(asked.output or ROOT / "Sources/Signatures/Weights.swift").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
