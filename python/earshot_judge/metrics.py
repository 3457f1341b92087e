"""The judge's metrics of plain arrays, equal to those of the program.

Scores are the matcher's own: greater means more certain, and NaN means no answer. Rates without trials are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "Rate", "Scores", "act_dcf", "cllr", "hit_rate", "interval", "mean_reciprocal_rank", "min_dcf", "passages",
    "recall_at_false_accepts", "right_place", "seconds",
]  # fmt: skip

PLACE_SECONDS = 0.5
OVERLAP = 0.5


class Rate(NamedTuple):
    """A rate with its interval."""

    value: float
    lower: float
    upper: float


class Scores(NamedTuple):
    """Shares of what was found and of what is true, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def hit_rate(ranks: npt.ArrayLike, within: int = 1) -> float:
    """The share of queries whose right reference is among the first `within` answers.

    `ranks` are those of the right references, from 1; NaN where a query has none.
    """
    array = floats(ranks, "ranks")
    return float(np.mean(array <= within)) if len(array) else math.nan


def mean_reciprocal_rank(ranks: npt.ArrayLike) -> float:
    """The mean of 1 / rank, where a query without a right reference counts 0."""
    array = floats(ranks, "ranks")
    return float(np.nan_to_num(1 / array).sum() / len(array)) if len(array) else math.nan


def right_place(offsets: npt.ArrayLike, true_offsets: npt.ArrayLike, tolerance: float = PLACE_SECONDS) -> float:
    """The share of right answers whose offset is at most `tolerance` seconds off. Offsets that are NaN do not count."""
    given, true = same_length(floats(offsets, "offsets"), floats(true_offsets, "true_offsets"))
    known = np.isfinite(given) & np.isfinite(true)
    return float(np.mean(np.abs(given - true)[known] <= tolerance)) if known.any() else math.nan


def recall_at_false_accepts(
    positive_scores: npt.ArrayLike, is_right: npt.ArrayLike, negative_scores: npt.ArrayLike, rate: float = 0.0
) -> float:
    """The share of positives with a right top answer above the lowest threshold that keeps false accepts to `rate`.

    One score is of each query's top answer. At a rate of 0 no wrong answer to a positive may pass either.
    """
    scores, right = same_length(floats(positive_scores, "positive_scores"), np.asarray(is_right, bool))
    others = floats(negative_scores, "negative_scores")
    if not len(scores):
        return math.nan
    if rate == 0:
        wrong = np.concatenate([others, scores[~right]])
        allowed = 0
    else:
        wrong, allowed = others, int(rate * len(others) + 1e-9)
    falling = np.sort(wrong[~np.isnan(wrong)])[::-1]
    limit = falling[allowed] if allowed < len(falling) else -math.inf
    return float(np.mean(right & (scores > limit)))


def passages(
    reference_intervals: npt.ArrayLike, reference_labels: Sequence[Hashable],
    estimated_intervals: npt.ArrayLike, estimated_labels: Sequence[Hashable], overlap: float = OVERLAP,
) -> Scores:  # fmt: skip
    """Precision, recall and F1 of passages, each an interval of seconds and the reference that plays.

    A passage is found if its intersection with one of the same label is at least `overlap` of their union. Each finds one and
    is found by one; the pairs that agree best come first.
    """
    truth = spans(reference_intervals, reference_labels, "reference")
    found = spans(estimated_intervals, estimated_labels, "estimated")
    pairs = []
    for number, (label, begin, end) in enumerate(found):
        for place, (name, start, stop) in enumerate(truth):
            if name == label:
                common = max(0.0, min(end, stop) - max(begin, start))
                union = (stop - start) + (end - begin) - common
                share = common / union if union > 0 else 0.0
                if share >= overlap and share > 0:
                    pairs.append((-share, place, number))
    places, numbers = set[int](), set[int]()
    for _, place, number in sorted(pairs):
        if place not in places and number not in numbers:
            places.add(place)
            numbers.add(number)
    return scores(len(places), len(found), len(truth))


def seconds(
    reference_intervals: npt.ArrayLike, reference_labels: Sequence[Hashable],
    estimated_intervals: npt.ArrayLike, estimated_labels: Sequence[Hashable],
) -> Scores:  # fmt: skip
    """Precision, recall and F1 of seconds. Each label counts a second once, however many passages cover it."""
    truth = spans(reference_intervals, reference_labels, "reference")
    found = spans(estimated_intervals, estimated_labels, "estimated")
    true_seconds = found_seconds = common = 0.0
    for label in {span[0] for span in [*truth, *found]}:
        actual, answered = (stretches([s[1:] for s in group if s[0] == label]) for group in (truth, found))
        true_seconds += sum(end - begin for begin, end in actual)
        found_seconds += sum(end - begin for begin, end in answered)
        common += sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in actual for b in answered)
    return scores(common, found_seconds, true_seconds)


def act_dcf(targets: npt.ArrayLike, others: npt.ArrayLike, prior: float = 0.5) -> float:
    """The normalised detection cost of natural log-likelihood ratios at the Bayes threshold of the prior of a target."""
    true, false = floats(targets, "targets"), floats(others, "others")
    if not len(true) or not len(false):
        return math.nan
    threshold = -math.log(prior / (1 - prior))
    return cost(float(np.mean(true < threshold)), float(np.mean(false >= threshold)), prior)


def min_dcf(targets: npt.ArrayLike, others: npt.ArrayLike, prior: float = 0.5) -> float:
    """The least normalised detection cost of any scores at any threshold."""
    true, false = np.sort(floats(targets, "targets")), np.sort(floats(others, "others"))
    if not len(true) or not len(false):
        return math.nan
    edges = np.concatenate([[math.inf], true, false])
    misses = np.searchsorted(true, edges) / len(true)
    accepts = 1 - np.searchsorted(false, edges) / len(false)
    return min(cost(float(miss), float(accept), prior) for miss, accept in zip(misses, accepts, strict=True))


def cllr(targets: npt.ArrayLike, others: npt.ArrayLike) -> float:
    """The cost of natural log-likelihood ratios over all priors, in bits. Ratios of 0 cost 1."""
    true, false = floats(targets, "targets"), floats(others, "others")
    if not len(true) or not len(false):
        return math.nan
    return float((np.logaddexp(0, -true).mean() + np.logaddexp(0, false).mean()) / 2 / math.log(2))


def interval(successes: npt.ArrayLike, clusters: Sequence[Hashable] | None = None, confidence: float = 0.95) -> Rate:
    """The rate of successes and its score interval.

    `clusters` names the recording of each trial. Trials of one recording succeed or fail together, so the interval is wider,
    and a single recording says nothing.
    """
    array = np.asarray(successes, bool)
    n = len(array)
    if n == 0:
        return Rate(math.nan, math.nan, math.nan)
    p = float(array.mean())
    z, effective = NormalDist().inv_cdf((1 + confidence) / 2), float(n)
    if clusters is not None:
        if len(clusters) != n:
            raise ValueError(f"{n} successes and {len(clusters)} clusters")
        groups: dict[Hashable, list[bool]] = {}
        for name, success in zip(clusters, array, strict=True):
            groups.setdefault(name, []).append(bool(success))
        if len(groups) == 1:
            return Rate(p, 0.0, 1.0)
        if len(groups) < n:
            effective = effective_trials(list(groups.values()))
            design = n / effective
            t = student_quantile((1 + confidence) / 2, len(groups) - 1)
            z = math.sqrt(z * z / design + t * t * (1 - 1 / design))
    scale = 1 + z * z / effective
    centre = (p + z * z / (2 * effective)) / scale
    half = z * math.sqrt(p * (1 - p) / effective + z * z / (4 * effective * effective)) / scale
    return Rate(p, 0.0 if p == 0 else centre - half, 1.0 if p == 1 else centre + half)


def effective_trials(groups: Sequence[Sequence[bool]]) -> float:
    """The number of independent trials with the variance of clustered ones; one more cluster allows for few failures."""
    counts, gains = np.array([len(g) for g in groups], float), np.array([sum(g) for g in groups], float)
    n, m = counts.sum(), len(groups)
    rare = gains.sum() * 2 >= n
    shares = (counts - gains if rare else gains) / counts
    share = (0.5 + (shares**2).sum()) / (1 + shares.sum())
    weight = 1.25 * n / m
    counts, gains = np.append(counts, weight), np.append(gains, weight * (1 - share if rare else share))
    p = gains.sum() / counts.sum()
    spread = ((gains - p * counts) ** 2).sum()
    return float(min(n, p * (1 - p) * n * n / (m / (m - 1) * spread))) if spread > 0 else float(n)


def student_quantile(p: float, freedom: float) -> float:
    """The quantile of Student's t at a probability above 0.5."""
    low, high = 0.0, 1.0
    for _ in range(100):
        x = (low + high) / 2
        low, high = (x, high) if incomplete_beta(freedom / 2, 0.5, x) < 2 * (1 - p) else (low, x)
    return math.sqrt(freedom * (1 - high) / high)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by the continued fraction of DLMF 8.17.22."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) / a
    value, numerator, denominator = 1.0, 1.0, 0.0
    for step in range(1, 100_000):
        m = step // 2
        if step % 2 == 0:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        numerator = 1 + d / numerator
        denominator = 1 / (1 + d * denominator)
        value *= numerator * denominator
        if abs(numerator * denominator - 1) < 1e-16:
            break
    return front / value


def cost(miss: float, accept: float, prior: float) -> float:
    return (prior * miss + (1 - prior) * accept) / min(prior, 1 - prior)


def scores(common: float, found: float, true: float) -> Scores:
    return Scores(
        common / found if found else math.nan, common / true if true else math.nan,
        2 * common / (true + found) if true + found else math.nan,
    )  # fmt: skip


def stretches(intervals: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The disjoint stretches that intervals cover."""
    joined: list[tuple[float, float]] = []
    for begin, end in sorted(intervals):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def floats(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    array = np.asarray(values, float)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; expected one dimension")
    return array


def same_length(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    if one.shape != other.shape:
        raise ValueError(f"arrays of shapes {one.shape} and {other.shape}; expected equal ones")
    return one, other


def spans(intervals: npt.ArrayLike, labels: Sequence[Hashable], name: str) -> list[tuple[Hashable, float, float]]:
    """Labels with begin and end. Raises a `ValueError` where mir_eval would."""
    array = np.asarray(intervals, float).reshape(-1, 2)
    if len(array) != len(labels):
        raise ValueError(f"{len(array)} {name} intervals and {len(labels)} labels")
    if not np.isfinite(array).all() or (array[:, 0] > array[:, 1]).any():
        raise ValueError(f"a {name} interval ends before it begins, or is not finite")
    return [(label, float(begin), float(end)) for label, (begin, end) in zip(labels, array, strict=True)]
