"""How well a plan foretells recordings: recall of each matcher on both, by length and genre, with intervals.

`results.py` uses it. Both runs are of `earshot arena run` with the same contestants.
"""
import collections

import judging

# A recording counts at the nearest ratio of the plan; where it is this far below the lowest one, it counts as not found.
STEP_DECIBELS = 6
FIGURES = {"first": "Right one first", "accepted": "Accepted and right"}


def trials(rows, genre=None):
    """The positive trials as (recording, length, ratio, right one first, accepted and right)."""
    return [(row["sourceClass"], float(row["lengthSeconds"]), float(row["severityValue"] or 0),
             row["rightRank"] == "1", row["isRight"] == "true")
            for row in rows if row["kind"] == "positive" and genre in (None, row["degradation"])]


def ratio_weights(ratios, levels):
    """The share of the recordings at each ratio of the plan; what is missing from 1 is not found."""
    weights = dict.fromkeys(levels, 0.0)
    for ratio in ratios:
        level = min(levels, key=lambda level: abs(level - ratio)) if ratio is not None else None
        if level is not None and ratio > min(levels) - STEP_DECIBELS / 2:
            weights[level] += 1 / len(ratios)
    return weights


def estimate(chosen, figure, weights=None):
    """The rate and its interval of 95 %, clustered by recording.

    weights: the share of each ratio; None means that all trials count alike.
    """
    place = 3 if figure == "first" else 4
    sizes = collections.Counter(trial[2] for trial in chosen)
    weighted = [(trial[0], trial[place], 1 if weights is None else weights[trial[2]] / sizes[trial[2]]) for trial in chosen]
    found = judging.share(trial for trial in weighted if trial[2])
    # What is not found for sure has no error.
    return tuple((1 if weights is None else sum(weights.values())) * found[key] for key in ("rate", "lower", "upper"))


def differs(a, b):
    """Whether the interval of the difference of two independent rates excludes 0.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, 1998,
    method 10.
    """
    (x, xLow, xHigh), (y, yLow, yHigh) = (a, b) if a[0] >= b[0] else (b, a)
    return x - y > ((x - xLow) ** 2 + (yHigh - y) ** 2) ** 0.5


def figures(field, plan, ratios):
    """A row for each group, matcher, figure and length.

    field, plan: the rows of trials by contestant. ratios: the table of measure-ratios.py; a row for each file of the longest
    recordings.
    """
    genres = {row["query"]: row["ratioDecibels"] for row in ratios}
    names = sorted(field, key=lambda name: (name != "Earshot", name))
    groups = [None] + sorted({row["degradation"] for row in field[names[0]]})
    rows = []
    for group in groups:
        for name in names:
            heard, asked = trials(field[name], group), trials(plan[name])
            weights = None
            if group:
                measured = [float(ratio) if ratio else None for query, ratio in genres.items()
                            if query.startswith(group + ".")]
                if not measured:
                    raise SystemExit(f"results: the table of ratios: expected recordings whose names begin with {group}.")
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
    """The tables for the article; Earshot's weights were fitted with the recordings of the field."""
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
            text.append(f"| {f'Earshot {engine}, fitted with the field' if name == 'Earshot' else name} | " + " | ".join(cells) + " |")
        text.append("")
    return "\n".join(text)
