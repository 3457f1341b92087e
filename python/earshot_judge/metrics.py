"""The judge's metrics of plain arrays, equal to those of the program.

Scores are the matcher's own: greater means more certain. NaN and None mean no answer, which is below every threshold, as minus
infinity is. Rates without trials are NaN. A value that cannot be right raises a `ValueError` with its position, the value, and
what is expected.

`scripts/judging.py` uses this file alone, so it imports the standard library only.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from numbers import Real
from statistics import NormalDist
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "Rate", "Scores", "act_dcf", "cllr", "hit_rate", "interval", "mean_reciprocal_rank", "min_dcf", "passages",
    "recall_at_false_accepts", "right_place", "seconds",
]  # fmt: skip

PLACE_SECONDS = 0.5
OVERLAP = 0.5

Value = TypeVar("Value")
Other = TypeVar("Other")
Range = tuple[float, float]
Span = tuple[Hashable, Range]
"""A label with begin and end."""


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


def hit_rate(ranks: Iterable[float], within: int = 1) -> float:
    """The share of queries whose right reference is among the first `within` answers.

    `ranks` are those of the right references, from 1; NaN where a query has none.
    """
    demand(lambda most: most >= 1, within, "within", "a rank from 1")
    return mean([rank <= within for rank in checked(ranks, "ranks", rank_or_none)])


def mean_reciprocal_rank(ranks: Iterable[float]) -> float:
    """The mean of 1 / rank, where a query without a right reference counts 0."""
    return mean([0.0 if math.isnan(rank) else 1 / rank for rank in checked(ranks, "ranks", rank_or_none)])


def right_place(offsets: Iterable[float], true_offsets: Iterable[float], tolerance: float = PLACE_SECONDS) -> float:
    """The share of right answers whose offset is at most `tolerance` seconds off. Offsets that are NaN do not count."""
    demand(lambda seconds: seconds >= 0, tolerance, "tolerance", "seconds from 0")
    given = checked(offsets, "offsets", finite_or_none)
    both = paired(given, checked(true_offsets, "true_offsets", finite_or_none), "offsets", "true offsets")
    return mean([abs(given - true) <= tolerance for given, true in both if not math.isnan(given - true)])


def recall_at_false_accepts(
    positive_scores: Iterable[float], is_right: Iterable[bool], negative_scores: Iterable[float], rate: float = 0.0
) -> float:
    """The share of positives with a right top answer above the lowest threshold that keeps false accepts to `rate`.

    One score is of each query's top answer. At a rate of 0 no wrong answer to a positive may pass either.
    """
    demand_share(rate, "rate")
    given = checked(positive_scores, "positive_scores", score)
    positives = paired(given, checked(is_right, "is_right", truth_value), "scores", "labels")
    others = checked(negative_scores, "negative_scores", score)
    falling = sorted(others if rate else others + [given for given, right in positives if not right], reverse=True)
    allowed = int(rate * len(others) + 1e-9)
    limit = falling[allowed] if allowed < len(falling) else -math.inf
    return mean([right and given > limit for given, right in positives])


def passages(
    reference_intervals: Iterable[Sequence[float]], reference_labels: Sequence[Hashable],
    estimated_intervals: Iterable[Sequence[float]], estimated_labels: Sequence[Hashable], overlap: float = OVERLAP,
) -> Scores:  # fmt: skip
    """Precision, recall and F1 of passages, each an interval of seconds and the reference that plays.

    A passage is found if its intersection with one of the same label is at least `overlap` of their union. Each finds one and
    is found by one; the pairs that agree best come first.
    """
    demand_share(overlap, "overlap")
    truth = spans(reference_intervals, reference_labels, "reference")
    found = spans(estimated_intervals, estimated_labels, "estimated")
    return scores(len(finders(truth, found, overlap)), len(found), len(truth))


def finders(truth: Sequence[Span], found: Sequence[Span], overlap: float = OVERLAP) -> dict[int, int]:
    """The number of the passage that finds a true one, by the number of the true one."""
    pairs = []
    for place, (label, true) in enumerate(truth):
        for number, (name, answered) in enumerate(found):
            both = common(true, answered)
            if name == label and both > 0:
                pairs.append((-both / (true[1] - true[0] + answered[1] - answered[0] - both), place, number))
    chosen: dict[int, int] = {}
    for share_of_union, place, number in sorted(pairs):
        if -share_of_union >= overlap and place not in chosen and number not in chosen.values():
            chosen[place] = number
    return chosen


def seconds(
    reference_intervals: Iterable[Sequence[float]], reference_labels: Sequence[Hashable],
    estimated_intervals: Iterable[Sequence[float]], estimated_labels: Sequence[Hashable],
) -> Scores:  # fmt: skip
    """Precision, recall and F1 of seconds. Each label counts a second once, however many passages cover it."""
    truth = spans(reference_intervals, reference_labels, "reference")
    found = spans(estimated_intervals, estimated_labels, "estimated")
    true_seconds = found_seconds = both = 0.0
    for label in dict.fromkeys(label for label, _ in [*truth, *found]):
        actual, answered = (stretches([own for name, own in group if name == label]) for group in (truth, found))
        true_seconds += length(actual)
        found_seconds += length(answered)
        both += sum(common(a, b) for a in actual for b in answered)
    return scores(both, found_seconds, true_seconds)


def act_dcf(targets: Iterable[float], others: Iterable[float], prior: float = 0.5) -> float:
    """The normalised detection cost of natural log-likelihood ratios at the Bayes threshold of the prior of a target."""
    demand_probability(prior, "prior")
    threshold = -math.log(prior / (1 - prior))
    miss = mean([ratio < threshold for ratio in checked(targets, "targets", score)])
    return cost(miss, mean([ratio >= threshold for ratio in checked(others, "others", score)]), prior)


def min_dcf(targets: Iterable[float], others: Iterable[float], prior: float = 0.5) -> float:
    """The least normalised detection cost of any scores at any threshold."""
    demand_probability(prior, "prior")
    true, false = sorted(checked(targets, "targets", score)), sorted(checked(others, "others", score))
    if not true or not false:
        return math.nan
    return min(
        cost(bisect_left(true, edge) / len(true), 1 - bisect_left(false, edge) / len(false), prior)
        for edge in [math.inf, *true, *false]
    )


def cllr(targets: Iterable[float], others: Iterable[float]) -> float:
    """The cost of natural log-likelihood ratios over all priors, in bits. Ratios of 0 cost 1.

    A target without an answer is certainly taken for another, so the cost is infinite.
    """
    signed = ([-ratio for ratio in checked(targets, "targets", score)], checked(others, "others", score))
    return sum(mean([max(x, 0.0) + math.log1p(math.exp(-abs(x))) for x in side]) for side in signed) / 2 / math.log(2)


def interval(successes: Iterable[bool], clusters: Sequence[Hashable] | None = None, confidence: float = 0.95) -> Rate:
    """The rate of successes and its score interval.

    `clusters` names the recording of each trial. Trials of one recording succeed or fail together, so the interval is wider,
    and a single recording says nothing.
    """
    demand_probability(confidence, "confidence")
    gains = checked(successes, "successes", truth_value)
    pairs = None if clusters is None else paired(checked(clusters, "clusters", name), gains, "clusters", "successes")
    if not gains:
        return Rate(math.nan, math.nan, math.nan)
    if pairs is None:
        return Rate(mean(gains), *wilson(mean(gains), len(gains), confidence=confidence))
    figure = share(pairs, confidence)
    return Rate(figure["rate"], figure["lower"], figure["upper"])


def share(observations: Iterable[tuple[Any, ...]], confidence: float = 0.95) -> dict[str, Any]:
    """The share of successes with its interval, as a figure of summary.json.

    Each observation is a cluster and a success, with or without a weight.
    """
    trials = [(cluster, bool(success), *(weight or [1])) for cluster, success, *weight in observations]
    sums: dict[Hashable, tuple[float, float]] = {}
    for cluster, success, weight in trials:
        asked, gained = sums.get(cluster, (0, 0))
        sums[cluster] = asked + weight, gained + weight * success
    m, number = len(sums), len(trials)
    figure = {"clusters": m, "count": sum(success for _, success, _ in trials), "of": number, "effectiveTrials": 0}
    total, successes = (math.fsum(pair[place] for pair in sums.values()) for place in (0, 1))
    if not total:
        return figure
    p = successes / total
    most = total**2 / math.fsum(weight**2 for _, _, weight in trials)
    if m == number > 1 and all(weight == 1 for _, _, weight in trials):
        n, clusters = float(number), None
    else:
        n, clusters = effective_trials(list(sums.values()), most), m
    lower, upper = wilson(p, n, clusters, max(1, most / n), confidence)
    return figure | {"rate": p, "lower": lower, "upper": upper, "effectiveTrials": n}


def wilson(
    p: float, n: float, clusters: int | None = None, effect: float = 1, confidence: float = 0.95
) -> tuple[float, float]:
    """The score interval, as `Proportion.wilsonInterval`; clusters is None for independent trials."""
    if clusters is not None and clusters <= 1:
        return 0.0, 1.0
    probability = (1 + confidence) / 2
    z2 = NormalDist().inv_cdf(probability) ** 2
    if clusters is not None:
        z2 = z2 / effect + student_quantile(probability, clusters - 1) ** 2 * (1 - 1 / effect)
    scale = 1 + z2 / n
    centre, half = (p + z2 / (2 * n)) / scale, math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / scale
    return centre - half if p else 0.0, centre + half if p < 1 else 1.0


def effective_trials(sums: Sequence[tuple[float, float]], most: float) -> float:
    """The number of independent trials with the variance of clustered ones, as `ClusterVariance`.

    `sums` are the weights of all trials and of the successes of each cluster. One more cluster allows for few failures.
    """
    m = len(sums)
    if m == 1:
        return 1.0
    total, successes = (math.fsum(pair[place] for pair in sums) for place in (0, 1))
    is_failure_rare = 2 * successes >= total
    shares = [(weight - gain if is_failure_rare else gain) / weight for weight, gain in sums if weight]
    rare = (0.5 + math.fsum(share**2 for share in shares)) / (1 + math.fsum(shares))
    added = 1.25 * total / m
    pairs = [*sums, (added, added * (1 - rare if is_failure_rare else rare))]
    q = math.fsum(gain for _, gain in pairs) / math.fsum(weight for weight, _ in pairs)
    spread = m / (m - 1) * math.fsum((gain - q * weight) ** 2 for weight, gain in pairs)
    return min(most, q * (1 - q) * total**2 / spread) if spread > 0 else most


@cache
def student_quantile(probability: float, degrees: float) -> float:
    """The quantile of Student's t at a probability above 0.5."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if incomplete_beta(degrees / 2, 0.5, middle) < 2 * (1 - probability):
            low = middle
        else:
            high = middle
    return math.sqrt(degrees * (1 - middle) / middle)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function, by the continued fraction of DLMF 8.17.22 and Lentz's method."""
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    least = 1e-300
    value = numerator = 1.0
    denominator = 0.0
    for step in range(1, 10_000):
        m = step // 2
        if step % 2 == 0:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        numerator = 1 + d / numerator or least
        denominator = 1 / (1 + d * denominator or least)
        value *= numerator * denominator
        if abs(numerator * denominator - 1) < 1e-16:
            break
    return front / value


def cost(miss: float, accept: float, prior: float) -> float:
    return (prior * miss + (1 - prior) * accept) / min(prior, 1 - prior)


def scores(both: float, found: float, true: float) -> Scores:
    return Scores(
        both / found if found else math.nan, both / true if true else math.nan,
        2 * both / (true + found) if true + found else math.nan,
    )  # fmt: skip


def common(one: Range, other: Range) -> float:
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


def length(ranges: Iterable[Range]) -> float:
    return sum(end - begin for begin, end in ranges)


def stretches(ranges: Iterable[Range]) -> list[Range]:
    """The disjoint stretches that ranges cover."""
    joined: list[Range] = []
    for begin, end in sorted(ranges):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def checked(values: Iterable[Any], title: str, check: Callable[[Any], Value]) -> list[Value]:
    """What `check` makes of each value. Its `ValueError` says what is expected; this one says where and of which value."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise ValueError(f"{title} is {shown(values)}; expected values in one dimension")
    found = []
    for place, value in enumerate(values):
        try:
            # A scalar of NumPy as one of Python.
            found.append(check(value.item() if getattr(value, "ndim", None) == 0 else value))
        except ValueError as error:
            raise ValueError(f"{title}[{place}] is {shown(value)}; {error}") from None
    return found


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def number(value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError("expected a number")
    return float(value)


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def score(value: Any) -> float:
    return -math.inf if is_missing(value) else number(value)


def rank_or_none(value: Any) -> float:
    if not is_missing(value) and not (number(value) >= 1 and number(value).is_integer()):
        raise ValueError("expected a whole number from 1, or NaN")
    return math.nan if is_missing(value) else number(value)


def finite_or_none(value: Any) -> float:
    if not is_missing(value) and math.isinf(number(value)):
        raise ValueError("expected a finite number, or NaN")
    return math.nan if is_missing(value) else number(value)


def finite(value: Any) -> float:
    if not math.isfinite(number(value)):
        raise ValueError("expected a finite number")
    return float(value)


def truth_value(value: Any) -> bool:
    if not isinstance(value, Real) or value not in (0, 1):
        raise ValueError("expected True or False")
    return bool(value)


def name(value: Hashable) -> Hashable:
    if is_missing(value) or not isinstance(value, Hashable):
        raise ValueError("expected a name")
    return value


def demand(holds: Callable[[Any], bool], value: Any, title: str, expected: str) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not holds(value):
        raise ValueError(f"{title} is {shown(value)}; expected {expected}")


def demand_share(value: float, title: str) -> None:
    demand(lambda share: 0 <= share <= 1, value, title, "a number from 0 to 1")


def demand_probability(value: float, title: str) -> None:
    demand(lambda share: 0 < share < 1, value, title, "a number above 0 and below 1")


def paired(one: Sequence[Other], other: Sequence[Value], title: str, title_of_other: str) -> list[tuple[Other, Value]]:
    if len(one) != len(other):
        raise ValueError(f"{len(one)} {title} and {len(other)} {title_of_other}; expected equal numbers")
    return list(zip(one, other, strict=True))


def pair(value: Any) -> Range:
    ends = checked(value, "interval", finite)
    if len(ends) != 2 or ends[0] > ends[1]:
        raise ValueError("expected begin and end in seconds")
    return ends[0], ends[1]


def spans(intervals: Iterable[Sequence[float]], labels: Sequence[Hashable], title: str) -> list[Span]:
    ranges = checked(intervals, f"{title}_intervals", pair)
    return paired(checked(labels, f"{title}_labels", name), ranges, f"{title} labels", f"{title} intervals")
