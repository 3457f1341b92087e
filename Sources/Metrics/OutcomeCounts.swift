/// The number of trials with each ``Outcome``, and the rates that follow.
///
/// The five counts sum to the number of trials.
package struct OutcomeCounts: Codable, Hashable, Sendable {
    package var correct = 0
    package var wrongReference = 0
    package var missed = 0
    package var falseAccept = 0
    package var correctReject = 0

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
            }
        }
        set {
            switch outcome {
            case .correct: correct = newValue
            case .wrongReference: wrongReference = newValue
            case .missed: missed = newValue
            case .falseAccept: falseAccept = newValue
            case .correctReject: correctReject = newValue
            }
        }
    }

    package var trials: Int { positives + negatives }
    /// Trials whose query is in some reference.
    package var positives: Int { correct + wrongReference + missed }
    /// Trials whose query is in no reference.
    package var negatives: Int { falseAccept + correctReject }
    /// Trials in which some reference was claimed.
    package var claims: Int { correct + wrongReference + falseAccept }

    package var recall: Proportion { Proportion(correct, of: positives) }
    package var precision: Proportion { Proportion(correct, of: claims) }
    package var falseAcceptRate: Proportion { Proportion(falseAccept, of: negatives) }

    /// The harmonic mean of precision and recall, 2·correct / (claims + positives); nil without positives.
    ///
    /// It is 0 without claims, although precision is then undefined.
    ///
    /// C. J. van Rijsbergen, "Information Retrieval", 2nd edition, 1979, chapter 7.
    package var f1: Double? {
        positives > 0 ? 2 * Double(correct) / Double(claims + positives) : nil
    }
}
