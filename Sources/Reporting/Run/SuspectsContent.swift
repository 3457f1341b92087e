import Evaluation
import Metrics

/// The headline figures with all trials and without those in doubt.
struct SuspectsContent {
    /// A figure both ways.
    struct Row {
        let name: String
        let all: String
        let without: String
    }

    let introduction: String
    let rows: [Row]

    /// Nil when there is no list of suspects.
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
            "An audit of the corpus named \(NumberText.count(without.pairs)) "
            + "\(without.pairs == 1 ? "pair" : "pairs") of recordings that may share audio and that nobody has "
            + "cleared. \(NumberText.count(without.trialsLeftOut)) of \(NumberText.count(model.trials.count)) trials "
            + "are cut from such a passage, or were taken for the recording that their source is in doubt with."
    }

    /// The figures that stand both ways, for the page and the terminal.
    static let figures: [(name: String, figure: @Sendable (Scorecard) -> Proportion)] = [
        ("Recall", { $0.recall }),
        ("Precision", { $0.precision }),
        ("False accepts", { $0.falseAcceptRate }),
        ("Wrong references", { $0.wrongReferenceRate }),
        ("Recall at 0 false accepts", { $0.recallAtZeroFalseAccepts }),
    ]

    /// Lines for the terminal as cells of a table; none when there is no list of suspects.
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
