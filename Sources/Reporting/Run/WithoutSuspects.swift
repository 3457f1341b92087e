import Corpora
import Evaluation
import Metrics

/// The figures of a run without the trials whose truth a list of suspects puts in doubt.
package struct WithoutSuspects: Sendable {
    /// How many pairs of recordings are in doubt.
    package let pairs: Int
    /// How many trials were left out.
    package let trialsLeftOut: Int
    /// The figures of the others, at a point of zero false accepts of their own.
    package let score: Scorecard

    /// Scores the trials that are not in doubt.
    init(_ trials: [JudgedTrial], suspects: SuspectList) {
        pairs =
            Set(suspects.entries.filter { $0.judgement != .different }.map { [$0.first, $0.second] }).count
        let kept = trials.filter { !suspects.putsInDoubt($0.record, claim: $0.claim?.referenceID) }
        trialsLeftOut = trials.count - kept.count
        let point = ZeroFalseAcceptPoint(kept.filter { $0.outcome != nil }.map(\.scores))
        score = Scorecard(kept, highestWrongScore: point.highestWrongScore)
    }
}
