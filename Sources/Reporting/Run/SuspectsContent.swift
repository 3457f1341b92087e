// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation
import Metrics

/// The headline figures with all trials and without suspect ones.
struct SuspectsContent {
    struct Row {
        let name: String
        let all: String
        let without: String
    }

    let introduction: String
    let rows: [Row]

    init?(_ model: ReportModel) {
        guard let without = model.withoutSuspects else { return nil }
        rows = Self.figures.map { name, figure in
            func text(_ score: Scorecard) -> String {
                let proportion = figure(score)
                return "\(NumberText.rate(proportion)) (\(NumberText.interval(proportion)))"
            }
            return Row(name: name, all: text(model.overall), without: text(without.score))
        }
        introduction =
            "An audit of the corpus found \(NumberText.count(without.pairs)) "
            + "\(without.pairs == 1 ? "pair" : "pairs") of recordings that may share audio. No one has judged them yet. "
            + "\(NumberText.count(without.trialsLeftOut)) of \(NumberText.count(model.trials.count)) trials are cut "
            + "from such a passage, or have the other recording of the pair as their answer."
    }

    /// The figures for the page and the terminal.
    static let figures: [(name: String, figure: @Sendable (Scorecard) -> Proportion)] = [
        ("Recall", { $0.recall }),
        ("Precision", { $0.precision }),
        ("False accepts", { $0.falseAcceptRate }),
        ("Wrong references", { $0.wrongReferenceRate }),
        ("Recall at 0 false accepts", { $0.recallAtZeroFalseAccepts }),
    ]

    /// Rows for the terminal; none without a list of suspects.
    static func tableRows(_ model: ReportModel) -> [[String]] {
        guard let without = model.withoutSuspects else { return [] }
        let head = [
            "Without suspects", "\(NumberText.count(without.trialsLeftOut)) trials left out", "", "",
        ]
        return [head]
            + figures.map { name, figure in
                let proportion = figure(without.score)
                return [
                    "  " + name, NumberText.rate(proportion), NumberText.interval(proportion),
                    "\(NumberText.count(proportion.successes)) of \(NumberText.count(proportion.trials))",
                ]
            }
    }
}

/// The figures of a run without suspect trials.
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
        let point = ZeroFalseAcceptPoint(kept.filter { $0.outcome != nil }.map(\.scores))
        score = Scorecard(kept, highestWrongScore: point.highestWrongScore)
    }
}
