"""Metrics of plain arrays equal those of the program."""

import math
import re
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
        (lambda: metrics.hit_rate([[1]]), "ranks[0] is [1]; expected a number"),
        (lambda: metrics.hit_rate(np.ones((2, 2))), "ranks[0] is array([1., 1.]); expected a number"),
        (lambda: metrics.hit_rate(1), "ranks is 1; expected values in one dimension"),
        (lambda: metrics.hit_rate(np.array(1)), "ranks is array(1); expected values in one dimension"),
        (lambda: metrics.hit_rate("12"), "ranks is '12'; expected values in one dimension"),
        (lambda: metrics.hit_rate([1, 2, 0]), "ranks[2] is 0; expected a whole number from 1, or NaN"),
        (lambda: metrics.hit_rate([-1.0]), "ranks[0] is -1.0; expected a whole number from 1"),
        (lambda: metrics.mean_reciprocal_rank(np.array([1, 0])), "ranks[1] is np.int64(0); expected a whole number from 1"),
        (lambda: metrics.mean_reciprocal_rank([1.5]), "ranks[0] is 1.5; expected a whole number from 1"),
        (lambda: metrics.mean_reciprocal_rank([True]), "ranks[0] is True; expected a number"),
        (lambda: metrics.hit_rate([1], within=0), "within is 0; expected a rank from 1"),
        (lambda: metrics.right_place([1, 2], [1]), "2 offsets and 1 true offsets; expected equal numbers"),
        (lambda: metrics.right_place([math.inf], [1]), "offsets[0] is inf; expected a finite number, or NaN"),
        (lambda: metrics.right_place([1], ["1"]), "true_offsets[0] is '1'; expected a number"),
        (lambda: metrics.right_place([1], [1], -0.5), "tolerance is -0.5; expected seconds from 0"),
        (lambda: metrics.recall_at_false_accepts([1, 2], ["True", "False"], []), "is_right[0] is 'True'"),
        (lambda: metrics.recall_at_false_accepts([1], [math.nan], []), "is_right[0] is nan; expected True or False"),
        (lambda: metrics.recall_at_false_accepts([1], [2], []), "is_right[0] is 2; expected True or False"),
        (lambda: metrics.recall_at_false_accepts([1], [], []), "1 scores and 0 labels; expected equal numbers"),
        (lambda: metrics.recall_at_false_accepts([1], [True], ["high"]), "negative_scores[0] is 'high'; expected a number"),
        (lambda: metrics.recall_at_false_accepts([1], [True], [1], 1.5), "rate is 1.5; expected a number from 0 to 1"),
        (lambda: metrics.recall_at_false_accepts([1], [True], [1], math.nan), "rate is nan; expected a number from 0 to 1"),
        (lambda: metrics.act_dcf([1], [1], 1), "prior is 1; expected a number above 0 and below 1"),
        (lambda: metrics.min_dcf([1], [1], 0.0), "prior is 0.0; expected a number above 0 and below 1"),
        (lambda: metrics.min_dcf([1j], [1]), "targets[0] is 1j; expected a number"),
        (lambda: metrics.cllr([1], [False]), "others[0] is False; expected a number"),
        (lambda: metrics.passages([[0, 1]], [], [], []), "0 reference labels and 1 reference intervals"),
        (lambda: metrics.passages([[0, 1], [2, 1]], ["a", "b"], [], []), "reference_intervals[1] is [2, 1]; expected begin"),
        (lambda: metrics.seconds([], [], [[0, 1, 2]], ["a"]), "estimated_intervals[0] is [0, 1, 2]; expected begin and end"),
        (lambda: metrics.seconds([], [], [[0, math.inf]], ["a"]), "interval[1] is inf; expected a finite number"),
        (lambda: metrics.passages([[0, 1]], [math.nan], [], []), "reference_labels[0] is nan; expected a name"),
        (lambda: metrics.passages([], [], [], [], 50), "overlap is 50; expected a number from 0 to 1"),
        (lambda: metrics.interval([True], ["a", "b"]), "2 clusters and 1 successes; expected equal numbers"),
        (lambda: metrics.interval([True, True], ["a", None]), "clusters[1] is None; expected a name"),
        (lambda: metrics.interval(["False"]), "successes[0] is 'False'; expected True or False"),
        (lambda: metrics.interval([True], confidence=95), "confidence is 95; expected a number above 0 and below 1"),
    ],
)
def test_what_cannot_be_right_is_refused_by_name(call, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        call()


def no_answers(draw, count):
    """Coarse scores, so that some are equal, and some without an answer."""
    scores = np.round(draw.normal(0, 2, count), 1)
    scores[draw.random(count) < 0.25] = np.nan
    return scores


def test_no_answer_is_below_every_threshold():
    """The costs by their definition: an unanswered target is missed, and an unanswered other is right."""
    draw = np.random.default_rng(1)
    for _ in range(300):
        targets, others = (no_answers(draw, draw.integers(1, 30)) for _ in range(2))
        prior = draw.uniform(0.05, 0.95)

        def cost(threshold, targets=targets, others=others, prior=prior):
            missed = sum(1 for ratio in targets if math.isnan(ratio) or ratio < threshold)
            accepted = sum(1 for ratio in others if not math.isnan(ratio) and ratio >= threshold)
            return (prior * missed / len(targets) + (1 - prior) * accepted / len(others)) / min(prior, 1 - prior)

        assert metrics.act_dcf(targets, others, prior) == pytest.approx(cost(math.log((1 - prior) / prior)))
        # A detector may also call everything a target, which costs (1 − prior) / min(prior, 1 − prior).
        edges = [*targets[~np.isnan(targets)], *others[~np.isnan(others)], math.inf]
        least = min([*map(cost, edges), (1 - prior) / min(prior, 1 - prior)])
        assert metrics.min_dcf(targets, others, prior) == pytest.approx(least)


def test_a_matcher_that_never_answers_is_never_praised():
    none = [math.nan] * 10
    assert metrics.act_dcf(none, none) == metrics.min_dcf(none, none) == 1
    assert metrics.act_dcf(none + [5] * 10, [-5] * 20) == metrics.min_dcf(none + [5] * 10, [-5] * 20) == 0.5
    assert metrics.min_dcf([5] * 10, [None] * 20) == 0
    assert metrics.cllr([math.nan, 5], [-5]) == math.inf
    assert metrics.cllr([5], [math.nan]) == pytest.approx(math.log2(1 + math.exp(-5)) / 2)
    assert metrics.recall_at_false_accepts(none, [True] * 10, none) == 0
    assert metrics.hit_rate(none) == metrics.mean_reciprocal_rank(none) == 0


def test_recall_and_ranks_equal_their_definition():
    draw = np.random.default_rng(2)
    for _ in range(300):
        positives, negatives = (no_answers(draw, draw.integers(1, 30)) for _ in range(2))
        right = draw.random(len(positives)) < 0.7
        rate = float(draw.choice([0, 0.1, 0.3, 1]))

        def recall(threshold, positives=positives, right=right):
            return float(np.mean([good and given >= threshold for given, good in zip(positives, right, strict=True)]))

        wrong = negatives if rate else np.concatenate([negatives, positives[~right]])
        allowed = rate * len(negatives) + 1e-9
        passing = [edge for edge in [*positives, *negatives] if np.sum(wrong >= edge) <= allowed]
        expected = max(map(recall, passing), default=0)
        assert metrics.recall_at_false_accepts(positives, right, negatives, rate) == pytest.approx(expected)
        ranks = [None if draw.random() < 0.3 else int(draw.integers(1, 12)) for _ in range(20)]
        assert metrics.hit_rate(ranks, 3) == pytest.approx(sum(rank in (1, 2, 3) for rank in ranks) / 20)
        assert metrics.mean_reciprocal_rank(ranks) == pytest.approx(sum(1 / rank for rank in ranks if rank) / 20)


def test_a_worse_answer_never_improves_a_figure():
    """A target whose answer is taken away, and a negative that gets one."""
    draw = np.random.default_rng(3)
    for _ in range(300):
        targets, others = (no_answers(draw, draw.integers(2, 20)) for _ in range(2))
        fewer, more = targets.copy(), others.copy()
        fewer[draw.integers(len(fewer))] = np.nan
        place = draw.integers(len(more))
        more[place] = 9 if np.isnan(more[place]) else more[place] + 3
        right = [True] * len(targets)
        for figure in (metrics.act_dcf, metrics.min_dcf, metrics.cllr):
            assert figure(fewer, others) >= figure(targets, others) - 1e-12
            assert figure(targets, more) >= figure(targets, others) - 1e-12
        for rate in (0, 0.2):
            before = metrics.recall_at_false_accepts(targets, right, others, rate)
            assert metrics.recall_at_false_accepts(fewer, right, others, rate) <= before
            assert metrics.recall_at_false_accepts(targets, right, more, rate) <= before
