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
            ["  " + TableText.shortened($0.title, to: 28), $0.score.recall.text]
        }
        let worst = WorstRecordings(model.recordings)
        let recordings = (worst?.recordings ?? []).prefix(mostWeak).map {
            ["  " + TableText.shortened($0.title, to: 25), $0.score.recall.text]
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
                "  \(found.text) of \(measured.count.text("condition")) found everything; "
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
        var lines = model.memoryRemarks + model.trialRemarks
        let unmade = model.trials.filter { $0.outcome == nil && $0.record.error != nil }
        if let first = unmade.first {
            lines.append(
                "\(unmade.count.text("query", "queries")) could not be made and "
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
                        "  " + TableText.shortened(cell.title, to: 52), recall.text, "(\(recall.range))",
                        "\(recall.successes) of \(recall.trials)",
                    ]
                })
        }
        if let worst = WorstRecordings(model.recordings) {
            lines += ["", "Weakest recordings (\(worst.misses) of \(worst.allMisses) misses)"]
            lines += aligned(
                worst.recordings.map { recording in
                    [
                        "  " + TableText.shortened(recording.title, to: 52), recording.score.recall.text,
                        recording.score.recall.counts,
                    ]
                })
        }
        return TableText.joined(lines) + "\n"
    }

    private static func headline(_ model: ReportModel) -> [String] {
        let score = model.overall
        let parts = model.panels.map(\.terminal)
        let rows = [ScoreFigure.Kind.rate, .error, .latency].flatMap { kind in
            figures(score, of: kind) + parts.filter { $0.kind == kind }.flatMap(\.rows)
        }
        let tables = parts.map(\.table).filter { !$0.isEmpty }.flatMap { [""] + aligned($0) }
        return [what(model), ""] + aligned(rows) + parts.compactMap(\.line) + problems(model) + tables
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
            return [name, rate(score).text, range, rate(score).counts]
        case .audio(let seconds, let recordings):
            let audio = "\(NumberText.seconds(seconds(score))) of \(recordings(score).text)"
            return [name, "", "", audio + " recordings"]
        case .count(let count): return [name, count(score).text, "", ""]
        case .number(_, let number): return number(score).map { [name, NumberText.significant($0), "", ""] }
        case .errors(let unit, _), .first(let unit, _):
            return figure.errors(of: score).map { errors in
                let ends = [errors.medianAbsolute, errors.percentile95Absolute].map {
                    unit == .seconds ? NumberText.seconds($0) : NumberText.skew($0)
                }
                return [name, "median " + ends[0], "p95 " + ends[1], "\(errors.count.text) answers"]
            }
        case .latency:
            return figure.latency(of: score).map { latency in
                [
                    name, "median " + NumberText.milliseconds(latency.median),
                    "p95 " + NumberText.milliseconds(latency.percentile95), "\(latency.count.text) queries",
                ]
            }
        }
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
                        TableText.shortened(cell.title, to: 30), cell.score.recall.text,
                        cell.score.recall.range, pair(cell.score.measuredFrequencySkewError, scale: 100),
                        pair(cell.score.measuredTimeSkewError, scale: 100),
                        pair(cell.score.offsetError, scale: 1000),
                    ]
                })
    }

    private static func groups(_ model: ReportModel) -> [String] {
        let columns = Table<ReportModel.GroupScore>([
            .init("Conditions", for: \.group.title), .init("positives", for: \.score.outcomes.positives.text),
            .init("recall", for: \.score.recall.text), .init("95 % interval", for: \.score.recall.range),
            .init("wrong", for: \.score.outcomes.wrongReference.text),
            .init("negatives", for: \.score.outcomes.negatives.text),
            .init("accepted", for: \.score.outcomes.falseAccept.text),
        ])
        return aligned([columns.heads] + model.groups.map(columns.cells))
    }

    /// Rows with their first column flush left and the others flush right.
    private static func aligned(_ rows: [[String]]) -> [String] {
        TableText.aligned(rows, flushRight: Set(1..<max(2, rows.map(\.count).max() ?? 0)))
    }
}
