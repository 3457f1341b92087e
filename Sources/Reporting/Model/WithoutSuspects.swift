// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation
import Metrics

/// The figures of a run without its suspect trials.
package struct WithoutSuspects: Sendable {
    /// The number of suspect pairs of recordings.
    package let pairs: Int
    package let trialsLeftOut: Int
    /// The figures of the other trials, with their own threshold for zero false accepts.
    package let score: Scorecard

    init(_ trials: [JudgedTrial], suspects: SuspectList) {
        pairs =
            Set(suspects.entries.filter { $0.judgement != .different }.map { [$0.first, $0.second] }).count
        let kept = trials.filter { !suspects.putsInDoubt($0.record, claim: $0.claim?.referenceID) }
        trialsLeftOut = trials.count - kept.count
        let point = ZeroFalseAcceptPoint(kept.compactMap(\.evidence))
        score = Scorecard(kept, highestWrongScore: point.highestWrongScore)
    }
}

extension WithoutSuspects {
    /// The figures for the page and the terminal.
    static let figures: [(name: String, rate: @Sendable (Scorecard) -> Proportion)] = [
        ("Recall", { $0.recall }), ("Precision", { $0.precision }), ("False accepts", { $0.falseAcceptRate }),
        ("Wrong references", { $0.wrongReferenceRate }),
        ("Recall at 0 false accepts", { $0.recallAtZeroFalseAccepts }),
    ]
}
