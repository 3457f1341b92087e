import Evaluation
import Metrics

/// One record with the judgement that follows from it.
public struct JudgedTrial: Sendable {
    /// What was kept of the trial.
    public let record: TrialRecord
    /// How it ended; nil when its format is not offered, so that nothing was run.
    public let outcome: Outcome?
    /// The claimed candidate: the first at or above the threshold; nil when nothing was claimed.
    public let claim: Candidate?
    /// The rank of the first right reference among the candidates, from 1; nil when it is not there.
    public let rightRank: Int?
    /// The scores that decide the trial at other thresholds.
    public let scores: ScoredTrial
    /// Answered frequency skew − true frequency skew, of correct answers that state one.
    public let frequencySkewError: Double?
    /// Answered time skew − true time skew, of correct answers that state one.
    public let timeSkewError: Double?
    /// Answered offset − true offset in seconds, of correct answers.
    public let strictOffsetErrorSeconds: Double?
    /// The offset error to the nearest place that sounds the same, of correct answers.
    ///
    /// A place sounds the same when its waveform correlates at least ``repeatCorrelation`` with
    /// the true one; the true place itself always does.
    public let offsetErrorSeconds: Double?
    /// Where in the right reference the answer lies; nil unless it is correct.
    public let place: Place?

    /// Where in the right reference an answer lies.
    public enum Place: String, Sendable, CaseIterable {
        /// Within ``placeToleranceSeconds`` of the truth.
        case right
        /// Elsewhere, at a passage whose waveform is the same.
        case repetition
        /// Elsewhere.
        case other
    }

    /// How far an offset may be off and still be at the right place.
    public static let placeToleranceSeconds = 0.5
    /// The waveform correlation from which two places count as the same.
    public static let repeatCorrelation = 0.8

    /// Judges `record`.
    ///
    /// - Parameter threshold: the score from which a candidate is claimed; nil leaves it to the
    ///   matcher's ``Candidate/isAccepted``. A trial that erred has claimed nothing.
    public init(_ record: TrialRecord, threshold: Double?) {
        self.record = record
        let candidates = record.error == nil ? record.candidates : []
        let truths = Set(record.truthReferences)
        let claim = candidates.first { candidate in
            threshold.map { candidate.score >= $0 } ?? candidate.isAccepted
        }
        self.claim = claim
        rightRank = candidates.firstIndex { truths.contains($0.referenceID) }.map { $0 + 1 }
        scores = ScoredTrial(
            isPositive: record.isPositive,
            candidates: candidates.map { ($0.score, truths.contains($0.referenceID)) })

        guard record.isOffered else {
            outcome = nil
            (frequencySkewError, timeSkewError, strictOffsetErrorSeconds, offsetErrorSeconds, place) =
                (nil, nil, nil, nil, nil)
            return
        }
        outcome = Outcome(
            isPositive: record.isPositive, claim: claim.map { truths.contains($0.referenceID) })
        guard outcome == .correct, let claim, let truth = record.truth else {
            (frequencySkewError, timeSkewError, strictOffsetErrorSeconds, offsetErrorSeconds, place) =
                (nil, nil, nil, nil, nil)
            return
        }
        frequencySkewError = claim.frequencySkew.flatMap { Self.finite($0 - truth.frequencySkew) }
        timeSkewError = claim.timeSkew.flatMap { Self.finite($0 - truth.timeSkew) }
        let strict = record.truthOffsetDeltas[claim.referenceID].flatMap {
            Self.finite(claim.offsetSeconds - truth.offsetSeconds - $0)
        }
        let isRepetition = (record.repeatCorrelation ?? 0) >= Self.repeatCorrelation
        let toRepetition = isRepetition ? record.repeatOffsetErrorSeconds.flatMap(Self.finite) : nil
        strictOffsetErrorSeconds = strict
        offsetErrorSeconds = strict.map { error in
            toRepetition.map { abs($0) < abs(error) ? $0 : error } ?? error
        }
        place = strict.map { error in
            if abs(error) <= Self.placeToleranceSeconds { return .right }
            return toRepetition == nil ? .other : .repetition
        }
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
}
