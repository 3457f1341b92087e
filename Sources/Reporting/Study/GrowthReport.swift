import Evaluation
import Metrics
import Studies

/// Recall, errors and cost as the catalog grows.
package struct GrowthReport: Report {
    let points: [GrowthPoint]
    let origin: Provenance

    /// - Parameter points: the sizes measured so far, rising.
    package init(points: [GrowthPoint], origin: Provenance) {
        self.points = points
        self.origin = origin
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("growth.csv", Self.columns, rows),
            ReportFile(
                "answers.csv", Self.answers,
                points.flatMap { point in point.answers.map { (point.hours, $0) } }),
            ReportFile("growth.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String { points.map(Self.summary).joined(separator: "\n") }

    /// One size as a line for a terminal.
    package static func summary(of point: GrowthPoint) -> String {
        let figures = point.figures
        return "\(hours(point.hours)) h (\(hours(point.realHours)) h real): "
            + "recall \(figures.recall.textWithRange) of "
            + "\(figures.outcomes.positives.text), wrong references \(figures.outcomes.wrongReference), "
            + "false accepts \(figures.outcomes.falseAccept) of \(figures.outcomes.negatives.text), CPU "
            + "\(time(figures.positiveSeconds)) a known query, \(time(figures.negativeSeconds)) a negative"
            + (point.indexBytes.map { ", index \(NumberText.bytes(Double($0)))" } ?? "")
            + (figures.errors > 0 ? ", errors \(figures.errors)" : "")
    }

    private static func hours(_ hours: Double) -> String { NumberText.significant(hours, digits: 3) }

    private static func time(_ seconds: Double?) -> String {
        NumberText.milliseconds(seconds.map { $0 * 1000 })
    }

    private var page: FigurePage {
        let (first, last) = (points.first, points.last)
        let verdict = first.flatMap { first in
            last.map { last in
                let (small, large) = (first.figures, last.figures)
                return "Recall is \(small.recall.text) in \(Self.hours(first.hours)) h and "
                    + "\(large.recall.text) in \(Self.hours(last.hours)) h; wrong references "
                    + "\(small.outcomes.wrongReference) and \(large.outcomes.wrongReference), false accepts "
                    + "\(small.outcomes.falseAccept) and \(large.outcomes.falseAccept)."
            }
        }
        let counts = first?.figures.outcomes ?? OutcomeCounts()
        return FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), growth of \(origin.corpusName)",
            verdict: verdict ?? "Nothing was measured.",
            scope: "The same \(counts.positives.text) positive and "
                + "\(counts.negatives.text) negative queries at every size. Positives are cut from references "
                + "of the smallest catalog. Synthetic references fill a catalog beyond the real ones.",
            tiles: tiles, sections: [recall, wrong, cost, degradations],
            notes: origin.notes
                + points.flatMap { point in
                    point.answers.map(\.trial.record).filter { $0.error != nil }.prefix(5).map {
                        "\($0.trial.id) ended with an error at \(Self.hours(point.hours)) h: \($0.error ?? "")"
                    }
                },
            provenance: ProvenanceContent(origin),
            files: "growth.csv holds every size and degradation, answers.csv every query at every size.")
    }

    private var tiles: [Tile] {
        guard let first = points.first, let last = points.last else { return [] }
        func recall(_ point: GrowthPoint) -> Tile {
            Tile("Recall in \(Self.hours(point.hours)) h", point.figures.recall)
        }
        let figures = last.figures
        let largest = "in \(Self.hours(last.hours)) h"
        return (points.count > 1 ? [recall(first)] : []) + [
            recall(last),
            Tile(
                "False accepts \(largest)", figures.falseAccepts.counts,
                ["\(figures.outcomes.wrongReference.text("wrong reference"))"]),
            Tile(
                "Processor time \(largest)", Self.time(figures.positiveSeconds),
                ["a known query, median", "a negative \(Self.time(figures.negativeSeconds))"]),
            Tile("Index", NumberText.bytes(last.indexBytesPerHour), ["an hour of references"]),
        ]
    }

    private func line(_ name: String, _ share: (GrowthPoint) -> Proportion) -> LineChart.Series {
        .init(name, points, x: \.hours, percent: share)
    }

    private func chart(
        _ id: String, _ title: String, _ caption: String, yAxis: String, yScale: LineChart.Scale = .linear,
        most: Double? = nil, _ series: [LineChart.Series]
    ) -> LineChart {
        LineChart(
            id: "\(id)-chart", title: title, caption: caption, xAxis: "hours in the catalog", yAxis: yAxis,
            xScale: .logarithmic, yScale: yScale, most: most, series: series)
    }

    /// A table with a row for each size.
    private func table(_ caption: String, _ columns: [Column]) -> FigureTable {
        FigureTable(caption, [Self.hours] + columns, rows: sizes)
    }

    private var recall: FigureSection {
        FigureSection(
            id: "recall", title: "Recall",
            text:
                "At the matcher's own threshold. Bands are 95 % intervals, clustered by recording. Lost and gained are "
                + "paired with the smallest catalog. p is the more cautious of the exact McNemar test and sign flips "
                + "by recording.",
            charts: [
                chart(
                    "recall", "Recall", "Right answers of positive queries.", yAxis: "recall, %", most: 100,
                    [line("all", \.figures.recall)])
            ], tables: [table("By size of catalog", Self.real + Self.correct + Self.change + [Self.errors])])
    }

    private var wrong: FigureSection {
        FigureSection(
            id: "wrong", title: "Wrong answers",
            text:
                "A wrong reference is another answer to a positive query. A false accept is any answer to a negative one.",
            charts: [
                chart(
                    "wrong", "Wrong answers", "Of positive and of negative queries.", yAxis: "queries, %",
                    most: 1,
                    [
                        line("wrong references", \.figures.wrongReferenceRate),
                        line("false accepts", \.figures.falseAccepts),
                    ])
            ], tables: [table("Wrong answers by size of catalog", Self.wrong)])
    }

    private var cost: FigureSection {
        func times(_ name: String, _ seconds: (GrowthPoint) -> Double?) -> LineChart.Series {
            LineChart.Series(
                name: name,
                points: points.compactMap { point in
                    seconds(point).flatMap { $0 > 0 ? .init(x: point.hours, y: $0 * 1000) : nil }
                })
        }
        return FigureSection(
            id: "cost", title: "Cost",
            text: "Median processor time of one thread for a query, and the size of the index.",
            charts: [
                chart(
                    "time", "Processor time", "Median of all queries of a kind.", yAxis: "ms a query",
                    yScale: .logarithmic,
                    [
                        times("known queries", \.figures.positiveSeconds),
                        times("negatives", \.figures.negativeSeconds),
                    ])
            ], tables: [table("Cost by size of catalog", Self.times + Self.index)])
    }

    private var degradations: FigureSection {
        let names = points.first?.degradations ?? []
        func recalls(of name: String) -> [Proportion] { points.map { $0.figures(of: name).recall } }
        func table(_ names: [String]) -> FigureTable {
            FigureTable(
                "Recall", columns: ["Degradation"] + points.map { "\(Self.hours($0.hours)) h" },
                rows: names.map { [$0] + recalls(of: $0).map { $0.text } })
        }
        let changed = names.filter { name in
            recalls(of: name).contains { $0.rate != recalls(of: name)[0].rate }
        }
        let others = names.filter { !changed.contains($0) }
        return FigureSection(
            id: "degradations", title: "By degradation",
            text: changed.isEmpty
                ? "Every degradation has the same recall at all sizes."
                : "Recall of each degradation whose recall changes, all severities together.",
            charts: [
                chart(
                    "degradation", "Recall", "Right answers of positive queries.", yAxis: "recall, %",
                    most: 100,
                    changed.prefix(12).map { name in
                        let line = line(name) { $0.figures(of: name).recall }
                        // Bands of many lines would hide each other.
                        return LineChart.Series(
                            name: name, points: line.points.map { .init(x: $0.x, y: $0.y) })
                    }.filter { !$0.points.isEmpty })
            ].filter { !$0.series.isEmpty },
            tables: changed.isEmpty ? [] : [table(changed)],
            folds: others.isEmpty
                ? []
                : [
                    FigureFold(
                        summary: "\(others.count.text("degradation")) with the same recall at all sizes",
                        tables: [table(others)])
                ])
    }
}

extension GrowthReport {
    private struct Row {
        let point: GrowthPoint
        /// Empty for all degradations.
        var degradation = ""
        let figures: GrowthPoint.Figures
        var change: PairedComparison?
        var probability = 1.0
    }

    private typealias Column = Table<Row>.Column

    private var sizes: [Row] {
        points.map { point in
            Row(
                point: point, figures: point.figures, change: points.first.map(point.compared(with:)),
                probability: points.first.map(point.probability(against:)) ?? 1)
        }
    }

    /// One row for each size, then one for each size and degradation.
    private var rows: [Row] {
        sizes
            + points.flatMap { point in
                point.degradations.map { Row(point: point, degradation: $0, figures: point.figures(of: $0)) }
            }
    }

    private static var columns: [Column] {
        [hours] + real + [Column("degradation", text: \.degradation)] + correct + wrong
            + Column.share("wrongAnswer", count: "", of: "Of", rate: nil, \.figures.wrongAnswers) + change + [
                errors
            ] + index + times
    }

    private static var hours: Column { Column("hours", head: "Hours", as: hours, number: \.point.hours) }
    private static var errors: Column { Column("errors", head: "errors", count: \.figures.errors) }

    private static var real: [Column] {
        [
            Column("realHours", head: "real hours", as: hours, number: \.point.realHours),
            Column("realReferences", head: "references", count: \.point.realReferences),
        ]
    }

    private static var correct: [Column] {
        Column.share("correct", count: "", of: "Of", rate: nil, heads: ["recall", "95 %"], \.figures.recall)
    }

    private static var wrong: [Column] {
        func share(_ name: String, _ head: String, _ share: @escaping (Row) -> Proportion) -> [Column] {
            [
                Column(name, head: head, count: { share($0).successes }),
                Column(name + "Of", head: "of", count: { share($0).trials }),
            ] + Column.share(name, rate: nil, share) + [Column("95 %") { share($0).range }]
        }
        return share("wrongReference", "wrong references", \.figures.wrongReferenceRate)
            + share("falseAccept", "false accepts", \.figures.falseAccepts)
    }

    private static var change: [Column] {
        [
            Column("lostSinceSmallest", head: "lost", count: \.change?.onlyBefore),
            Column("gainedSinceSmallest", head: "gained", count: \.change?.onlyAfter),
            Column("exactProbability", number: \.change?.exactProbability),
            Column("p") { NumberText.probability($0.probability) },
        ]
    }

    private static var index: [Column] {
        [
            Column("indexBytes", head: "index", bytes: \.point.indexBytes),
            Column("index an hour") { NumberText.bytes($0.point.indexBytesPerHour) },
        ]
    }

    private static var times: [Column] {
        [
            Column(
                "positiveProcessorSeconds", head: "a known query", as: time, number: \.figures.positiveSeconds
            ),
            Column(
                "negativeProcessorSeconds", head: "a negative", as: time, number: \.figures.negativeSeconds),
        ]
    }

    /// One row for each size and query; the processor time comes last, as it differs from run to run.
    private static var answers: [Table<(hours: Double, answer: GrowthPoint.Answer)>.Column] {
        [
            .init("hours", number: { $0.hours }), .init("trial", text: { $0.answer.trial.record.trial.id }),
            .init("class", text: { $0.answer.trial.cluster }),
            .init("isPositive", flag: { $0.answer.trial.record.trial.isPositive }),
            .init("outcome", text: { $0.answer.trial.outcome.map { "\($0)" } }),
            .init("error", text: { $0.answer.trial.record.error }),
            .init("processorSeconds", number: { $0.answer.processorSeconds }),
        ]
    }
}

extension GrowthPoint { fileprivate var indexBytesPerHour: Double? { indexBytes.map { Double($0) / hours } } }
