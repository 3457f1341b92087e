import Evaluation
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
        lines += ladder(model)
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
        var rows = figures(score, of: .rate)
        // Figures from a fitted tail are projections, which only the page shows.
        for figure in model.separation?.recalls ?? []
        where figure.catalogGrowth == 1 && figure.evidence == .counted {
            let rate = "\(NumberText.plain(figure.falseAcceptRate * 100))\(NumberText.blank)%"
            rows.append(row("Recall at \(rate) false accepts", figure.recall))
        }
        if let rate = model.separation?.equalErrorRate { rows.append(row("Equal error rate", rate)) }
        rows += figures(score, of: .error)
        if let reliability = model.reliability {
            rows.append([
                "Confidence", "error " + NumberText.significant(reliability.expectedCalibrationError),
                "Brier " + NumberText.significant(reliability.brierScore),
                "\(NumberText.count(reliability.count)) answers",
            ])
        }
        rows += figures(score, of: .latency)
        rows += model.withoutSuspects?.tableRows ?? []
        var lines = [what(model), ""] + aligned(rows)
        if let stages = StageShares(model.facts) { lines.append(stages.words) }
        return lines + problems(model)
    }

    /// A row for each figure of a kind, with those of its parts below.
    private static func figures(_ score: Scorecard, of kind: ScoreFigure.Kind) -> [[String]] {
        let shown = ScoreFigure.shown(in: .terminal).filter { $0.kind == kind }
        return shown.filter { $0.partOf == nil }.flatMap { whole -> [[String]] in
            let source = whole.source(in: score)?.id
            let parts = shown.filter { $0.partOf?.id == whole.id && $0.id != source }
            let rows = parts.map { row("  " + ($0.partOf?.title ?? $0.title), $0, score) }
            return ([row(whole.title, whole, score)] + rows).compactMap(\.self)
        }
    }

    /// Nil without a value.
    private static func row(_ name: String, _ figure: ScoreFigure, _ score: Scorecard) -> [String]? {
        switch figure.value {
        // Without negatives every threshold has none.
        case .rate(_, .fitted) where score.outcomes.negatives == 0: return nil
        case .rate(let rate, _):
            let range = NumberText.range(of: figure, in: score)
            return [name, NumberText.rate(rate(score)), range, NumberText.counts(rate(score))]
        case .audio(let seconds, let recordings):
            let audio = "\(NumberText.seconds(seconds(score))) of \(NumberText.count(recordings(score)))"
            return [name, "", "", audio + " recordings"]
        case .count(let count): return [name, NumberText.count(count(score)), "", ""]
        case .number(_, let number): return number(score).map { [name, NumberText.significant($0), "", ""] }
        case .errors(let unit, _), .first(let unit, _):
            return figure.errors(of: score).map { errors in
                let ends = [errors.medianAbsolute, errors.percentile95Absolute].map {
                    unit == .seconds ? NumberText.seconds($0) : NumberText.skew($0)
                }
                return [
                    name, "median " + ends[0], "p95 " + ends[1], "\(NumberText.count(errors.count)) answers",
                ]
            }
        case .latency:
            return figure.latency(of: score).map { latency in
                [
                    name, "median " + NumberText.milliseconds(latency.median),
                    "p95 " + NumberText.optional(latency.percentile95, NumberText.milliseconds),
                    "\(NumberText.count(latency.count)) queries",
                ]
            }
        }
    }

    private static func row(_ name: String, _ estimate: ClusteredEstimate) -> [String] {
        [
            name, NumberText.share(estimate.value), NumberText.share(estimate.interval),
            "\(NumberText.count(estimate.clusters)) recordings",
        ]
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

    /// The rungs of a ladder of relatedness; none without one.
    private static func ladder(_ model: ReportModel) -> [String] {
        guard !model.ladder.isEmpty else { return [] }
        let head = ["Relation to the reference", "accepted", "95 % interval", "", "confidence", "right"]
        func percent(_ value: Double) -> String { NumberText.share(value) }
        return [""]
            + aligned(
                [head]
                    + model.ladder.map { rung in
                        [
                            rung.all.rung.rawValue, NumberText.rate(rung.all.accepted),
                            NumberText.interval(rung.all.accepted), NumberText.counts(rung.all.accepted),
                            NumberText.optional(rung.all.stated, percent), percent(rung.all.observed),
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
