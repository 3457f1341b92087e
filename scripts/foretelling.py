"""How well a plan foretells recordings: recall of each matcher on both, by length and genre, with intervals.

`results.py` uses it. Both runs are folders of `earshot arena run` with the same contestants. New figures need SciPy.
"""
import collections
import csv
import os

# A recording counts at the nearest ratio of the plan; where it is this far below the lowest one, it counts as not found.
STEP_DECIBELS = 6
FIGURES = {"first": "Right one first", "accepted": "Accepted and right"}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trials(folder, name, genre=None):
    """The positive trials as (recording, length, ratio, right one first, accepted and right)."""
    return [(row["sourceClass"], float(row["lengthSeconds"]), float(row["severityValue"] or 0),
             row["rightRank"] == "1", row["isRight"] == "true")
            for row in read(os.path.join(folder, name, "trials.csv"))
            if row["kind"] == "positive" and genre in (None, row["degradation"])]


def ratio_weights(ratios, levels):
    """The share of the recordings at each ratio of the plan; what is missing from 1 is not found."""
    weights = dict.fromkeys(levels, 0.0)
    for ratio in ratios:
        level = min(levels, key=lambda level: abs(level - ratio)) if ratio is not None else None
        if level is not None and ratio > min(levels) - STEP_DECIBELS / 2:
            weights[level] += 1 / len(ratios)
    return weights


def estimate(chosen, figure, weights=None):
    """The rate and its interval of 95 %, as the judge clusters them (`ClusterVariance`, `Proportion` in `Metrics`).

    weights: the share of each ratio; None means that all trials count alike.
    """
    from scipy.stats import norm, t
    place = 3 if figure == "first" else 4
    sizes = collections.Counter(trial[2] for trial in chosen)
    weighted = [(trial[0], 1 if weights is None else weights[trial[2]] / sizes[trial[2]], trial[place])
                for trial in chosen]
    found = 1 if weights is None else sum(weights.values())
    sums = collections.defaultdict(lambda: [0.0, 0.0])
    for recording, weight, success in weighted:
        if weight:
            sums[recording][0] += weight
            sums[recording][1] += weight * success
    total, successes = (sum(pair[place] for pair in sums.values()) for place in (0, 1))
    most = total ** 2 / sum(weight ** 2 for _, weight, _ in weighted)
    m, p = len(sums), successes / total
    is_rare = 2 * successes >= total
    shares = [((pair[0] - pair[1]) if is_rare else pair[1]) / pair[0] for pair in sums.values()]
    share = (0.5 + sum(share ** 2 for share in shares)) / (1 + sum(shares))
    added = 1.25 * total / m
    pairs = [*sums.values(), [added, added * (1 - share if is_rare else share)]]
    q = sum(pair[1] for pair in pairs) / sum(pair[0] for pair in pairs)
    spread = m / (m - 1) * sum((pair[1] - q * pair[0]) ** 2 for pair in pairs)
    n = min(most, q * (1 - q) * total ** 2 / spread)
    effect = max(1, most / n)
    z2 = norm.ppf(0.975) ** 2 / effect + t.ppf(0.975, m - 1) ** 2 * (1 - 1 / effect)
    scale = 1 + z2 / n
    centre, half = (p + z2 / (2 * n)) / scale, (z2 * (p * (1 - p) / n + z2 / (4 * n * n))) ** 0.5 / scale
    # What is not found for sure has no error.
    return tuple(found * value for value in (p, max(0, centre - half) if p else 0, centre + half if p < 1 else 1))


def differs(a, b):
    """Whether the interval of the difference of two independent rates excludes 0.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, 1998,
    method 10.
    """
    (x, xLow, xHigh), (y, yLow, yHigh) = (a, b) if a[0] >= b[0] else (b, a)
    return x - y > ((x - xLow) ** 2 + (yHigh - y) ** 2) ** 0.5


def figures(field, plan, ratios):
    """A row for each group, matcher, figure and length.

    ratios: the table of measure-ratios.py; a row for each file of the longest recordings.
    """
    genres = {row["query"]: row["ratioDecibels"] for row in read(ratios)}
    names = [name for name in os.listdir(field) if os.path.exists(os.path.join(field, name, "trials.csv"))]
    names.sort(key=lambda name: (name != "Earshot", name))
    groups = [None] + sorted({row["degradation"] for row in read(os.path.join(field, names[0], "trials.csv"))})
    rows = []
    for group in groups:
        for name in names:
            heard, asked = trials(field, name, group), trials(plan, name)
            weights = None
            if group:
                measured = [float(ratio) if ratio else None for query, ratio in genres.items()
                            if query.startswith(group + ".")]
                if not measured:
                    raise SystemExit(f"results: {ratios}: expected recordings whose names begin with {group}.")
                weights = ratio_weights(measured, sorted({trial[2] for trial in asked}))
            for figure in FIGURES if group is None else ("first",):
                for length in sorted({trial[1] for trial in heard}, reverse=True):
                    own = estimate([trial for trial in heard if trial[1] == length], figure)
                    other = estimate([trial for trial in asked if trial[1] == length], figure, weights)
                    row = {"group": group or "", "matcher": name.replace("-", ", ", 1), "figure": figure,
                           "lengthSeconds": f"{length:g}", "differs": differs(own, other)}
                    for side, (value, lower, upper) in (("field", own), ("plan", other)):
                        row |= {side: f"{value:.4f}", side + "Lower": f"{lower:.4f}", side + "Upper": f"{upper:.4f}"}
                    rows.append(row)
    return rows


def block(rows, engine):
    """The tables for the article."""
    def cell(row, side):
        lower, upper = float(row[side + "Lower"]), float(row[side + "Upper"])
        star = " *" if side == "plan" and row["differs"] == "True" else ""
        return f"{float(row[side]) * 100:.0f} ({lower * 100:.0f}–{upper * 100:.0f}){star}"

    text = []
    for group, figure in dict.fromkeys((row["group"], row["figure"]) for row in rows):
        chosen = [row for row in rows if (row["group"], row["figure"]) == (group, figure)]
        lengths = list(dict.fromkeys(row["lengthSeconds"] for row in chosen))
        text.append(f"{FIGURES[figure]}, {group + ' music' if group else 'all recordings'}: "
                    f"{sum(row['differs'] != 'True' for row in chosen)} of {len(chosen)} cells agree.\n")
        text.append("| matcher | " + " | ".join(f"{length} s field | plan" for length in lengths) + " |")
        text.append("|---|" + "--:|" * (2 * len(lengths)))
        for name in dict.fromkeys(row["matcher"] for row in chosen):
            cells = [cell(row, side) for row in chosen if row["matcher"] == name for side in ("field", "plan")]
            text.append(f"| {name + ' ' + engine if name == 'Earshot' else name} | " + " | ".join(cells) + " |")
        text.append("")
    return "\n".join(text)
