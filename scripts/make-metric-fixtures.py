#!/usr/bin/env python3
"""Writes Tests/MetricsTests/Fixtures: reference-values.json from SciPy and NumPy, passages.txt from sed_scores_eval.

Run this only to add a case or to check the committed fixture against a newer SciPy. Read the
difference before you commit it. Needs scipy >= 1.7 and sed_scores_eval (pip install scipy sed_scores_eval).
"""

import sys
import json
import pathlib

import numpy
import scipy
from scipy import optimize, stats

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Tests" / "MetricsTests" / "Fixtures" / "reference-values.json"
PASSAGES = TARGET.parent / "passages.txt"
SECONDS = 600
"""The length of the recording of a case of passages.txt; the score 0 of all of it is one false passage."""

PROPORTIONS = [
    (0, 1), (1, 1), (0, 20), (1, 20), (19, 20), (20, 20), (45, 45), (828, 1062), (381, 381),
    (1740, 1794), (0, 773), (3, 1654), (5000, 10000), (999999, 1000000),
]
CONFIDENCES = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]
PROBABILITIES = [
    1e-300, 1e-20, 1e-9, 1e-5, 0.001, 0.01, 0.025, 0.05, 0.074, 0.076, 0.1, 0.25, 0.4, 0.5,
    0.6, 0.75, 0.9, 0.924, 0.926, 0.95, 0.975, 0.99, 0.999, 0.99999, 1 - 1e-12,
]
SAMPLES = [
    [4.0],
    [1.0, 2.0],
    [3.0, 1.0, 2.0],
    [0.013, -0.02, 0.4, -0.0071, 0.0, 0.11],
    [float(n) for n in range(101)],
    # Errors like a matcher's: most are small, a few are large, and their mean is not 0.
    [round(float(x), 6) for x in numpy.random.default_rng(7).standard_t(2, 40) * 0.01 + 0.003],
]
FRACTIONS = [0.0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0]
BOUNDS = [(0, 1), (0, 60), (0, 10000), (1, 10000), (3, 773), (17, 20), (20, 20), (400, 2000), (59999, 60000)]
TAILS = [
    (k, n, p) for n, ks in [(1, [0, 1]), (10, [0, 3, 9]), (200, [0, 1, 90, 190]), (60_000, [0, 17, 29_900, 59_990])]
    for k in ks for p in (1e-6, 0.001, 0.3, 0.5, 0.97)
    # Probabilities near the smallest double cannot be compared.
    if stats.binom.cdf(k, n, p) > 1e-280 and stats.binom.sf(k - 1, n, p) > 1e-280
]
# Events and exposure.
EVENTS = [(0, 24.0), (1, 24.0), (3, 7.5), (10, 0.25), (47, 1000.0), (1200, 3.0), (250_000, 1e4)]
PAIRS = [(0, 1), (1, 6), (10, 25), (3, 3), (40, 41), (900, 1100), (0, 60)]
FAMILIES = [[0.01], [0.03, 0.001, 0.02, 0.4], [0.02, 0.02, 0.02], [0.5, 0.9], [0.011, 0.012, 0.013, 0.9, 0.0001]]
DIFFERENCES = [
    [1.0, 2.0, -0.5, 3.0, 1.0, -1.0], [1.0] * 8, [0.3, -0.2, 0.5, 0.1, 0.7, -0.6, 0.25, 0.4, 0.9, 0.15],
    [round(0.4 + float(x), 3) for x in numpy.random.default_rng(17).normal(0, 1, 30)],
]
# Successes and trials of each cluster.
CLUSTERED = [
    [(3, 10), (9, 10), (0, 10), (10, 10)],
    [(10, 10), (10, 10), (9, 10)],
    [(0, 4), (0, 7), (0, 1)],
    [(5, 5), (1, 1), (40, 40)],
    [(1, 2), (2, 4), (3, 6)],
]
# Level, successes and trials of a usual rise, one with lapses, a shallow one and one with few trials.
LEVELS = [
    [(-12, 2, 60), (-9, 11, 60), (-6, 33, 60), (-3, 52, 60), (0, 58, 60), (5, 60, 60), (10, 60, 60)],
    [(-9, 5, 100), (-6, 40, 100), (-3, 84, 100), (0, 95, 100), (5, 97, 100), (10, 96, 100), (20, 98, 100)],
    [(-6, 60, 200), (-3, 80, 200), (0, 112, 200), (5, 150, 200), (10, 180, 200), (15, 191, 200)],
    [(-10, 0, 8), (-5, 2, 8), (0, 6, 8), (5, 8, 8)],
]
EDGES = [0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1]


def bounds(successes, trials, confidence, lower, upper):
    return {
        "successes": successes, "trials": trials, "confidence": confidence,
        "lower": float(lower), "upper": float(upper),
    }


def wilson(successes, trials, confidence):
    result = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return bounds(successes, trials, confidence, result.low, result.high)


def summary(sample):
    values = numpy.array(sample)
    magnitudes = numpy.abs(values)
    return {
        "values": sample,
        "quantiles": [
            {"fraction": f, "value": float(numpy.quantile(values, f, method="linear"))}
            for f in FRACTIONS
        ],
        "bias": float(values.mean()),
        "meanAbsolute": float(magnitudes.mean()),
        "medianAbsolute": float(numpy.median(magnitudes)),
        "percentile95Absolute": float(numpy.quantile(magnitudes, 0.95, method="linear")),
        "maximumAbsolute": float(magnitudes.max()),
    }


def score_interval(rate, trials, clusters, confidence=0.95, effect=numpy.inf):
    """Wilson's interval for a number of trials that need not be whole, as the roots of its equation."""
    if clusters == 1:
        return 0.0, 1.0
    normal, student = stats.norm.ppf((1 + confidence) / 2), stats.t.ppf((1 + confidence) / 2, clusters - 1)
    z = numpy.sqrt(normal ** 2 / effect + student ** 2 * (1 - 1 / effect))

    def excess(p):
        return (rate - p) ** 2 - z * z * p * (1 - p) / trials

    # A rate of 0 or 1 is itself a root, but not an end of the interval.
    least = 1e-9
    lower = 0.0 if rate == 0 else optimize.brentq(excess, 0, min(rate, 1 - least), xtol=1e-15)
    upper = 1.0 if rate == 1 else optimize.brentq(excess, max(rate, least), 1, xtol=1e-15)
    return lower, upper


def effective_trials(values, weights, clusters):
    """The sandwich variance of a weighted mean, with one more cluster of 1.25 times the average weight."""
    kish = weights.sum() ** 2 / (weights ** 2).sum()
    names = numpy.unique(clusters)
    count = len(names)
    if count == 1:
        return 1.0
    rare = 0.0 if numpy.average(values, weights=weights) >= 0.5 else 1.0
    shares = numpy.array([numpy.average(values[clusters == n] == rare, weights=weights[clusters == n]) for n in names])
    share = abs(1 - rare - (0.5 + (shares ** 2).sum()) / (1 + shares.sum()))
    more = 1.25 * weights.sum() / count
    rate = ((weights * values).sum() + more * share) / (weights.sum() + more)
    scores = [(weights * (values - rate))[clusters == name].sum() for name in names] + [more * (share - rate)]
    variance = count / (count - 1) * (numpy.array(scores) ** 2).sum() / weights.sum() ** 2
    return min(kish, rate * (1 - rate) / variance) if variance > 0 else kish


def drawn_clusters():
    """Clusters with different rates, as many as a corpus has tracks."""
    generator = numpy.random.default_rng(11)
    trials = generator.integers(1, 20, 42)
    return [(int(k), int(n)) for k, n in zip(generator.binomial(trials, generator.beta(8, 2, 42)), trials)]


def clustered(cells):
    values = numpy.concatenate([numpy.arange(n) < k for k, n in cells]).astype(float)
    clusters = numpy.concatenate([numpy.full(n, number) for number, (_, n) in enumerate(cells)])
    trials = effective_trials(values, numpy.ones(len(values)), clusters)
    lower, upper = score_interval(values.mean(), trials, len(cells), effect=len(values) / trials)
    return {
        "successes": [k for k, _ in cells], "trials": [n for _, n in cells],
        "effectiveTrials": float(trials), "lower": lower, "upper": upper,
    }


def reliability():
    generator = numpy.random.default_rng(5)
    count = 300
    clusters = generator.integers(0, 25, count)
    probabilities = numpy.round(generator.beta(0.4, 0.4, count), 4)
    happened = generator.random(count) < probabilities ** 1.3
    weights = numpy.where(generator.random(count) < 0.6, 0.5, 1.25)
    bins = []
    places = numpy.minimum(numpy.digitize(probabilities, EDGES), len(EDGES) - 1) - 1
    for place in numpy.unique(places):
        own = places == place
        observed = float(numpy.average(happened[own], weights=weights[own]))
        trials = effective_trials(happened[own].astype(float), weights[own], clusters[own])
        lower, upper = score_interval(observed, trials, len(numpy.unique(clusters[own])))
        bins.append({
            "from": EDGES[place], "count": int(own.sum()), "share": float(weights[own].sum() / weights.sum()),
            "stated": float(numpy.average(probabilities[own], weights=weights[own])),
            "observed": observed, "lower": lower, "upper": upper,
        })
    return {
        "forecasts": [
            {"probability": float(p), "happened": bool(h), "weight": float(w), "cluster": str(c)}
            for p, h, w, c in zip(probabilities, happened, weights, clusters)
        ],
        "bins": bins,
        "expectedCalibrationError": sum(b["share"] * abs(b["observed"] - b["stated"]) for b in bins),
        "brierScore": float(numpy.average((probabilities - happened) ** 2, weights=weights)),
    }


def poisson(events, exposure, confidence, level):
    """Garwood's bounds of a rate as quantiles of chi-squared distributions."""
    lower = stats.chi2.ppf(1 - level, 2 * events) / 2 if events else 0
    upper = stats.chi2.isf(1 - level, 2 * events + 2) / 2
    return {
        "events": events, "exposure": exposure, "confidence": confidence,
        "lower": float(lower / exposure), "upper": float(upper / exposure),
    }


def binomial_tail(successes, trials, rate):
    return {
        "successes": successes, "trials": trials, "rate": rate,
        "atMost": float(stats.binom.cdf(successes, trials, rate)),
        "atLeast": float(stats.binom.sf(successes - 1, trials, rate)),
    }


def pairs(before, after):
    return {
        "onlyBefore": before, "onlyAfter": after,
        "probability": float(stats.binomtest(before, before + after, 0.5).pvalue),
    }


def holm(probabilities):
    """SciPy has no Holm correction. Each adjusted value is the lowest level that rejects."""
    count = len(probabilities)
    ordered = sorted(probabilities)

    def rejects(level, own):
        for rank, p in enumerate(ordered):
            if p * (count - rank) > level + 1e-300:
                return False
            if p >= own:
                return True
        return False

    levels = sorted({min(1.0, p * (count - rank)) for rank, p in enumerate(ordered)})
    adjusted = [next((x for x in levels if rejects(x, own)), 1.0) for own in probabilities]
    return {"probabilities": probabilities, "adjusted": adjusted}


def sign_flip(differences):
    result = stats.permutation_test(
        (differences,), lambda x, axis: numpy.abs(numpy.sum(x, axis=axis)), permutation_type="samples",
        alternative="greater", vectorized=True, n_resamples=2 ** len(differences) if len(differences) <= 16 else 99999,
        rng=numpy.random.default_rng(3))
    return {"differences": differences, "probability": float(result.pvalue)}


def bootstrap(cells):
    """The BCa interval of a ratio of sums, with whole clusters."""
    sums, counts = (numpy.array(x, float) for x in zip(*cells))
    result = stats.bootstrap(
        (sums, counts), lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis), paired=True, method="BCa",
        n_resamples=100_000, batch=2000, rng=numpy.random.default_rng(9))
    return {
        "sums": [float(x) for x in sums], "counts": [int(n) for n in counts],
        "lower": float(result.confidence_interval.low), "upper": float(result.confidence_interval.high),
    }


def bootstrap_cells():
    generator = numpy.random.default_rng(21)

    def of(count, draw):
        sizes = generator.integers(1, 15, count)
        return [(round(float(draw(n)), 3), int(n)) for n in sizes]

    return [
        of(100, lambda n: generator.binomial(n, generator.beta(8, 2))),
        of(40, lambda n: n * generator.lognormal(0, 1)),
        of(150, lambda n: generator.choice([-1, 0, 0, 0, 0, 1, 1])),
    ]


def detection():
    """Error rates at every threshold, each counted separately."""
    generator = numpy.random.default_rng(31)
    right = numpy.round(generator.normal(2.5, 1.5, 120), 1)
    wrong = numpy.round(generator.normal(0, 1.2, 180), 1)
    thresholds = numpy.unique(numpy.concatenate([right, wrong]))[::-1]
    accepted = numpy.array([0.0] + [float((wrong >= t).mean()) for t in thresholds])
    missed = numpy.array([1.0] + [float((right < t).mean()) for t in thresholds])
    along = numpy.arange(len(accepted), dtype=float)
    place = optimize.brentq(
        lambda x: numpy.interp(x, along, accepted) - numpy.interp(x, along, missed), 0, along[-1], xtol=1e-14)
    wanted = [0.01, 0.05, 0.2]
    limits = [float(numpy.sort(wrong)[::-1][int(f * len(wrong) + 1e-9)]) for f in wanted]
    return {
        "rightScores": right.tolist(), "wrongScores": wrong.tolist(),
        "equalErrorRate": float(numpy.interp(place, along, accepted)),
        "area": float(stats.mannwhitneyu(right, wrong).statistic) / (len(right) * len(wrong)),
        "rates": wanted, "recalls": [float((right > limit).mean()) for limit in limits],
    }


def tail(shape, count, seed):
    """A generalized Pareto tail of the highest tenth, fitted by SciPy's sample L-moments."""
    scores = numpy.round(stats.genpareto(shape, scale=1.5).rvs(count, random_state=seed), 4)
    falling = numpy.sort(scores)[::-1]
    used = max(20, count // 10)
    excesses = falling[:used] - falling[used]
    mean, spread = stats.lmoment(excesses, order=[1, 2])
    fitted = min(max(2 - mean / spread, 0.0), 0.5)
    law = stats.genpareto(fitted, loc=falling[used], scale=mean * (1 - fitted))
    return {
        "scores": scores.tolist(), "shape": float(fitted),
        "exceeded": [
            {"share": p, "score": float(law.isf(p * count / used))} for p in (0.01, 0.001, 1e-5, 1e-7)
        ],
    }


def isotonic(count, seed):
    generator = numpy.random.default_rng(seed)
    x = numpy.round(generator.random(count), 2)
    y = (generator.random(count) < x ** 2).astype(float)
    weights = numpy.round(generator.uniform(0.5, 2, count), 2)
    # SciPy needs one point for each x.
    places, owner = numpy.unique(x, return_inverse=True)
    mass = numpy.bincount(owner, weights)
    means = numpy.bincount(owner, weights * y) / mass
    fit = optimize.isotonic_regression(means, weights=mass)
    return {
        "x": x.tolist(), "y": y.tolist(), "weights": weights.tolist(),
        "places": places.tolist(), "values": [float(v) for v in fit.x],
    }


def psychometric(levels):
    """The maximum of the likelihood by SciPy's bounded search from many starts."""
    x, successes, trials = (numpy.array(column, float) for column in zip(*levels))

    def cost(parameters):
        m, log_s, lapse = parameters
        p = (1 - lapse) / (1 + numpy.exp(-(x - m) / numpy.exp(log_s)))
        p = numpy.clip(p, 1e-12, 1 - 1e-12)
        return -(successes * numpy.log(p) + (trials - successes) * numpy.log1p(-p)).sum()

    gap, span = numpy.diff(x).min(), x[-1] - x[0]
    bounds = [
        (x[0] - 3 * span, x[-1] + 3 * span), (numpy.log(gap / 8.8), numpy.log(span * 10 / 4.4)), (0, 0.05)
    ]
    starts = [(m, s, l) for m in numpy.linspace(x[0], x[-1], 5) for s in (-1, 0.5, 1.5) for l in (0, 0.03)]
    best = min(
        (optimize.minimize(
            cost, [start[0], numpy.clip(start[1], *bounds[1]), start[2]], method="Nelder-Mead", bounds=bounds,
            options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}) for start in starts),
        key=lambda result: result.fun)
    m, log_s, lapse = (float(value) for value in best.x)

    def level(rate):
        return float(m + numpy.exp(log_s) * numpy.log(rate / (1 - lapse - rate)))

    return {
        "levels": x.tolist(), "successes": [int(k) for k in successes], "trials": [int(n) for n in trials],
        "levelAtHalf": level(0.5), "levelAtNineTenths": level(0.9), "lapseRate": lapse,
    }


def readable(value, indent=""):
    """JSON with a line for each case, for readable diffs."""
    inner = indent + " "
    if isinstance(value, dict) and len(json.dumps(value)) > 400:
        rows = [f"{json.dumps(key)}: {readable(entry, inner)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(inner + row for row in rows) + "\n" + indent + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + readable(entry, inner) for entry in value) + "\n" + indent + "]"
    return json.dumps(value)


def passages(count=1000):
    """Intersection-based scores and PSDS by sed_scores_eval, for cases that PassageTests draws in the same way."""
    from sed_scores_eval.base_modules import statistics
    from sed_scores_eval.base_modules.scores import create_score_dataframe
    from sed_scores_eval.intersection_based.intermediate_statistics import statistics_fn
    from sed_scores_eval.intersection_based.psds import psds
    # It needs arrays that can be written, which pandas 3 does not give.
    curves = statistics.onset_offset_curves
    statistics.onset_offset_curves = lambda *given: curves(*(None if x is None else numpy.array(x) for x in given))
    state = 20_261_205

    def below(bound):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (state >> 33) % bound

    def spans():
        time, found = 0, []
        for _ in range(below(5)):
            time += 1 + below(400)
            end = time + 1 + below(600)
            found.append((time, end, 1 + below(4)))
            time = end
        return found

    def area(truth, found, dtc, gtc, most):
        """PSDS over the labels with a true passage; outside of found passages the score is 0."""
        labels = [label for label in "ab" if truth[label]]
        if not labels:
            return "-"
        edges = sorted({0, SECONDS * 100}.union(*(span[:2] for label in labels for span in found[label])))
        scores = numpy.array([
            [next((s for x, y, s in found[label] if x <= begin < y), 0) for label in labels] for begin in edges[:-1]])
        frame = create_score_dataframe(scores.astype(float), numpy.array(edges) / 100, labels)
        events = [(x / 100, y / 100, label) for label in labels for x, y, _ in truth[label]]
        value, *_ = psds(
            {"x": frame}, {"x": events}, {"x": SECONDS}, dtc_threshold=dtc, gtc_threshold=gtc, max_efpr=most)
        return f"{value:.12f}"

    lines = ["# True positives, false positives and true passages of 1,000 cases, and PSDS, by sed_scores_eval 0.0.4."]
    for _ in range(count):
        truth, found = {}, {}
        for label in "ab":
            truth[label] = spans()
            found[label] = spans()
        dtc, gtc, most = (1 + below(9)) / 10, (1 + below(9)) / 10, 4.0 * (1 + below(9))
        hits = wrong = 0
        for label in "ab":
            begins, ends = (numpy.array([x[n] for x in found[label]], float).reshape(1, -1) / 100 for n in (0, 1))
            starts, stops = (numpy.array([x[n] for x in truth[label]], float) / 100 for n in (0, 1))
            counts = statistics_fn(begins, ends, starts, stops, {}, {}, dtc, gtc, None)
            hits, wrong = hits + int(counts["tps"][0]), wrong + int(counts["fps"][0])
        lines.append(f"{hits} {wrong} {sum(map(len, truth.values()))} {area(truth, found, dtc, gtc, most)}")
    return "\n".join(lines) + "\n"


def main():
    fixture = {
        "madeWith": {"scipy": scipy.__version__, "numpy": numpy.__version__},
        "wilson": [wilson(k, n, c) for k, n in PROPORTIONS for c in CONFIDENCES],
        "normalQuantiles": [
            {"probability": p, "value": float(stats.norm.ppf(p))} for p in PROBABILITIES
        ],
        "samples": [summary(sample) for sample in SAMPLES],
        "poisson": [poisson(k, t, c, (1 + c) / 2) for k, t in EVENTS for c in (0.9, 0.95, 0.999)],
        "poissonOneSided": [poisson(k, t, c, c) for k, t in EVENTS for c in (0.9, 0.95, 0.999)],
        "binomialTails": [binomial_tail(*case) for case in TAILS],
        "pairs": [pairs(b, c) for b, c in PAIRS],
        "holm": [holm(p) for p in FAMILIES],
        "signFlips": [sign_flip(d) for d in DIFFERENCES],
        "bootstraps": [bootstrap(cells) for cells in bootstrap_cells()],
        "clustered": [clustered(cells) for cells in CLUSTERED + [drawn_clusters()]],
        "reliability": reliability(),
        "detection": detection(),
        "tails": [tail(shape, count, 41) for shape, count in [(0.0, 400), (0.3, 600), (-0.3, 300), (0.0, 150)]],
        "isotonic": [isotonic(count, seed) for count, seed in [(12, 1), (60, 2), (200, 3)]],
        "psychometric": [psychometric(levels) for levels in LEVELS],
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(readable(fixture) + "\n")
    print(f"wrote {TARGET.relative_to(ROOT)}")
    PASSAGES.write_text(passages())
    print(f"wrote {PASSAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
