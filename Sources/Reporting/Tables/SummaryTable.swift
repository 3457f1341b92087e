import Metrics

/// The figures of a run as plain text for a terminal.
package enum SummaryTable {
    private static let mostWeak = 4
    private static let widest = 80

    /// The figures of the page's first screen in some fifteen lines, no wider than 80 columns.
    package static func brief(_ model: ReportModel) -> String {
        guard !model.trials.isEmpty else { return "The run has no trials.\n" }
        let tiles = Tile.all(model)
        let figures = tiles.map { [$0.label, "\($0.value) \($0.unit)"] }
        let widths = (0..<2).map { column in figures.map { $0[column].count }.max() ?? 0 }
        let room = widest - widths[0] - widths[1] - 6
        var lines =
            [what(model)]
            + TableText.aligned(
                zip(figures, tiles).map { figure, tile in
                    let all = tile.details.filter { !$0.isEmpty }.joined(separator: ", ")
                    return ["  " + figure[0], figure[1], all.count <= room ? all : tile.details[0]]
                })
        let conditions = model.weakestCells(limit: mostWeak).map {
            ["  " + TableText.shortened($0.title, to: 28), NumberText.rate($0.score.recall)]
        }
        let worst = WorstRecordings(model.recordings)
        let recordings = (worst?.recordings ?? []).prefix(mostWeak).map {
            ["  " + TableText.shortened($0.title, to: 25), NumberText.rate($0.score.recall)]
        }
        let left = conditions.isEmpty ? [] : ["Weakest conditions"] + aligned(conditions)
        let right =
            worst.map {
                ["Weakest recordings (\($0.misses) of \($0.allMisses) misses)"] + aligned(Array(recordings))
            } ?? []
        for row in 0..<max(left.count, right.count) {
            let cell = row < left.count ? left[row] : ""
            let blank = String(repeating: " ", count: left.isEmpty ? 0 : max(0, 40 - cell.count))
            lines.append("  " + cell + (row < right.count ? blank + right[row] : ""))
        }
        let measured = model.cells.filter { $0.score.recall.trials > 0 }
        let found = measured.count { $0.score.recall.rate == 1 }
        if !measured.isEmpty {
            lines.append(
                "  \(NumberText.count(found)) of \(NumberText.count(measured.count, "condition")) found everything; "
                    + "--table lists all")
        }
        lines += ([model.previous?.words].compactMap(\.self) + problems(model)).map { "  " + $0 }
        return TableText.joined(lines) + "\n"
    }

    /// Matcher, corpus and plan in a line.
    private static func what(_ model: ReportModel) -> String {
        let facts = model.facts
        return
            "\(facts.matcher.name) \(facts.matcher.version) on \(facts.corpusName) (\(facts.half.rawValue) half), "
            + "plan \(facts.planName), seed \(facts.seed)\(facts.shard.map { ", shard \($0) only" } ?? "")"
    }

    /// What ended with an error, and what could not be made.
    private static func problems(_ model: ReportModel) -> [String] {
        let score = model.overall
        var lines: [String] = []
        if score.errors > 0 {
            lines.append(
                "\(NumberText.count(score.errors, "trial")) ended with an error: "
                    + NumberText.fate(ofErrors: score))
        }
        let unmade = model.trials.filter { $0.outcome == nil && $0.record.error != nil }
        if let first = unmade.first {
            lines.append(
                "\(NumberText.count(unmade.count, "query", "queries")) could not be made and "
                    + "\(unmade.count == 1 ? "does" : "do") not count. The first: \(first.record.trial.id), "
                    + "\(first.record.error ?? "")")
        }
        return lines
    }

    /// A table of the conditions, the headline figures, the groups of conditions and the weakest cells, no wider than
    /// 96 columns.
    package static func text(_ model: ReportModel) -> String {
        guard !model.trials.isEmpty else { return "The run has no trials.\n" }
        var lines = conditions(model)
        if !lines.isEmpty { lines.append("") }
        lines += headline(model)
        lines += [""] + groups(model)
        let weakest = model.weakestCells(limit: 5)
        if !weakest.isEmpty {
            lines += ["", "Weakest conditions"]
            lines += aligned(
                weakest.map { cell in
                    let recall = cell.score.recall
                    return [
                        "  " + TableText.shortened(cell.title, to: 52), NumberText.rate(recall),
                        "(\(NumberText.interval(recall)))", "\(recall.successes) of \(recall.trials)",
                    ]
                })
        }
        if let worst = WorstRecordings(model.recordings) {
            lines += ["", "Weakest recordings (\(worst.misses) of \(worst.allMisses) misses)"]
            lines += aligned(
                worst.recordings.map { recording in
                    [
                        "  " + TableText.shortened(recording.title, to: 52),
                        NumberText.rate(recording.score.recall),
                        NumberText.counts(recording.score.recall),
                    ]
                })
        }
        return TableText.joined(lines) + "\n"
    }

    private static func headline(_ model: ReportModel) -> [String] {
        let score = model.overall
        func rate(_ proportion: Proportion) -> [String] {
            [NumberText.rate(proportion), NumberText.interval(proportion), NumberText.counts(proportion)]
        }
        var rows = [
            ["Recall"] + rate(score.recall),
            ["  at the right place"] + rate(score.placedRecall),
            ["Precision, all answers"] + rate(score.precision),
            ["  top answers"] + rate(score.topPrecision),
            ["Set recall"] + rate(score.setRecall),
            [
                "False accepts", NumberText.rate(score.falseAcceptRate),
                NumberText.falseAcceptRange(score.falseAcceptRate), NumberText.counts(score.falseAcceptRate),
            ],
            ["  different audio", "", "", NumberText.evidence(of: score)],
            ["Wrong references"] + rate(score.wrongReferenceRate),
        ]
        // Without negatives every threshold has none.
        if model.zeroFalseAccepts.negatives > 0 {
            rows.append([
                "Recall at 0 false accepts", NumberText.rate(score.recallAtZeroFalseAccepts),
                score.zeroFalseAcceptInterval, NumberText.counts(score.recallAtZeroFalseAccepts),
            ])
        }
        rows.append(["Right top answer"] + rate(score.rightTopAnswers))
        func estimate(_ name: String, _ estimate: ClusteredEstimate) {
            let recordings = "\(NumberText.count(estimate.clusters)) recordings"
            rows.append([
                name, NumberText.share(estimate.value), NumberText.share(estimate.interval), recordings,
            ])
        }
        // Figures from a fitted tail are projections, which only the page shows.
        for figure in model.separation?.recalls ?? []
        where figure.catalogGrowth == 1 && figure.evidence == .counted {
            let rate = "\(NumberText.plain(figure.falseAcceptRate * 100))\(NumberText.blank)%"
            estimate("Recall at \(rate) false accepts", figure.recall)
        }
        if let rate = model.separation?.equalErrorRate { estimate("Equal error rate", rate) }
        func errors(_ name: String, _ summary: ErrorSummary?, _ text: (Double) -> String) {
            guard let summary else { return }
            rows.append([
                name, "median " + text(summary.medianAbsolute), "p95 " + text(summary.percentile95Absolute),
                "\(NumberText.count(summary.count)) answers",
            ])
        }
        errors("Frequency skew error", score.measuredFrequencySkewError, NumberText.skew)
        if score.freeFrequencySkewError != nil {
            errors("  as answered", score.frequencySkewError, NumberText.skew)
        }
        errors("Time skew error", score.measuredTimeSkewError, NumberText.skew)
        if score.freeTimeSkewError != nil { errors("  as answered", score.timeSkewError, NumberText.skew) }
        errors("Offset error", score.offsetError, NumberText.seconds)
        errors("  strict", score.strictOffsetError, NumberText.seconds)
        if let reliability = model.reliability {
            rows.append([
                "Confidence", "error " + NumberText.significant(reliability.expectedCalibrationError),
                "Brier " + NumberText.significant(reliability.brierScore),
                "\(NumberText.count(reliability.count)) answers",
            ])
        }
        for (kind, latency) in [("found", score.latency.found), ("unknown", score.latency.unknown)] {
            guard let latency else { continue }
            rows.append([
                "Latency, \(kind)", "median " + NumberText.milliseconds(latency.median),
                "p95 " + NumberText.optional(latency.percentile95, NumberText.milliseconds),
                "\(NumberText.count(latency.count)) queries",
            ])
        }
        rows += SuspectsContent.tableRows(model)
        var lines = [what(model), ""] + aligned(rows)
        if let stages = StageShares(model.facts) { lines.append(stages.words) }
        return lines + problems(model)
    }

    /// Each condition with its recall and errors; the page has a matrix of crossed formats.
    private static func conditions(_ model: ReportModel) -> [String] {
        func pair(_ summary: ErrorSummary?, scale: Double) -> String {
            NumberText.optional(summary) { summary in
                [summary.medianAbsolute, summary.percentile95Absolute]
                    .map { NumberText.significant($0 * scale) }.joined(separator: "/")
            }
        }
        let cells = model.cells.filter { $0.group != .matrix && $0.score.outcomes.positives > 0 }
        guard !cells.isEmpty else { return [] }
        return aligned(
            [["Median/p95 of errors:", "", "", "frequency", "time", ""]]
                + [["Condition", "recall", "95 % interval", "skew, %", "skew, %", "offset, ms"]]
                + cells.map { cell in
                    [
                        TableText.shortened(cell.title, to: 30), NumberText.rate(cell.score.recall),
                        NumberText.interval(cell.score.recall),
                        pair(cell.score.measuredFrequencySkewError, scale: 100),
                        pair(cell.score.measuredTimeSkewError, scale: 100),
                        pair(cell.score.offsetError, scale: 1000),
                    ]
                })
    }

    private static func groups(_ model: ReportModel) -> [String] {
        let head = ["Conditions", "positives", "recall", "95 % interval", "wrong", "negatives", "accepted"]
        let rows = model.groups.map { group in
            let counts = group.score.outcomes
            return [
                group.group.title, NumberText.count(counts.positives), NumberText.rate(group.score.recall),
                NumberText.interval(group.score.recall), NumberText.count(counts.wrongReference),
                NumberText.count(counts.negatives), NumberText.count(counts.falseAccept),
            ]
        }
        return aligned([head] + rows)
    }

    /// Rows with their first column flush left and the others flush right.
    private static func aligned(_ rows: [[String]]) -> [String] {
        TableText.aligned(rows, flushRight: Set(1..<max(2, rows.map(\.count).max() ?? 0)))
    }
}
