import Evaluation
import Metrics

/// All figures of a set of trials: of a cell, of a group of cells, or of a run.
public struct Scorecard: Sendable {
    /// The five outcomes of the trials that were run.
    public let outcomes: OutcomeCounts
    /// Trials that erred; they are counted in ``outcomes`` too, as missed or correctly rejected.
    public let errors: Int
    /// Trials that were not run because their format does not exist at that rate.
    public let notOffered: Int
    /// Recall at the run's threshold with no false accept (``ZeroFalseAcceptPoint``).
    public let recallAtZeroFalseAccepts: Proportion
    /// How many correct answers lie at the right place, at a repetition, and elsewhere.
    public let places: [JudgedTrial.Place: Int]
    /// Errors of the frequency skew, as fractions.
    public let frequencySkewError: ErrorSummary?
    /// Errors of the time skew, as fractions.
    public let timeSkewError: ErrorSummary?
    /// Errors of the offset against the true place, in seconds.
    public let strictOffsetError: ErrorSummary?
    /// Errors of the offset against the nearest place that sounds the same, in seconds.
    public let offsetError: ErrorSummary?
    /// Times from samples to answers.
    public let latency: LatencySummary?

    /// Scores `trials`.
    ///
    /// - Parameter highestWrongScore: the score that right answers must exceed for
    ///   ``recallAtZeroFalseAccepts``, found over the whole run; nil means any score.
    public init(_ trials: [JudgedTrial], highestWrongScore: Double?) {
        let run = trials.filter { $0.outcome != nil }
        outcomes = OutcomeCounts(run.compactMap(\.outcome))
        errors = run.count { $0.record.error != nil }
        notOffered = trials.count - run.count
        recallAtZeroFalseAccepts = ZeroFalseAcceptPoint.recall(
            of: run.map(\.scores), above: highestWrongScore)
        places = run.compactMap(\.place).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        frequencySkewError = ErrorSummary(run.compactMap(\.frequencySkewError))
        timeSkewError = ErrorSummary(run.compactMap(\.timeSkewError))
        strictOffsetError = ErrorSummary(run.compactMap(\.strictOffsetErrorSeconds))
        offsetError = ErrorSummary(run.compactMap(\.offsetErrorSeconds))
        latency = LatencySummary(run.compactMap(\.record.matchMilliseconds))
    }

    /// All trials, those that were not run included.
    public var trials: Int { outcomes.trials + notOffered }
    /// wrongReference / positives.
    public var wrongReferenceRate: Proportion {
        Proportion(outcomes.wrongReference, of: outcomes.positives)
    }
    /// The share of correct answers that lie at `place`, of those that state a place.
    public func share(of place: JudgedTrial.Place) -> Proportion {
        Proportion(places[place] ?? 0, of: places.values.reduce(0, +))
    }
    /// Whether nothing of it was run because the format does not exist.
    public var isNotOffered: Bool { outcomes.trials == 0 && notOffered > 0 }
}
