"""Metrics of plain arrays equal those of the program."""

import math
from pathlib import Path

import numpy as np
import pytest

from earshot_judge import metrics

RECORDED = Path(__file__).parents[2] / "Tests/MetricsTests/Fixtures/arrays.txt"


class Cases:
    """The cases that `ArrayCases.swift` draws, from the same generator."""

    def __init__(self):
        self.state = 20_261_127

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def spans(self):
        rows = []
        for _ in range(self.below(6)):
            label, begin = "a" if self.below(2) == 0 else "b", self.below(500)
            rows.append((label, begin / 10, (begin + 1 + self.below(100)) / 10))
        return [row[1:] for row in rows], [row[0] for row in rows]

    def scores(self, count):
        pairs = [((self.below(81) - 40) / 4, self.below(8)) for _ in range(count)]
        return np.array([math.nan if other == 0 else score for score, other in pairs])

    def next(self):
        count = 1 + self.below(24)
        positives = self.scores(count)
        negatives = self.scores(1 + self.below(24))
        right = [self.below(3) > 0 for _ in range(count)]
        ranks = [rank or math.nan for rank in [self.below(6) for _ in range(count)]]
        clusters = [f"c{self.below(6)}" for _ in range(count)]
        prior, rate = (1 + self.below(9)) / 10, (1 + self.below(9)) / 10
        truth, found = self.spans(), self.spans()
        targets, others = positives[~np.isnan(positives)], negatives[~np.isnan(negatives)]
        passages = metrics.passages(*truth, *found)
        return [
            metrics.hit_rate(ranks, 2), metrics.mean_reciprocal_rank(ranks),
            metrics.recall_at_false_accepts(positives, right, negatives),
            metrics.recall_at_false_accepts(positives, right, negatives, rate),
            *metrics.interval(right, confidence=0.9)[1:], *metrics.interval(right, clusters)[1:],
            metrics.act_dcf(targets, others, prior), metrics.min_dcf(targets, others, prior), metrics.cllr(targets, others),
            passages.precision, passages.recall, *metrics.seconds(*truth, *found),
        ]  # fmt: skip


def test_a_thousand_cases_have_the_recorded_values():
    cases, lines = Cases(), RECORDED.read_text().splitlines()[1:]
    assert len(lines) == 1000
    for number, line in enumerate(lines):
        expected = [float(word) for word in line.split()]
        np.testing.assert_allclose(cases.next(), expected, rtol=1e-9, atol=1e-9, err_msg=f"case {number}")


def test_places_and_recall_are_those_of_a_run(run):
    own = run.trials[(run.trials.kind == "positive") & (run.trials.outcome == "correct")]
    place = metrics.right_place(own.answerOffsetSeconds, own.truthOffsetSeconds)
    assert place == run.summary.value["rightPlace"]
    positives = run.trials[run.trials.kind == "positive"]
    rate = metrics.interval(positives.outcome == "correct", list(positives.sourceClass))
    np.testing.assert_allclose(rate, run.summary.loc["recall", ["value", "lower", "upper"]].astype(float))


def test_f1_is_the_harmonic_mean():
    found = metrics.passages([[0, 10], [20, 30]], ["a", "b"], [[1, 10], [50, 60], [20, 29]], ["a", "b", "b"])
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == 1
    assert found.f1 == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: metrics.hit_rate([[1]]), "ranks: expected numbers in one dimension"),
        (lambda: metrics.right_place([1, 2], [1]), "expected equal lengths"),
        (lambda: metrics.passages([[0, 1]], [], [], []), "1 reference intervals and 0 labels"),
        (lambda: metrics.passages([[2, 1]], ["a"], [], []), "ends before it begins"),
        (lambda: metrics.interval([True], ["a", "b"]), "1 successes and 2 clusters"),
    ],
)
def test_wrong_arrays_are_named(call, text):
    with pytest.raises(ValueError, match=text):
        call()
