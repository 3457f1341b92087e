"""Figures of stored trials, by the definitions of the modules `Metrics` and `Evaluation`, with Python's standard library alone.

`results.py` and `foretelling.py` use it. Trials are rows of the program's tables, as dictionaries of texts.
"""
import bisect
import collections
import math
import statistics

import metrics
from metrics import common, share

NORMAL = statistics.NormalDist()
ZERO = float("-inf")


# Numbers ---------------------------------------------------------------------------------------------------------------------

def quantile(values, share):
    """Interpolated linearly, as `Percentile`; None without values."""
    values = sorted(values)
    if not values:
        return None
    place = (len(values) - 1) * share
    low, high = math.floor(place), math.ceil(place)
    # A place between a finite and an infinite value is infinite.
    return values[low] if low == high else values[low] + (place - low) * (values[high] - values[low])


# Bootstrap -------------------------------------------------------------------------------------------------------------------

STEP, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1
RESAMPLES = 999


def mixed(z):
    """SplitMix64."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def resamples(clusters, seed):
    """The weights of the clusters in each draw with replacement, as `ClusterBootstrap`."""
    for draw in range(RESAMPLES):
        key = mixed(mixed(seed + STEP & MASK) ^ (draw * STEP & MASK))
        weights = [0] * clusters
        for index in range(clusters):
            weights[mixed(key + index * STEP & MASK) * clusters >> 64] += 1
        yield weights


def bootstrap(clusters, seed, statistic):
    """The 95 % interval of a statistic of the clusters' weights, as `ClusterBootstrap`; None without one."""
    value = statistic([1] * clusters)
    if clusters < 2 or value is None:
        return None
    jackknife = [statistic([int(cluster != left) for cluster in range(clusters)]) for left in range(clusters)]
    replicates = [statistic(weights) for weights in resamples(clusters, seed)]
    jackknife, replicates = ([value for value in values if value is not None] for values in (jackknife, replicates))
    if 2 * len(replicates) < RESAMPLES:
        return None
    below = sum(other < value for other in replicates) + sum(other == value for other in replicates) / 2
    least = 0.5 / len(replicates)
    bias = NORMAL.inv_cdf(min(max(below / len(replicates), least), 1 - least))
    mean = math.fsum(jackknife) / max(1, len(jackknife))
    squares = math.fsum((other - mean) ** 2 for other in jackknife)
    acceleration = math.fsum((mean - other) ** 3 for other in jackknife) / (6 * squares ** 1.5) if squares > 0 else 0

    def end(probability):
        z = bias + NORMAL.inv_cdf(probability)
        return quantile(replicates, math.erfc(-(bias + z / max(1 - acceleration * z, 1e-9)) / math.sqrt(2)) / 2)
    return end(0.025), end(0.975)


# Trials ----------------------------------------------------------------------------------------------------------------------

class Trial:
    """A row of trials.csv, judged again from its references, answers and scores."""

    def __init__(self, row):
        self.row = row
        self.is_positive = row["kind"] == "positive"
        self.cluster = row["sourceClass"] or row["source"]
        self.is_error = bool(row["error"])
        self.is_offered = row["offered"] != "false"
        truths = set(filter(None, row["truthReferences"].split("|")))
        # Whether the top answer and the first candidate are right; None without one. An error has neither.
        self.claim = row["answerReference"] in truths if row["answerReference"] and not self.is_error else None
        self.first = row["bestReference"] in truths if row["bestReference"] and not self.is_error else None
        self.right_score, self.wrong_score = ZERO, ZERO
        if "rightScore" in row:
            self.right_score, self.wrong_score = (float(row[name] or ZERO) for name in ("rightScore", "wrongScore"))
            return
        # Older tables have two candidates. A matcher may rank by something else than the score: the second counts if it has more.
        candidates = [(row["bestScore"], self.first), (row.get("secondBestScore"), row.get("rightRank") == "2")]
        ceiling = ZERO
        for score, is_right in candidates if self.first is not None else ():
            if score and float(score) > ceiling:
                ceiling = float(score)
                if is_right:
                    self.right_score = ceiling
                else:
                    self.wrong_score = ceiling

    @property
    def is_evidence(self):
        return self.is_offered and (self.is_positive or not self.is_error)

    def number(self, column):
        return float(self.row[column]) if self.row[column] else None


def judged(rows):
    return [Trial(row) for row in rows]


def distinct(trials):
    """Without the negatives whose samples and catalog are those of an earlier one."""
    known, kept = set(), []
    for trial in trials:
        key = (trial.row["fold"], trial.row["queryDigest"])
        if trial.is_positive or not key[1] or key not in known:
            kept.append(trial)
        if not trial.is_positive:
            known.add(key)
    return kept


def positives_of(trials):
    return [trial for trial in trials if trial.is_positive and trial.is_offered]


def recall(trials):
    return share((trial.cluster, trial.claim is True) for trial in positives_of(trials))


def distinct_seconds(trials):
    """The length of the audio that the negatives cover, as `DistinctLength`."""
    ranges = collections.defaultdict(list)
    for trial in trials:
        if not trial.is_positive and trial.is_evidence and trial.row["sourceEndSeconds"]:
            ranges[trial.row["source"]].append((trial.number("sourceStartSeconds"), trial.number("sourceEndSeconds")))
    return sum(metrics.length(metrics.stretches(own)) for own in ranges.values())


def recall_at_zero(trials, seed):
    """Recall at the lowest threshold without a wrong claim, as `ZeroFalseAcceptPoint`; its interval finds it again in each draw."""
    evidence = [trial for trial in trials if trial.is_evidence]
    highest = max((trial.wrong_score for trial in evidence), default=ZERO)
    figure = share((trial.cluster, trial.right_score > highest) for trial in positives_of(trials))
    del figure["effectiveTrials"]
    groups = collections.defaultdict(list)
    for trial in evidence:
        groups[trial.cluster].append(trial)
    wrong, right = [], []
    for name in sorted(groups):
        wrong.append(max(trial.wrong_score for trial in groups[name]))
        right.append(sorted(trial.right_score for trial in groups[name] if trial.is_positive))

    def statistic(weights):
        drawn = [index for index, weight in enumerate(weights) if weight]
        threshold = max((wrong[index] for index in drawn), default=ZERO)
        number = sum(weights[index] * len(right[index]) for index in drawn)
        found = sum(weights[index] * (len(right[index]) - bisect.bisect_right(right[index], threshold)) for index in drawn)
        return found / number if number else None
    interval = bootstrap(len(wrong), seed, statistic)
    if interval and "lower" in figure:
        figure["lower"], figure["upper"] = min(interval[0], figure["lower"]), max(interval[1], figure["upper"])
    return figure


def scorecard(trials, seed):
    """The figures of a run that are published, by their names in summary.json."""
    run = [trial for trial in trials if trial.is_offered]
    unknown = [trial for trial in distinct([trial for trial in run if trial.is_evidence]) if not trial.is_positive]
    return {
        "trials": len(trials), "positives": len(positives_of(run)),
        "negatives": sum(trial.is_evidence and not trial.is_positive for trial in run),
        "recall": recall(run),
        "wrongReferenceRate": share((trial.cluster, trial.claim is False) for trial in positives_of(run)),
        "falseAcceptRate": share((trial.cluster, trial.claim is not None) for trial in unknown),
        "recallAtZeroFalseAccepts": recall_at_zero(run, seed),
        "rightTopAnswer": share((trial.cluster, trial.first is True) for trial in positives_of(run)),
        "distinctNegativeSeconds": distinct_seconds(run),
    }


EDGES = (0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1)


def reliability(trials):
    """Calibration error and Brier score of the stated confidences, as `ReliabilityDiagram`."""
    run = [trial for trial in trials if trial.is_offered and not trial.is_error]
    positives = sum(trial.is_positive for trial in run)
    weights = {True: 0.5 / positives, False: 0.5 / (len(run) - positives)}
    forecasts = [(trial.number("bestConfidence"), trial.row["bestIsRight"] == "true", weights[trial.is_positive])
                 for trial in run if trial.row["bestConfidence"]]
    bins = collections.defaultdict(list)
    for forecast in forecasts:
        bins[min(bisect.bisect_right(EDGES, forecast[0]), len(EDGES) - 1)].append(forecast)
    total = math.fsum(weight for _, _, weight in forecasts)

    def error(chosen):
        # The share of a bin times the distance of its means is the distance of its sums.
        return abs(math.fsum(weight * (happened - stated) for stated, happened, weight in chosen)) / total
    return {"expectedCalibrationError": math.fsum(error(chosen) for chosen in bins.values()),
            "brierScore": math.fsum(weight * (stated - happened) ** 2 for stated, happened, weight in forecasts) / total}


def cells(trials):
    """A row for each condition that has positives, by the names of cells.csv."""
    groups = {}
    for trial in trials:
        groups.setdefault(tuple(trial.row[key] for key in ("degradation", "severity", "lengthSeconds")), []).append(trial)
    rows = []
    for (degradation, severity, length), members in groups.items():
        correct = [trial for trial in positives_of(members) if trial.claim is True]
        recalled = recall(members)

        def errors(column):
            return [abs(trial.number(column)) for trial in correct if trial.row[column]]
        rows.append({
            "degradation": degradation, "severity": severity, "lengthSeconds": length, "recallOf": recalled["of"],
            "recall": recalled.get("rate"),
            "freeFrequencySkewErrorMedian": quantile(errors("freeFrequencySkewError"), 0.5),
            "freeFrequencySkewErrorPercentile95": quantile(errors("freeFrequencySkewError"), 0.95),
            "offsetErrorMedianSeconds": quantile(errors("offsetErrorSeconds"), 0.5),
        })
    return rows


# Studies ---------------------------------------------------------------------------------------------------------------------

def streams(rows):
    """A row for each condition of streams.csv."""
    def seconds(row, column):
        return float(row[column] or math.inf)
    groups = {}
    for row in rows:
        groups.setdefault(row["cell"], []).append(row)
    figures = []
    for cell, members in groups.items():
        first = [seconds(row, "firstRightSeconds") for row in members]
        times = [quantile(first, part) for part in (0.5, 0.9)]
        figures.append({
            "cell": cell, "queries": len(members), "everRight": sum(map(math.isfinite, first)),
            "firstRightMedianSeconds": times[0] if math.isfinite(times[0]) else None,
            "firstRightP90Seconds": times[1] if math.isfinite(times[1]) else None,
            "wrongFirst": sum(seconds(row, "firstWrongSeconds") < seconds(row, "firstRightSeconds") for row in members),
        })
    return figures


def growth(rows):
    """A row for each size of answers.csv."""
    sizes = collections.defaultdict(list)
    for row in rows:
        if row["isPositive"] == "true":
            sizes[float(row["hours"])].append(row["outcome"] == "correct")
    return [{"hours": hours, "degradation": "", "correctShare": sum(found) / len(found)} for hours, found in sorted(sizes.items())]


def intros(rows):
    """The counts of a study of intros, from its trials.csv."""
    def line(figure, chosen, is_counted):
        def total(is_clean):
            own = [is_counted(row) for row in chosen if (row["condition"] == "clean") == is_clean]
            return f"{sum(own):,} of {len(own):,}"
        return {"figure": figure, "clean": total(True), "whiteNoise5dB": total(False)}

    inside = [row for row in rows if row["kind"] == "inside"]
    after = [row for row in rows if row["kind"] == "boundary" and float(row["tailSeconds"]) == 1]
    figures = [
        line("all episodes returned within the intro", inside, lambda row: row["accepted"] == row["episodes"]),
        line("one claimed there", inside, lambda row: row["verdict"] in ("right", "wrong")),
        line("the right one claimed 1 s after it", after, lambda row: row["verdict"] == "right"),
    ]
    for spacing in (0.5, 0.1):
        tags = [row for row in rows if row["kind"] == "tag" and float(row["spacingPercent"]) == spacing
                and float(row["lengthSeconds"]) >= 5]
        figures.append(line(f"skew tags {spacing} % apart, right from 5 s", tags,
                            lambda row: row["first"] == "1" and row["tag"] == row["right"]))
    return figures


# Passages --------------------------------------------------------------------------------------------------------------------

# The least share of its length that a right passage has within true ones.
WITHIN = 0.5
# The false passages an hour at which the curve of all references and that of one reference end.
FALSE_PER_HOUR = 10
FALSE_PER_HOUR_OF_LABEL = 1
# A wider overlap is a crossfade, whose ends are not certain.
HARD_EDGE_SECONDS = 0.05


def passages(contestants, hours):
    """A row for each contestant; contestants: the rows of passages.csv by name, hours: the length of the recording.

    The verdicts follow from the spans again, as `PassageMatching`. Only what may be found and need not be is taken as stored.
    """
    return [{"name": name} | passage_figures(rows, hours) for name, rows in contestants.items()]


def passage_figures(rows, hours):
    def span(row, begin, end):
        return float(row[begin]), float(row[end])
    truths = [(row, row["reference"], span(row, "begin", "end")) for row in rows if row["verdict"] in ("found", "missed")]
    found = [(row, row["reference"], span(row, "answeredBegin", "answeredEnd"))
             for row in rows if row["answeredBegin"] and row["verdict"] != "permitted"]

    def area(names, most):
        own, answers = ([part for part in parts if part[1] in names] for parts in (truths, found))
        return passage_area([(label, true) for _, label, true in own],
                            [(float(row["score"]), label, answered) for row, label, answered in answers], hours, most)
    labels = sorted({label for _, label, _ in truths})
    areas = [area({name}, FALSE_PER_HOUR_OF_LABEL) for name in labels]
    finders = metrics.finders([span for _, *span in truths], [span for _, *span in found])
    used = set(finders.values())

    def within(number):
        _, label, answered = found[number]
        seconds = sum(common(true, answered) for _, name, true in truths if name == label)
        return seconds > 0 and seconds >= WITHIN * (answered[1] - answered[0])
    others = [number for number in range(len(found)) if number not in used]
    errors = []
    for place, number in finders.items():
        row, _, true = truths[place]
        for side, fade in enumerate(("fadeInSeconds", "fadeOutSeconds")):
            if float(row[fade]) <= HARD_EDGE_SECONDS:
                errors.append(abs(found[number][2][side] - true[side]))
    figures = {}
    for name, observed in (("found", [(label, place in finders) for place, (_, label, _) in enumerate(truths)]),
                           ("precision", [(label, number in used) for number, (_, label, _) in enumerate(found)])):
        rate = share(observed)
        figures |= {name: rate.get("rate"), name + "Lower": rate.get("lower"), name + "Upper": rate.get("upper"),
                    name + "Count": rate["count"], name + "Of": rate["of"]}
    for kind in ("song", "spot", "jingle"):
        own = [place for place, (row, _, _) in enumerate(truths) if row["kind"] == kind]
        figures |= {f"{kind}Found": sum(place in finders for place in own), f"{kind}Of": len(own)}
    return figures | {"f1": 2 * len(finders) / (len(truths) + len(found)),
                      "area": area({label for _, label, _ in truths + found}, FALSE_PER_HOUR),
                      "areaByReference": math.fsum(areas) / len(areas), "false": sum(not within(number) for number in others),
                      "edgeMedianSeconds": quantile(errors, 0.5), "edgeP95Seconds": quantile(errors, 0.95)}


def passage_area(truth, found, hours, most):
    """The share of passages that are found, over false ones an hour up to `most`, as `PassageArea`; found: score, label, span."""
    def micro(seconds):
        return round(seconds * 1e6)
    covered, false, area, last, part = [0.0] * len(truth), 0, 0.0, 0.0, 0.0
    for score in sorted({score for score, _, _ in found}, reverse=True):
        for label, answered in ((label, span) for other, label, span in found if other == score and span[1] > span[0]):
            shared = [common(true, answered) if name == label else 0 for name, true in truth]
            if micro(sum(shared)) < micro(WITHIN * (answered[1] - answered[0])):
                false += 1
                continue
            covered = [one + other for one, other in zip(covered, shared)]
        if false / hours > most:
            break
        area += part * (false / hours - last)
        last = false / hours
        part = sum(micro(length) >= micro(WITHIN * (true[1] - true[0])) for (_, true), length in zip(truth, covered)) / len(truth)
    return (area + part * (most - last)) / most


# Arena -----------------------------------------------------------------------------------------------------------------------

ARENA_RATE = 0.01
RANK = ("rank", "rankLower", "rankUpper")
def ladder(contestants):
    """The queries that each contestant accepts on each rung, as `LadderRung`; contestants: trials by name."""
    figures = []
    for name, trials in contestants.items():
        groups = {}
        for trial in trials:
            if trial.is_evidence:
                groups.setdefault((trial.row["degradation"], trial.row["severity"]), []).append(trial)
        for (rung, condition), members in groups.items():
            # A right reference is accepted; where none is right, any is.
            accepted = share((trial.cluster, trial.claim is not None if not trial.is_positive else trial.claim)
                             for trial in members)
            figures.append({"name": name, "rung": rung, "condition": condition,
                            "isSameRecording": "true" if members[0].is_positive else "false", "acceptedCount": accepted["count"],
                            "acceptedOf": accepted["of"], "acceptedLower": accepted["lower"], "acceptedUpper": accepted["upper"]})
    return figures


def calibration(rows):
    """What a matcher states on each rung and how often that is right, as `LadderRung`; nothing where neither is."""
    rungs = {}
    for row in rows:
        if row["offered"] == "true" and not row["error"]:
            rungs.setdefault(row["degradation"], []).append(row)
    return [{"rung": rung, "queries": len(members), "stated": sum(float(row["bestConfidence"] or 0) for row in members) / len(members),
             "observed": "" if rung == "other mix" else sum(row["bestIsRight"] == "true" for row in members) / len(members)}
            for rung, members in rungs.items()]


# Of the draws of recordings that ranks are taken in.
ARENA_SEED = 0xA2
# The fewest timed queries of one kind that have a median.
FEWEST_TIMED = 30


def standings(contestants):
    """A row for each contestant, by the names of leaderboard.csv, as `ArenaStanding`; contestants: trials by name."""
    failed = {trial.row["trial"] for trials in contestants.values() for trial in trials
              if trial.is_offered and not trial.is_positive and trial.is_error}
    compared = {name: [trial for trial in trials if trial.row["trial"] not in failed] for name, trials in contestants.items()}
    return [{"name": name} | rank | standing(trials, compared[name])
            for (name, trials), rank in zip(contestants.items(), ranks(list(compared.values())))]


def ranks(contestants):
    """The rank of each contestant by recall, with its 95 % interval over draws of recordings, as `RecallRank`.

    Recall is at the highest share of false accepts, up to 1 %, that all contestants reach. Each draw finds the thresholds again.
    Contestants with the same recall share the better rank. An interval leaves out the ranks of those that are surely better or
    worse: ahead or behind in all draws but 2.5 %, divided by the number of rivals.
    """
    sides = [distinct([trial for trial in trials if trial.is_evidence]) for trials in contestants]
    clusters = sorted({trial.cluster for trial in sides[0]})
    rate = min([ARENA_RATE] + [share_named(side) for side in sides])
    recalls = [recalls_by_draw(side, clusters, rate) for side in sides]

    def found(weights):
        return [recall(weights) for recall in recalls]
    own = found([1] * len(clusters))
    draws = [found(weights) for weights in resamples(len(clusters), ARENA_SEED)]
    tail = len(draws) // (40 * max(1, len(sides) - 1))

    def is_surely_ahead(one, other):
        return sum(draw[one] <= draw[other] for draw in draws) <= tail
    rows = []
    for number, recall in enumerate(own):
        rank = 1 + sum(other > recall for other in own)
        better = sum(is_surely_ahead(other, number) for other in range(len(own)))
        worse = sum(is_surely_ahead(number, other) for other in range(len(own)))
        rows.append(dict(zip(RANK, (rank, min(rank, 1 + better), max(rank, len(own) - worse)))))
    return rows


def share_named(trials):
    """The share of negatives for which a contestant names a candidate."""
    scores = [trial.wrong_score for trial in trials if not trial.is_positive]
    return sum(score > ZERO for score in scores) / len(scores)


def recalls_by_draw(trials, clusters, rate):
    """Recall by the clusters' weights, where at most a share `rate` of the negatives is accepted."""
    number = {cluster: place for place, cluster in enumerate(clusters)}
    negatives = sorted(((trial.wrong_score, number[trial.cluster]) for trial in trials if not trial.is_positive),
                       reverse=True)
    right = [[] for _ in clusters]
    for trial in trials:
        if trial.is_positive:
            bisect.insort(right[number[trial.cluster]], trial.right_score)

    def recall(weights):
        allowed, reached, threshold = rate * sum(weights[place] for _, place in negatives), 0, ZERO
        for score, place in negatives:
            reached += weights[place]
            if reached > allowed:
                threshold = score
                break
        found = sum(weight * (len(scores) - bisect.bisect_right(scores, threshold)) for weight, scores in zip(weights, right))
        return found / max(1, sum(weight * len(scores) for weight, scores in zip(weights, right)))
    return recall


def standing(trials, compared):
    """compared: without the negatives on which any contestant failed."""
    run = [trial for trial in trials if trial.is_offered]
    positives = positives_of(run)
    own = [trial for trial in run if trial.is_evidence]
    wrong = max(trial.wrong_score for trial in own)
    own = [trial for trial in distinct(own) if not trial.is_positive]
    unknown = distinct([trial for trial in compared if trial.is_evidence])
    scores = sorted(trial.wrong_score for trial in unknown if not trial.is_positive)
    figure = {}
    # A contestant that names candidates for fewer negatives has no such threshold.
    if sum(score > ZERO for score in scores) >= ARENA_RATE * len(scores):
        limits = sorted({trial.right_score for trial in positives} - {ZERO})
        threshold = next((limit for limit in limits
                          if (len(scores) - bisect.bisect_left(scores, limit)) / len(scores) <= ARENA_RATE), math.inf)
        figure = share((trial.cluster, trial.right_score >= threshold) for trial in positives)
    errors = [abs(trial.number("offsetErrorSeconds")) for trial in positives if trial.row["offsetErrorSeconds"]]

    def time(chosen):
        times = [trial.number("processorMilliseconds") for trial in chosen if trial.row["processorMilliseconds"]]
        times = [time for time in times if 0 <= time < 86_400_000]
        return quantile(times, 0.5) if len(times) >= FEWEST_TIMED else None
    return {
        "positives": len(positives), "negatives": sum(trial.is_evidence and not trial.is_positive for trial in run),
        "recallAt1PercentFalseAccepts": figure.get("rate"),
        "recallAt1PercentFalseAcceptsLower": figure.get("lower"), "recallAt1PercentFalseAcceptsUpper": figure.get("upper"),
        "recallAt0FalseAccepts": sum(trial.right_score > wrong for trial in positives) / len(positives),
        "recallAtOwnThreshold": recall(run)["rate"],
        "falseAcceptRateAtOwnThreshold": sum(trial.claim is not None for trial in own) / len(own),
        "offsetErrorSecondsMedian": quantile(errors, 0.5),
        "placedWithin100Milliseconds": sum(error <= 0.1 for error in errors) / len(positives),
        "processorMillisecondsFoundMedian": time([trial for trial in positives if trial.claim is True]),
        "processorMillisecondsUnknownMedian": time([trial for trial in run if not trial.is_positive and not trial.is_error]),
    }
