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

    /// One size as a line for a terminal.
    package static func summary(of point: GrowthPoint) -> String {
        let figures = point.figures
        return "\(hours(point.hours)) h (\(hours(point.realHours)) h real): "
            + "recall \(NumberText.rate(figures.recall)) (\(NumberText.interval(figures.recall))) of "
            + "\(NumberText.count(figures.counts.positives)), wrong references \(figures.counts.wrongReference), "
            + "false accepts \(figures.counts.falseAccept) of \(NumberText.count(figures.counts.negatives)), CPU "
            + "\(time(figures.positiveSeconds)) a known query, \(time(figures.negativeSeconds)) a negative"
            + (point.indexBytes.map { ", index \(NumberText.bytes(Double($0)))" } ?? "")
            + (figures.errors > 0 ? ", errors \(figures.errors)" : "")
    }

    private static func hours(_ hours: Double) -> String { NumberText.significant(hours, digits: 3) }

    private static func time(_ seconds: Double?) -> String {
        seconds.map { NumberText.milliseconds($0 * 1000) } ?? NumberText.missing
    }

    private var page: FigurePage {
        let (first, last) = (points.first, points.last)
        let verdict = first.flatMap { first in
            last.map { last in
                let (small, large) = (first.figures, last.figures)
                return "Recall is \(NumberText.rate(small.recall)) in \(Self.hours(first.hours)) h and "
                    + "\(NumberText.rate(large.recall)) in \(Self.hours(last.hours)) h; wrong references "
                    + "\(small.counts.wrongReference) and \(large.counts.wrongReference), false accepts "
                    + "\(small.counts.falseAccept) and \(large.counts.falseAccept)."
            }
        }
        let counts = first?.figures.counts ?? OutcomeCounts()
        return FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), growth of \(origin.corpusName)",
            verdict: verdict ?? "Nothing was measured.",
            scope: "The same \(NumberText.count(counts.positives)) positive and "
                + "\(NumberText.count(counts.negatives)) negative queries at every size. Positives are cut from references "
                + "of the smallest catalog. Synthetic references fill a catalog beyond the real ones.",
            sections: [recall, wrong, cost, degradations], origin: origin,
            notes: points.flatMap { point in
                point.answers.filter { $0.error != nil }.prefix(5).map {
                    "\($0.trialID) ended with an error at \(Self.hours(point.hours)) h: \($0.error ?? "")"
                }
            },
            files: "growth.csv holds every size and degradation, answers.csv every query at every size.")
    }

    private func line(_ name: String, scale: Double = 100, _ share: (GrowthPoint) -> Proportion)
        -> LineChart.Series
    {
        LineChart.Series(
            name: name,
            points: points.compactMap { point in
                let share = share(point)
                guard let rate = share.rate, let range = share.wilsonInterval() else { return nil }
                return .init(
                    x: point.hours, y: rate * scale, lower: range.lower * scale, upper: range.upper * scale)
            })
    }

    private var recall: FigureSection {
        FigureSection(
            id: "recall", title: "Recall",
            text:
                "At the matcher's own threshold. Bands are 95 % intervals, clustered by recording. Lost and gained are "
                + "paired with the smallest catalog, which is a stronger test.",
            charts: [
                LineChart(
                    id: "recall-chart", title: "Recall", caption: "Right answers of positive queries.",
                    xAxis: "hours in the catalog", yAxis: "recall, %", xScale: .logarithmic, most: 100,
                    series: [line("all") { $0.figures.recall }])
            ],
            tables: [
                FigureTable(
                    "By size of catalog", head: "Hours",
                    columns: [
                        "real hours", "references", "recall", "95 %", "lost", "gained", "exact p", "errors",
                    ],
                    rows: points.map { point in
                        let figures = point.figures
                        let change = points.first.map(point.compared(with:))
                        return (
                            Self.hours(point.hours),
                            [
                                Self.hours(point.realHours), NumberText.count(point.realReferences),
                                NumberText.rate(figures.recall), NumberText.interval(figures.recall),
                                NumberText.count(change?.onlyBefore ?? 0),
                                NumberText.count(change?.onlyAfter ?? 0),
                                NumberText.probability(change?.exactProbability ?? 1),
                                NumberText.count(figures.errors),
                            ]
                        )
                    })
            ])
    }

    private var wrong: FigureSection {
        FigureSection(
            id: "wrong", title: "Wrong answers",
            text:
                "A wrong reference is another answer to a positive query. A false accept is any answer to a negative one.",
            charts: [
                LineChart(
                    id: "wrong-chart", title: "Wrong answers",
                    caption: "Of positive and of negative queries.",
                    xAxis: "hours in the catalog", yAxis: "queries, %", xScale: .logarithmic, most: 1,
                    series: [
                        line("wrong references") { $0.figures.wrongReferences },
                        line("false accepts") { $0.figures.falseAccepts },
                    ])
            ],
            tables: [
                FigureTable(
                    "Wrong answers by size of catalog", head: "Hours",
                    columns: ["wrong references", "of", "95 %", "false accepts", "of", "95 %"],
                    rows: points.map { point in
                        let figures = point.figures
                        return (
                            Self.hours(point.hours),
                            [figures.wrongReferences, figures.falseAccepts].flatMap {
                                [
                                    NumberText.count($0.successes), NumberText.count($0.trials),
                                    NumberText.interval($0),
                                ]
                            }
                        )
                    })
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
                LineChart(
                    id: "time-chart", title: "Processor time", caption: "Median of all queries of a kind.",
                    xAxis: "hours in the catalog", yAxis: "ms a query", xScale: .logarithmic,
                    yScale: .logarithmic,
                    series: [
                        times("known queries") { $0.figures.positiveSeconds },
                        times("negatives") { $0.figures.negativeSeconds },
                    ])
            ],
            tables: [
                FigureTable(
                    "Cost by size of catalog", head: "Hours",
                    columns: ["a known query", "a negative", "index", "index an hour"],
                    rows: points.map { point in
                        let figures = point.figures
                        let bytes = point.indexBytes.map(Double.init)
                        return (
                            Self.hours(point.hours),
                            [
                                Self.time(figures.positiveSeconds), Self.time(figures.negativeSeconds),
                                bytes.map(NumberText.bytes) ?? NumberText.missing,
                                bytes.map { NumberText.bytes($0 / point.hours) } ?? NumberText.missing,
                            ]
                        )
                    })
            ])
    }

    private var degradations: FigureSection {
        let names = points.first?.degradations ?? []
        return FigureSection(
            id: "degradations", title: "By degradation",
            text: "Recall of each degradation, all severities together.",
            charts: [
                LineChart(
                    id: "degradation-chart", title: "Recall", caption: "Right answers of positive queries.",
                    xAxis: "hours in the catalog", yAxis: "recall, %", xScale: .logarithmic, most: 100,
                    series: names.prefix(12).map { name in
                        let line = line(name) { $0.figures(of: name).recall }
                        // Bands of many lines would hide each other.
                        return LineChart.Series(
                            name: name, points: line.points.map { .init(x: $0.x, y: $0.y) })
                    }.filter { !$0.points.isEmpty })
            ],
            tables: [
                FigureTable(
                    "Recall", head: "Degradation", columns: points.map { "\(Self.hours($0.hours)) h" },
                    rows: names.map { name in
                        (name, points.map { NumberText.rate($0.figures(of: name).recall) })
                    })
            ])
    }
}
