import Corpora
import Matchers
import Metrics

/// A record and the figures that follow from it.
public struct JudgedTrial: Sendable {
    /// Query, truth and answers.
    public let record: TrialRecord
    /// How it ended; nil when the query cannot be made, so that nothing was run, when it was not measured, and when its answer
    /// is only permitted.
    public let outcome: Outcome?
    /// Whether its answer is neither right nor wrong.
    package let isPermitted: Bool
    /// The claimed candidate: the first at or above the threshold; nil when nothing was claimed.
    public let claim: Candidate?
    /// All candidates at or above the threshold, best first; the first is ``claim``.
    public let accepted: [Candidate]
    /// The accepted candidates that name no right reference; all of them for a negative.
    public let wrongAnswers: Int
    /// The right references that an accepted candidate names.
    public let rightReferences: Int
    /// The rank of the first right reference among the candidates, from 1; nil when it is not there.
    public let rightRank: Int?
    /// Of each accepted answer that calls a reference related: whether the rung of the query says so.
    ///
    /// None of them is a claim.
    package let relatedAnswers: [Bool]
    package let scores: ScoredTrial
    /// Answered frequency skew − true frequency skew, of correct answers that state one.
    public private(set) var frequencySkewError: Double?
    /// Answered time skew − true time skew, of correct answers that state one.
    public private(set) var timeSkewError: Double?
    /// Measured frequency skew − true frequency skew, of correct answers that state a free fit.
    public private(set) var freeFrequencySkewError: Double?
    /// Measured time skew − true time skew, of correct answers that state a free fit.
    public private(set) var freeTimeSkewError: Double?
    /// Answered offset − true offset in seconds, of correct answers that state one.
    public private(set) var strictOffsetErrorSeconds: Double?
    /// The offset error to the nearest place that sounds the same, of correct answers.
    ///
    /// A place sounds the same when its waveform correlates at least ``repeatCorrelation`` with
    /// the true one; the true place itself always does.
    public private(set) var offsetErrorSeconds: Double?
    /// The first candidate's offset − true offset in seconds, accepted or not, if it names a right reference and states one.
    public private(set) var topOffsetErrorSeconds: Double?
    /// Nil unless the answer is correct, and both it and the truth state a position.
    public private(set) var place: Place?
    /// The confidence of the best candidate, and whether it is right; nil when it states none.
    ///
    /// A right candidate names a right reference and the query's place there, or a place that sounds the same, or none.
    public private(set) var forecast: (probability: Double, happened: Bool)?

    /// Which place of a right reference the answer names.
    public enum Place: String, CaseIterable, Sendable {
        /// Within ``placeToleranceSeconds`` of the truth.
        case right
        /// Elsewhere, at a passage whose waveform is the same.
        case repetition
        case other
    }

    package static let placeToleranceSeconds = 0.5
    /// The waveform correlation from which two places count as the same.
    public static let repeatCorrelation = 0.8

    /// Judges `record`.
    ///
    /// - Parameter threshold: The least score of a claimed candidate; nil uses the matcher's
    ///   ``Candidate/isAccepted``. A failed trial claims nothing.
    public init(_ record: TrialRecord, threshold: Double?) {
        self.record = record
        let candidates = record.error == nil ? record.candidates : []
        let truths = Set(record.truthReferences)
        accepted = candidates.filter { candidate in
            threshold.map { candidate.score >= $0 } ?? candidate.isAccepted
        }
        let claim = accepted.first
        self.claim = claim
        wrongAnswers = accepted.count { !truths.contains($0.referenceID) }
        rightReferences = Set(accepted.map(\.referenceID)).intersection(truths).count
        rightRank = candidates.firstIndex { truths.contains($0.referenceID) }.map { $0 + 1 }
        let piece = RenditionPlace.piece(of: record.trial.source)
        let related = record.error == nil ? (record.related ?? []).filter(\.isAccepted) : []
        relatedAnswers = related.map {
            record.trial.cell.rung?.isRelated == true && RenditionPlace.piece(of: $0.referenceID) == piece
        }
        scores = ScoredTrial(
            isPositive: record.trial.isPositive,
            candidates: candidates.map { ($0.score, truths.contains($0.referenceID)) })

        isPermitted =
            record.trial.cell.rung?.permitsReference == true && record.isOffered && record.notMeasured == nil
            && record.error == nil
            && claim.map { RenditionPlace.piece(of: $0.referenceID) == piece } ?? true
        guard record.isOffered, record.notMeasured == nil, !isPermitted else {
            outcome = nil
            return
        }
        outcome = Outcome(
            isPositive: record.trial.isPositive, claim: claim.map { truths.contains($0.referenceID) },
            isError: record.error != nil)
        forecast = candidates.first.flatMap { best in
            best.confidence.map { confidence in
                (confidence, truths.contains(best.referenceID) && Self.place(of: best, in: record) != .other)
            }
        }
        if rightRank == 1 {
            topOffsetErrorSeconds = candidates.first.flatMap { Self.offsetError(of: $0, in: record) }
        }
        guard outcome == .correct, let claim, let truth = record.truth else { return }
        frequencySkewError = Self.difference(claim.frequencySkew, truth.frequencySkew)
        timeSkewError = Self.difference(claim.timeSkew, truth.timeSkew)
        freeFrequencySkewError = Self.difference(claim.freeFrequencySkew, truth.frequencySkew)
        freeTimeSkewError = Self.difference(claim.freeTimeSkew, truth.timeSkew)
        // A place known to a second does not show errors in milliseconds.
        strictOffsetErrorSeconds =
            truth.offsetToleranceSeconds == nil ? Self.offsetError(of: claim, in: record) : nil
        offsetErrorSeconds = strictOffsetErrorSeconds.map { error in
            Self.errorToRepetition(of: claim, in: record).map { abs($0) < abs(error) ? $0 : error } ?? error
        }
        place = Self.place(of: claim, in: record)
    }

    /// The scores, if they are evidence for a threshold; nil if nothing was run or the matcher failed on a negative.
    package var evidence: ScoredTrial? {
        outcome == nil || outcome == .negativeError ? nil : scores
    }

    /// The equivalence class, whose trials are not independent of each other.
    public var cluster: String { record.sourceClass.isEmpty ? record.trial.source : record.sourceClass }

    /// `trials` without the negatives whose samples and catalog are those of an earlier one, such as further queries of
    /// silence.
    ///
    /// They are the same trial again, so rates and bounds count them once.
    package static func distinct(_ trials: [JudgedTrial]) -> [JudgedTrial] {
        var known: Set<String> = []
        return trials.filter { trial in
            guard !trial.record.trial.isPositive, let digest = trial.record.query?.digest, !digest.isEmpty
            else { return true }
            let catalog = trial.record.trial.fold.map { "\($0)" } ?? ""
            return known.insert("\(catalog) \(digest)").inserted
        }
    }

    private static func offsetError(of candidate: Candidate, in record: TrialRecord) -> Double? {
        guard let answered = candidate.offsetSeconds, let truth = record.truth?.offsetSeconds,
            let delta = record.truthOffsetDeltas[candidate.referenceID]
        else { return nil }
        return finite(answered - truth - delta)
    }

    private static func errorToRepetition(of candidate: Candidate, in record: TrialRecord) -> Double? {
        guard candidate == record.placedCandidate, let found = record.repetition,
            found.correlation >= repeatCorrelation
        else { return nil }
        return finite(found.offsetErrorSeconds)
    }

    /// Which place of a right reference a candidate names; nil where it or the truth states none.
    static func place(of candidate: Candidate, in record: TrialRecord) -> Place? {
        offsetError(of: candidate, in: record).map { error in
            let tolerance = placeToleranceSeconds + (record.truth?.offsetToleranceSeconds ?? 0)
            if abs(error) <= tolerance { return .right }
            return errorToRepetition(of: candidate, in: record) == nil ? .other : .repetition
        }
    }

    /// Answered − true; nil where either is not stated.
    private static func difference(_ answer: Double?, _ truth: Double?) -> Double? {
        guard let answer, let truth else { return nil }
        return finite(answer - truth)
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
}
