import Evaluation
import Metrics
import Studies
import SystemIO

/// The time to an answer, its stability and its position in streams.
package struct StreamReport: Report {
    let cells: [StreamedCell]
    let origin: Provenance
    let settings: StreamStudy.Settings

    package init(queries: [StreamedQuery], origin: Provenance, settings: StreamStudy.Settings) {
        cells = StreamedCell.cells(of: queries)
        self.origin = origin
        self.settings = settings
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("streams.csv", StreamTables.queries(cells)),
            ReportFile("cells.csv", StreamTables.cells(cells)),
            ReportFile("curves.csv", StreamTables.curves(cells)),
            ReportFile("streams.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String {
        TableText.joined(
            cells.flatMap { cell in
                let first = cell.firstRight
                let stable = cell.stable
                let position = cell.position
                return [
                    "\(cell.title): \(cell.queries.count.counting("query", "queries")), right \(NumberText.rate(cell.everRight)), "
                        + "wrong first \(cell.wrongFirst.successes), flips \(cell.queries.reduce(0) { $0 + $1.flips })"
                        + (cell.errors > 0 ? ", errors \(cell.errors)" : ""),
                    "  seconds to the first right answer: median \(Self.time(first.median)), "
                        + "p90 \(Self.time(first.percentile90)), last \(Self.time(first.longest)); "
                        + "to the stable one: median \(Self.time(stable.median)), p90 \(Self.time(stable.percentile90))",
                    "  position error: median \(Self.duration(position?.medianAbsolute)), "
                        + "p95 \(Self.duration(position?.percentile95Absolute)), worst \(Self.duration(position?.maximumAbsolute))"
                        + "; strict p95 \(Self.duration(cell.strictPosition?.percentile95Absolute))",
                ]
            })
    }

    private static func time(_ seconds: Double?) -> String {
        NumberText.optional(seconds) { NumberText.fixed($0, digits: 3) }
    }

    private static func duration(_ seconds: Double?) -> String {
        NumberText.optional(seconds, NumberText.seconds)
    }

    private var page: FigurePage {
        let right = all?.everRight ?? Proportion(0, of: 0)
        let lead =
            settings.leadSeconds > 0
            ? " Each comes after \(NumberText.length(settings.leadSeconds)) of other music. Times count from its end."
            : ""
        return FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), streams of \(origin.corpusName)",
            verdict:
                "\(NumberText.rate(right)) (\(NumberText.interval(right))) of \(NumberText.count(right.trials)) "
                + "queries were recognised before they ended.",
            scope:
                "Each query is played from its start in blocks of \(NumberText.count(settings.blockFrames)) sample frames. An answer comes after "
                + "the block that decides it." + lead,
            tiles: tiles, sections: [overview, curves], notes: origin.notes,
            provenance: ProvenanceContent(origin),
            files:
                "streams.csv holds every query, cells.csv every condition, curves.csv every point of the curves."
        )
    }

    /// All queries as if of one condition; nil without any.
    private var all: StreamedCell? {
        cells.first.map { StreamedCell(cell: $0.cell, queries: cells.flatMap(\.queries)) }
    }

    private var tiles: [Tile] {
        guard let all else { return [] }
        func tile(_ label: String, _ times: StreamedCell.Times) -> Tile {
            Tile(
                label, Self.duration(times.median),
                ["median", "90\(NumberText.blank)% within \(Self.duration(times.percentile90))"])
        }
        return [
            Tile(
                "Recognised", NumberText.rate(all.everRight),
                [NumberText.interval(all.everRight), NumberText.counts(all.everRight)]),
            tile("First right answer", all.firstRight), tile("Stable answer", all.stable),
            Tile(
                "Another answer first", NumberText.counts(all.wrongFirst),
                ["\(NumberText.counts(all.flipped)) changed their answer"]),
            Tile(
                "Position error", Self.duration(all.position?.medianAbsolute),
                [
                    "median",
                    "95\(NumberText.blank)% below \(Self.duration(all.position?.percentile95Absolute))",
                ]),
        ]
    }

    private var overview: FigureSection {
        FigureSection(
            id: "times", title: "Times",
            text:
                "“Stable” is the right answer that never changes again. “Flips” counts answers that changed. “Wrong "
                + "first” counts queries with another reference before the right one. The position error is the "
                + "distance from the true position, or from the nearest one that sounds the same.",
            tables: [
                FigureTable(
                    "Seconds of the query before the answer",
                    columns: [
                        "Condition", "queries", "ever right", "95 %", "first right, median", "90 %",
                        "stable, median", "90 %", "flips", "wrong first", "errors",
                    ],
                    rows: cells.map { cell in
                        [
                            cell.title, NumberText.count(cell.queries.count),
                            NumberText.rate(cell.everRight), NumberText.interval(cell.everRight),
                            Self.time(cell.firstRight.median), Self.time(cell.firstRight.percentile90),
                            Self.time(cell.stable.median), Self.time(cell.stable.percentile90),
                            NumberText.count(cell.queries.reduce(0) { $0 + $1.flips }),
                            NumberText.count(cell.wrongFirst.successes), NumberText.count(cell.errors),
                        ]
                    }),
                FigureTable(
                    "Position error", columns: ["Condition", "median", "95 %", "worst", "strict 95 %"],
                    rows: cells.map { cell in
                        let position = cell.position
                        return [
                            cell.title, Self.duration(position?.medianAbsolute),
                            Self.duration(position?.percentile95Absolute),
                            Self.duration(position?.maximumAbsolute),
                            Self.duration(cell.strictPosition?.percentile95Absolute),
                        ]
                    }),
            ])
    }

    private var curves: FigureSection {
        FigureSection(
            id: "curves", title: "Answers over time",
            text:
                "The share of queries whose answer at each moment is right, wrong or not there yet. "
                + "Bands are 95 % intervals, clustered by recording.",
            charts: cells.enumerated().map { number, cell in
                func line(_ name: String, _ share: (StreamedCell.Moment) -> Proportion) -> LineChart.Series {
                    LineChart.Series(
                        name: name,
                        points: cell.moments.compactMap { LineChart.Point(x: $0.seconds, percent: share($0)) }
                    )
                }
                return LineChart(
                    id: "curve-\(number + 1)", title: cell.title,
                    caption: "\(NumberText.count(cell.queries.count, "query", "queries")) of "
                        + "\(NumberText.count(cell.everRight.clusters, "recording")).",
                    xAxis: "seconds played", yAxis: "queries, %", most: 100,
                    series: [line("right", \.right), line("wrong", \.wrong), line("not yet", \.none)])
            })
    }
}

extension StreamedCell {
    /// The condition in words.
    fileprivate var title: String {
        let condition = NumberText.condition(severity: cell.severity, lengthSeconds: cell.lengthSeconds)
        return "\(cell.degradation) \(condition)"
    }
}

enum StreamTables {
    static func queries(_ cells: [StreamedCell]) -> String {
        CSVTable<StreamedQuery>([
            .init("trial", text: \.trialID),
            .init("cell", text: \.cell.slug),
            .init("source", text: \.source),
            .init("class", text: \.cluster),
            .init("firstRightSeconds", number: \.firstRightSeconds),
            .init("stableSeconds", number: \.stableSeconds),
            .init("flips", count: \.flips),
            .init("wrongAnswersBeforeRight", count: \.wrongAnswersBeforeRight),
            .init("firstWrongSeconds", number: \.firstWrongSeconds),
            .init("medianPositionErrorSeconds", number: \.medianPositionErrorSeconds),
            .init(
                "medianStrictPositionErrorSeconds",
                number: { Percentile.of($0.positions.strictSeconds.map(abs), at: 0.5) }),
            .init("changes", text: { $0.changes.map(Self.change).joined(separator: " ") }),
            .init("error", text: \.error),
        ]).text(cells.flatMap(\.queries))
    }

    private static func change(_ change: StreamedQuery.Change) -> String {
        let answer =
            switch change.answer {
            case .none: "none"
            case .right: "right"
            case .wrong(let reference): reference
            }
        return "\(change.seconds)=\(answer)"
    }

    static func cells(_ cells: [StreamedCell]) -> String {
        typealias Column = CSVTable<StreamedCell>.Column
        var columns = [
            Column("cell", text: \.cell.slug),
            Column("queries", count: \.queries.count),
            Column("recordings", count: \.everRight.clusters),
        ]
        columns += Column.share("everRight", count: "", rate: nil, \.everRight)
        columns += [
            Column("firstRightMedianSeconds", number: \.firstRight.median),
            Column("firstRightP90Seconds", number: \.firstRight.percentile90),
            Column("stableMedianSeconds", number: \.stable.median),
            Column("stableP90Seconds", number: \.stable.percentile90),
            Column("flips", count: { $0.queries.reduce(0) { $0 + $1.flips } }),
            Column("flippedQueries", count: \.flipped.successes),
            Column("wrongFirst", count: \.wrongFirst.successes),
        ]
        columns += positions("position", \.position) + positions("strictPosition", \.strictPosition)
        return CSVTable(columns + [Column("errors", count: \.errors)]).text(cells)
    }

    private static func positions(
        _ name: String, _ errors: @escaping (StreamedCell) -> ErrorSummary?
    ) -> [CSVTable<StreamedCell>.Column] {
        [
            .init("\(name)MedianSeconds", number: { errors($0)?.medianAbsolute }),
            .init("\(name)P95Seconds", number: { errors($0)?.percentile95Absolute }),
            .init("\(name)WorstSeconds", number: { errors($0)?.maximumAbsolute }),
        ]
    }

    /// One row for each condition and moment.
    static func curves(_ cells: [StreamedCell]) -> String {
        typealias Row = (cell: StreamedCell, moment: StreamedCell.Moment)
        typealias Column = CSVTable<Row>.Column
        func share(_ name: String, _ share: @escaping (StreamedCell.Moment) -> Proportion) -> [Column] {
            Column.share(name, count: "", rate: "Share") { share($0.moment) }
        }
        let columns = [
            Column("cell", text: { $0.cell.cell.slug }),
            Column("seconds", number: { $0.moment.seconds }),
            Column("queries", count: { $0.cell.queries.count }),
        ]
        return CSVTable(columns + share("right", \.right) + share("wrong", \.wrong) + share("none", \.none))
            .text(cells.flatMap { cell in cell.moments.map { (cell, $0) } })
    }
}
