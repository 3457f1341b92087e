#!/usr/bin/env python3
"""Writes Tests/MetricsTests/Fixtures/reference-values.json from SciPy and NumPy.

The fixture is committed; run this only to add a case or to check it against a newer SciPy,
and read the difference before committing it. Needs scipy >= 1.7 (pip install scipy).
"""

import json
import pathlib

import numpy
import scipy
from scipy import stats

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


def main():
    fixture = {
        "madeWith": {"scipy": scipy.__version__, "numpy": numpy.__version__},
        "wilson": [wilson(k, n, c) for k, n in PROPORTIONS for c in CONFIDENCES],
        "normalQuantiles": [
            {"probability": p, "value": float(stats.norm.ppf(p))} for p in PROBABILITIES
        ],
        "samples": [summary(sample) for sample in SAMPLES],
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(fixture, indent=1) + "\n")
    print(f"wrote {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
