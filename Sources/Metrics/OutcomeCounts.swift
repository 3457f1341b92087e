/// The number of trials with each ``Outcome``, and the rates that follow.
///
/// The six counts sum to the number of trials.
public struct OutcomeCounts: Codable, Hashable, Sendable {
    /// Positives with a right claim.
    public var correct = 0
    /// Positives with a wrong claim.
    public var wrongReference = 0
    /// Positives without a claim.
    public var missed = 0
    /// Negatives with a claim.
    public var falseAccept = 0
    /// Negatives without a claim.
    public var correctReject = 0
    /// Negatives on which the matcher failed; they are in no rate.
    public var negativeError = 0

    package init() {}

    package init(_ outcomes: some Sequence<Outcome>) {
        for outcome in outcomes { self[outcome] += 1 }
    }

    package subscript(outcome: Outcome) -> Int {
        get {
            switch outcome {
            case .correct: correct
            case .wrongReference: wrongReference
            case .missed: missed
            case .falseAccept: falseAccept
            case .correctReject: correctReject
            case .negativeError: negativeError
            }
        }
        set {
            switch outcome {
            case .correct: correct = newValue
            case .wrongReference: wrongReference = newValue
            case .missed: missed = newValue
            case .falseAccept: falseAccept = newValue
            case .correctReject: correctReject = newValue
            case .negativeError: negativeError = newValue
            }
        }
    }

    package var trials: Int { positives + negatives + negativeError }
    /// Trials whose query is in some reference.
    public var positives: Int { correct + wrongReference + missed }
    /// Trials whose query is in no reference, without those on which the matcher failed.
    public var negatives: Int { falseAccept + correctReject }
    /// Trials in which some reference was claimed.
    public var claims: Int { correct + wrongReference + falseAccept }

    package var recall: Proportion { Proportion(correct, of: positives) }
    package var precision: Proportion { Proportion(correct, of: claims) }
    package var falseAcceptRate: Proportion { Proportion(falseAccept, of: negatives) }

    /// The harmonic mean of precision and recall, 2·correct / (claims + positives); nil without positives.
    ///
    /// It is 0 without claims, although precision is then undefined.
    ///
    /// C. J. van Rijsbergen, "Information Retrieval", 2nd edition, 1979, chapter 7.
    public var f1: Double? {
        positives > 0 ? 2 * Double(correct) / Double(claims + positives) : nil
    }
}
