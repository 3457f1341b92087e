import Matchers
import Metrics

/// All figures of a set of trials: of a cell, of a group of cells, or of a run.
public struct Scorecard: Sendable {
    /// The number of trials with each outcome.
    public let outcomes: OutcomeCounts
    /// Failed trials.
    ///
    /// ``outcomes`` counts them too, as missed or as errors of negatives.
    public let errors: Int
    /// Trials that were not run because the query cannot be made, as where its format does not exist at its rate.
    public let notOffered: Int
    /// Trials at which the machine disturbed the matcher twice; no rate counts them.
    public let notMeasured: Int
    /// Trials whose answer is neither right nor wrong; no rate counts them.
    public let permitted: Int
    /// correct / positives.
    public let recall: Proportion
    /// Accepted answers that name a right reference / all accepted answers, of positives and negatives.
    public let precision: Proportion
    /// The precision of the top answers alone: correct / (correct + wrongReference + falseAccept).
    public let topPrecision: Proportion
    /// Right references that were accepted / all right references, over positives.
    public let setRecall: Proportion
    /// Trials with at least one wrong accepted answer, at whatever rank / trials.
    public let wrongAnswerRate: Proportion
    /// falseAccept / (falseAccept + correctReject); negatives of the same samples and catalog count once.
    public let falseAcceptRate: Proportion
    /// Positives that are correct at the right place / positives whose place is known.
    public let placedRecall: Proportion
    /// wrongReference / positives.
    public let wrongReferenceRate: Proportion
    /// Recall at the run's threshold with no false accept (``ZeroFalseAcceptPoint``).
    public let recallAtZeroFalseAccepts: Proportion
    /// Its 95 % interval by bootstrap, with the threshold found again in each resample; nil where there is none.
    ///
    /// That of ``recallAtZeroFalseAccepts`` itself takes the threshold as known.
    public package(set) var recallAtZeroFalseAcceptsInterval: Interval?
    /// The share of positives whose best candidate is a right one, whatever its score.
    public let rightTopAnswers: Proportion
    /// The seconds of audio that the negatives cover, no part counted twice.
    public let distinctNegativeSeconds: Double
    private let places: [JudgedTrial.Place: Proportion]
    /// Errors of the frequency skew as answered, as fractions.
    public let frequencySkewError: ErrorSummary?
    /// Errors of the time skew as answered, as fractions.
    public let timeSkewError: ErrorSummary?
    /// Errors of the frequency skew as measured, no kind of skew assumed, as fractions.
    public let freeFrequencySkewError: ErrorSummary?
    /// Errors of the time skew as measured, no kind of skew assumed, as fractions.
    public let freeTimeSkewError: ErrorSummary?
    /// How many measured frequency skews lie within 1.96 of their stated standard errors; 95 % if these are honest.
    public let frequencySkewCoverage: Proportion
    /// How many measured time skews lie within 1.96 of their stated standard errors.
    public let timeSkewCoverage: Proportion
    /// Errors of the offset against the true place, in seconds.
    public let strictOffsetError: ErrorSummary?
    /// Errors of the offset against the nearest place that sounds the same, in seconds.
    public let offsetError: ErrorSummary?
    /// From samples to answers.
    public let latency: LatencyByKind

    /// Scores `trials`.
    ///
    /// - Parameter highestWrongScore: The score that right answers must exceed for
    ///   ``recallAtZeroFalseAccepts``, found over the whole run; nil means any score.
    public init(_ trials: [JudgedTrial], highestWrongScore: Double?) {
        let run = trials.filter { $0.outcome != nil }
        outcomes = OutcomeCounts(run.compactMap(\.outcome))
        errors = run.count { $0.record.error != nil }
        notMeasured = trials.count { $0.record.notMeasured != nil }
        permitted = trials.count(where: \.isPermitted)
        notOffered = trials.count - run.count - notMeasured - permitted
        let positives = run.filter(\.record.trial.isPositive)
        let negatives = run.filter { !$0.record.trial.isPositive && $0.outcome != .negativeError }
        recall = Self.share(of: positives) { $0.outcome == .correct }
        precision = Proportion(
            clustered: run.flatMap { trial in
                trial.accepted.indices.map { (trial.cluster, $0 >= trial.wrongAnswers) }
            })
        topPrecision = Self.share(of: run.filter { $0.claim != nil }) { $0.outcome == .correct }
        setRecall = Proportion(
            clustered: positives.flatMap { trial in
                trial.record.truthReferences.indices.map { (trial.cluster, $0 < trial.rightReferences) }
            })
        let distinct = JudgedTrial.distinct(run.filter { $0.evidence != nil })
        wrongAnswerRate = Self.share(of: distinct) { $0.wrongAnswers > 0 }
        falseAcceptRate = Self.share(of: distinct.filter { !$0.record.trial.isPositive }) {
            $0.outcome == .falseAccept
        }
        wrongReferenceRate = Self.share(of: positives) { $0.outcome == .wrongReference }
        recallAtZeroFalseAccepts = Self.share(of: positives) { $0.scores.isRight(above: highestWrongScore) }
        rightTopAnswers = Self.share(of: positives) { $0.rightRank == 1 }
        distinctNegativeSeconds = DistinctLength.of(
            negatives.compactMap { trial in trial.record.span.map { ($0.file, $0.seconds) } })
        placedRecall = Self.share(of: positives.filter { $0.record.truth?.offsetSeconds != nil }) {
            $0.place == .right
        }
        let placed = run.filter { $0.place != nil }
        places = Dictionary(
            uniqueKeysWithValues: JudgedTrial.Place.allCases.map { place in
                (place, Self.share(of: placed) { $0.place == place })
            })
        frequencySkewError = ErrorSummary(run.compactMap(\.frequencySkewError))
        timeSkewError = ErrorSummary(run.compactMap(\.timeSkewError))
        freeFrequencySkewError = ErrorSummary(run.compactMap(\.freeFrequencySkewError))
        freeTimeSkewError = ErrorSummary(run.compactMap(\.freeTimeSkewError))
        frequencySkewCoverage = Self.coverage(
            of: run, error: \.freeFrequencySkewError, standardError: \.frequencySkewStandardError)
        timeSkewCoverage = Self.coverage(
            of: run, error: \.freeTimeSkewError, standardError: \.timeSkewStandardError)
        strictOffsetError = ErrorSummary(run.compactMap(\.strictOffsetErrorSeconds))
        offsetError = ErrorSummary(run.compactMap(\.offsetErrorSeconds))
        latency = LatencyByKind(run)
    }

    package var trials: Int { outcomes.trials + notOffered + notMeasured + permitted }
    /// Errors of the frequency skew as measured, where the matcher states that, else as answered.
    public var measuredFrequencySkewError: ErrorSummary? { freeFrequencySkewError ?? frequencySkewError }
    /// Errors of the time skew as measured, where the matcher states that, else as answered.
    public var measuredTimeSkewError: ErrorSummary? { freeTimeSkewError ?? timeSkewError }
    /// The share of correct answers at `place`, among those that state a place.
    public func share(of place: JudgedTrial.Place) -> Proportion {
        places[place] ?? Proportion(0, of: 0)
    }
    /// The share of `trials` that `succeed`, with trials of one class as a cluster.
    private static func share(of trials: [JudgedTrial], succeed: (JudgedTrial) -> Bool) -> Proportion {
        Proportion(clustered: trials.map { ($0.cluster, succeed($0)) })
    }

    private static func coverage(
        of trials: [JudgedTrial], error: (JudgedTrial) -> Double?, standardError: (Candidate) -> Double?
    ) -> Proportion {
        Proportion(
            clustered: trials.compactMap { trial in
                guard let error = error(trial), let width = trial.claim.flatMap(standardError) else {
                    return nil
                }
                return (trial.cluster, abs(error) <= 1.96 * width)
            })
    }

    /// Whether none of its trials was run, because the format does not exist.
    public var isNotOffered: Bool { outcomes.trials == 0 && notOffered > 0 }
}
