#!/usr/bin/env python3
"""Writes Tests/MetricsTests/Fixtures/reference-values.json from SciPy and NumPy.

The fixture is committed; run this only to add a case or to check it against a newer SciPy,
and read the difference before committing it. Needs scipy >= 1.7 (pip install scipy).
"""

import json
import pathlib

import numpy
import scipy
from scipy import optimize, stats

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Tests" / "MetricsTests" / "Fixtures" / "reference-values.json"

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
    # Errors as a matcher makes them: most small, a few large, off-centre.
    [round(float(x), 6) for x in numpy.random.default_rng(7).standard_t(2, 40) * 0.01 + 0.003],
]
FRACTIONS = [0.0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0]
BOUNDS = [(0, 1), (0, 60), (0, 10000), (1, 10000), (3, 773), (17, 20), (20, 20), (400, 2000), (59999, 60000)]
# Successes and trials of each cluster.
CLUSTERED = [
    [(3, 10), (9, 10), (0, 10), (10, 10)],
    [(10, 10), (10, 10), (9, 10)],
    [(0, 4), (0, 7), (0, 1)],
    [(5, 5), (1, 1), (40, 40)],
    [(1, 2), (2, 4), (3, 6)],
]
EDGES = [0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1]


def wilson(successes, trials, confidence):
    result = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return {
        "successes": successes, "trials": trials, "confidence": confidence,
        "lower": float(result.low), "upper": float(result.high),
    }


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


def score_interval(rate, trials, confidence=0.95):
    """Wilson's interval for a number of trials that need not be whole, by solving its equation."""
    z = stats.norm.ppf((1 + confidence) / 2)

    def excess(p):
        return (rate - p) ** 2 - z * z * p * (1 - p) / trials

    # A rate of 0 or 1 is a root itself, and not the one that is looked for.
    least = 1e-9
    lower = 0.0 if rate == 0 else optimize.brentq(excess, 0, min(rate, 1 - least), xtol=1e-15)
    upper = 1.0 if rate == 1 else optimize.brentq(excess, max(rate, least), 1, xtol=1e-15)
    return lower, upper


def effective_trials(values, weights, clusters):
    """From the sandwich variance of a weighted mean, as the intercept of a regression."""
    rate = numpy.average(values, weights=weights)
    kish = weights.sum() ** 2 / (weights ** 2).sum()
    names = numpy.unique(clusters)
    if len(names) == 1:
        return 1.0
    scores = numpy.array([(weights * (values - rate))[clusters == name].sum() for name in names])
    variance = len(names) / (len(names) - 1) * (scores ** 2).sum() / weights.sum() ** 2
    return min(kish, rate * (1 - rate) / variance) if variance > 0 else kish


def drawn_clusters():
    """As many clusters as a corpus has tracks, each with a rate of its own."""
    generator = numpy.random.default_rng(11)
    trials = generator.integers(1, 20, 42)
    return [(int(k), int(n)) for k, n in zip(generator.binomial(trials, generator.beta(8, 2, 42)), trials)]


def clustered(cells):
    values = numpy.concatenate([numpy.arange(n) < k for k, n in cells]).astype(float)
    clusters = numpy.concatenate([numpy.full(n, number) for number, (_, n) in enumerate(cells)])
    trials = effective_trials(values, numpy.ones(len(values)), clusters)
    lower, upper = score_interval(values.mean(), trials)
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
        lower, upper = score_interval(observed, trials)
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


def upper_bound(successes, trials, confidence):
    result = stats.binomtest(successes, trials, alternative="less").proportion_ci(confidence, method="exact")
    return {
        "successes": successes, "trials": trials, "confidence": confidence, "bound": float(result.high),
    }


def main():
    fixture = {
        "madeWith": {"scipy": scipy.__version__, "numpy": numpy.__version__},
        "wilson": [wilson(k, n, c) for k, n in PROPORTIONS for c in CONFIDENCES],
        "normalQuantiles": [
            {"probability": p, "value": float(stats.norm.ppf(p))} for p in PROBABILITIES
        ],
        "samples": [summary(sample) for sample in SAMPLES],
        "upperBounds": [upper_bound(k, n, c) for k, n in BOUNDS for c in (0.95, 0.99)],
        "clustered": [clustered(cells) for cells in CLUSTERED + [drawn_clusters()]],
        "reliability": reliability(),
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(fixture, indent=1) + "\n")
    print(f"wrote {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
