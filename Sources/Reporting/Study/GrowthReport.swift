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
            ReportFile("growth.csv", GrowthTables.sizes(points)),
            ReportFile("answers.csv", GrowthTables.answers(points)),
            ReportFile("growth.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String { points.map(Self.summary).joined(separator: "\n") }

    /// One size as a line for a terminal.
    package static func summary(of point: GrowthPoint) -> String {
        let figures = point.figures
        return "\(hours(point.hours)) h (\(hours(point.realHours)) h real): "
            + "recall \(NumberText.rate(figures.recall)) (\(NumberText.interval(figures.recall))) of "
            + "\(NumberText.count(figures.outcomes.positives)), wrong references \(figures.outcomes.wrongReference), "
            + "false accepts \(figures.outcomes.falseAccept) of \(NumberText.count(figures.outcomes.negatives)), CPU "
            + "\(time(figures.positiveSeconds)) a known query, \(time(figures.negativeSeconds)) a negative"
            + (point.indexBytes.map { ", index \(NumberText.bytes(Double($0)))" } ?? "")
            + (figures.errors > 0 ? ", errors \(figures.errors)" : "")
    }

    private static func hours(_ hours: Double) -> String { NumberText.significant(hours, digits: 3) }

    private static func time(_ seconds: Double?) -> String {
        NumberText.optional(seconds) { NumberText.milliseconds($0 * 1000) }
    }

    private var page: FigurePage {
        let (first, last) = (points.first, points.last)
        let verdict = first.flatMap { first in
            last.map { last in
                let (small, large) = (first.figures, last.figures)
                return "Recall is \(NumberText.rate(small.recall)) in \(Self.hours(first.hours)) h and "
                    + "\(NumberText.rate(large.recall)) in \(Self.hours(last.hours)) h; wrong references "
                    + "\(small.outcomes.wrongReference) and \(large.outcomes.wrongReference), false accepts "
                    + "\(small.outcomes.falseAccept) and \(large.outcomes.falseAccept)."
            }
        }
        let counts = first?.figures.outcomes ?? OutcomeCounts()
        return FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), growth of \(origin.corpusName)",
            verdict: verdict ?? "Nothing was measured.",
            scope: "The same \(NumberText.count(counts.positives)) positive and "
                + "\(NumberText.count(counts.negatives)) negative queries at every size. Positives are cut from references "
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
            let share = point.figures.recall
            return Tile(
                "Recall in \(Self.hours(point.hours)) h", NumberText.rate(share),
                [NumberText.interval(share), NumberText.counts(share)])
        }
        let figures = last.figures
        let largest = "in \(Self.hours(last.hours)) h"
        let bytes = last.indexBytes.map { Double($0) / last.hours }
        return (points.count > 1 ? [recall(first)] : []) + [
            recall(last),
            Tile(
                "False accepts \(largest)", NumberText.counts(figures.falseAccepts),
                ["\(NumberText.count(figures.outcomes.wrongReference, "wrong reference"))"]),
            Tile(
                "Processor time \(largest)", Self.time(figures.positiveSeconds),
                ["a known query, median", "a negative \(Self.time(figures.negativeSeconds))"]),
            Tile("Index", NumberText.optional(bytes, NumberText.bytes), ["an hour of references"]),
        ]
    }

    private func line(_ name: String, _ share: (GrowthPoint) -> Proportion) -> LineChart.Series {
        LineChart.Series(
            name: name, points: points.compactMap { LineChart.Point(x: $0.hours, percent: share($0)) })
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
    private func table(
        _ caption: String, _ columns: [String], _ cells: (GrowthPoint) -> [String]
    ) -> FigureTable {
        FigureTable(
            caption, columns: ["Hours"] + columns, rows: points.map { [Self.hours($0.hours)] + cells($0) })
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
            ],
            tables: [
                table(
                    "By size of catalog",
                    ["real hours", "references", "recall", "95 %", "lost", "gained", "p", "errors"]
                ) { point in
                    let figures = point.figures
                    let change = points.first.map(point.compared(with:))
                    return [
                        Self.hours(point.realHours), NumberText.count(point.realReferences),
                        NumberText.rate(figures.recall), NumberText.interval(figures.recall),
                        NumberText.count(change?.onlyBefore ?? 0), NumberText.count(change?.onlyAfter ?? 0),
                        NumberText.probability(points.first.map(point.probability(against:)) ?? 1),
                        NumberText.count(figures.errors),
                    ]
                }
            ])
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
            ],
            tables: [
                table(
                    "Wrong answers by size of catalog",
                    ["wrong references", "of", "95 %", "false accepts", "of", "95 %"]
                ) { point in
                    [point.figures.wrongReferenceRate, point.figures.falseAccepts].flatMap {
                        [
                            NumberText.count($0.successes), NumberText.count($0.trials),
                            NumberText.interval($0),
                        ]
                    }
                }
            ])
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
            ],
            tables: [
                table("Cost by size of catalog", ["a known query", "a negative", "index", "index an hour"]) {
                    point in
                    let bytes = point.indexBytes.map(Double.init)
                    return [
                        Self.time(point.figures.positiveSeconds), Self.time(point.figures.negativeSeconds),
                        NumberText.optional(bytes, NumberText.bytes),
                        NumberText.optional(bytes) { NumberText.bytes($0 / point.hours) },
                    ]
                }
            ])
    }

    private var degradations: FigureSection {
        let names = points.first?.degradations ?? []
        func recalls(of name: String) -> [Proportion] { points.map { $0.figures(of: name).recall } }
        func table(_ names: [String]) -> FigureTable {
            FigureTable(
                "Recall", columns: ["Degradation"] + points.map { "\(Self.hours($0.hours)) h" },
                rows: names.map { [$0] + recalls(of: $0).map { NumberText.rate($0) } })
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
                        summary:
                            "\(NumberText.count(others.count, "degradation")) with the same recall at all sizes",
                        tables: [table(others)])
                ])
    }
}

enum GrowthTables {
    private struct Row {
        let point: GrowthPoint
        /// Empty for all degradations.
        let degradation: String
        let figures: GrowthPoint.Figures
        let change: PairedComparison?
    }

    /// One row for each size, then one for each size and degradation.
    static func sizes(_ points: [GrowthPoint]) -> String {
        typealias Column = CSVTable<Row>.Column
        func share(_ name: String, _ share: @escaping (Row) -> Proportion) -> [Column] {
            Column.share(name, count: "", of: "Of", rate: nil, share)
        }
        let rows =
            points.map {
                Row(
                    point: $0, degradation: "", figures: $0.figures,
                    change: points.first.map($0.compared(with:)))
            }
            + points.flatMap { point in
                point.degradations.map {
                    Row(point: point, degradation: $0, figures: point.figures(of: $0), change: nil)
                }
            }
        return CSVTable(
            [
                Column("hours", number: \.point.hours),
                Column("realHours", number: \.point.realHours),
                Column("realReferences", count: \.point.realReferences),
                Column("degradation", text: \.degradation),
            ] + share("correct", \.figures.recall) + share("wrongReference", \.figures.wrongReferenceRate)
                + share("falseAccept", \.figures.falseAccepts)
                + share("wrongAnswer", \.figures.wrongAnswers)
                + [
                    Column("lostSinceSmallest", count: \.change?.onlyBefore),
                    Column("gainedSinceSmallest", count: \.change?.onlyAfter),
                    Column("exactProbability", number: \.change?.exactProbability),
                    Column("errors", count: \.figures.errors),
                    Column("indexBytes", count: \.point.indexBytes),
                    Column("positiveProcessorSeconds", number: \.figures.positiveSeconds),
                    Column("negativeProcessorSeconds", number: \.figures.negativeSeconds),
                ]
        ).text(rows)
    }

    /// One row for each size and query; the processor time comes last, as it differs from run to run.
    static func answers(_ points: [GrowthPoint]) -> String {
        typealias Row = (hours: Double, answer: GrowthPoint.Answer)
        return CSVTable<Row>([
            .init("hours", number: { $0.hours }),
            .init("trial", text: { $0.answer.trial.record.trial.id }),
            .init("class", text: { $0.answer.trial.cluster }),
            .init("isPositive", flag: { $0.answer.trial.record.trial.isPositive }),
            .init("outcome", text: { $0.answer.trial.outcome.map { "\($0)" } }),
            .init("error", text: { $0.answer.trial.record.error }),
            .init("processorSeconds", number: { $0.answer.processorSeconds }),
        ]).text(points.flatMap { point in point.answers.map { (point.hours, $0) } })
    }
}
