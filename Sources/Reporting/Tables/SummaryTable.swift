import Metrics

/// The figures of a run as plain text for a terminal, no wider than 96 columns.
public enum SummaryTable {
    /// The headline figures, then a table of the groups of conditions, then the weakest cells.
    public static func text(_ model: ReportModel) -> String {
        guard !model.trials.isEmpty else { return "The run holds no trial.\n" }
        var lines = headline(model)
        lines += [""] + groups(model)
        let weakest = model.weakestCells(limit: 5)
        if !weakest.isEmpty {
            lines += ["", "Weakest conditions"]
            lines += aligned(
                weakest.map { cell in
                    let recall = cell.score.outcomes.recall
                    return [
                        "  " + shortened(cell.title), NumberText.rate(recall),
                        "(\(NumberText.interval(recall)))",
                        "\(recall.successes) of \(recall.trials)",
                    ]
                })
        }
        // A terminal has no use for blanks that do not break.
        return lines.map { $0.replacing(NumberText.blank, with: " ") + "\n" }.joined()
    }

    private static func headline(_ model: ReportModel) -> [String] {
        let score = model.overall
        let counts = score.outcomes
        func rate(_ proportion: Proportion) -> [String] {
            [
                NumberText.rate(proportion), NumberText.interval(proportion),
                "\(NumberText.count(proportion.successes)) of \(NumberText.count(proportion.trials))",
            ]
        }
        var rows = [
            ["Recall"] + rate(counts.recall),
            ["Precision"] + rate(counts.precision),
            ["False accepts"] + rate(counts.falseAcceptRate),
            ["Wrong references"] + rate(score.wrongReferenceRate),
            ["Recall at 0 false accepts"] + rate(score.recallAtZeroFalseAccepts),
            ["Right place"] + rate(score.share(of: .right)),
        ]
        func errors(_ name: String, _ summary: ErrorSummary?, _ text: (Double) -> String) {
            guard let summary else { return }
            rows.append([
                name, "median " + text(summary.medianAbsolute), "p95 " + text(summary.percentile95Absolute),
                "\(NumberText.count(summary.count)) answers",
            ])
        }
        errors("Frequency skew error", score.frequencySkewError, NumberText.skew)
        errors("Time skew error", score.timeSkewError, NumberText.skew)
        errors("Offset error", score.offsetError, NumberText.seconds)
        if let latency = score.latency {
            rows.append([
                "Latency", "median " + NumberText.milliseconds(latency.median),
                "p95 " + (latency.percentile95.map(NumberText.milliseconds) ?? NumberText.missing),
                "p99 " + (latency.percentile99.map(NumberText.milliseconds) ?? NumberText.missing),
            ])
        }
        let facts = model.facts
        let what =
            "\(facts.matcher.name) \(facts.matcher.version) on \(facts.corpusName) (\(facts.half) half), "
            + "plan \(facts.planName), seed \(facts.seed)"
        var lines = [what, ""] + aligned(rows)
        if score.errors > 0 { lines.append("\(NumberText.count(score.errors)) trials erred.") }
        return lines
    }

    private static func groups(_ model: ReportModel) -> [String] {
        let head = ["Conditions", "positives", "recall", "95 % interval", "wrong", "negatives", "accepted"]
        return aligned(
            [head]
                + model.groups.map { group in
                    let counts = group.score.outcomes
                    return [
                        group.group.title, NumberText.count(counts.positives), NumberText.rate(counts.recall),
                        NumberText.interval(counts.recall), NumberText.count(counts.wrongReference),
                        NumberText.count(counts.negatives), NumberText.count(counts.falseAccept),
                    ]
                })
    }

    /// A name that leaves room for figures beside it.
    private static func shortened(_ name: String) -> String {
        name.count <= 52 ? name : name.prefix(51) + "…"
    }

    /// Rows with their first column flush left and the others flush right.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + padding : padding + text
            }.joined(separator: "  ")
        }
    }
}
