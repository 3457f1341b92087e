// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation
import Metrics

struct SuspectsContent {
    let introduction: String
    let table: FigureTable

    init?(_ model: ReportModel) {
        guard let without = model.withoutSuspects else { return nil }
        table = FigureTable(
            "With all trials and without suspect ones; 95 % intervals as above.",
            label: "Figures with and without suspects",
            columns: ["Figure", "All trials", "Without suspects"],
            rows: Self.figures.compactMap { name, figure in
                guard figure(model.overall).trials > 0 else { return nil }
                return [name]
                    + [model.overall, without.score].map(figure).map {
                        "\(NumberText.rate($0)) (\(NumberText.interval($0)))"
                    }
            })
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
                    NumberText.counts(proportion),
                ]
            }
    }
}

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
