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
            ReportFile("streams.csv", Self.queries, cells.flatMap(\.queries)),
            ReportFile("cells.csv", Self.cell + Self.times + Self.positions + Self.errors, cells),
            ReportFile("curves.csv", Self.curves, cells.flatMap { cell in cell.moments.map { (cell, $0) } }),
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
                    "\(cell.title): \(cell.queries.count.counting("query", "queries")), right \(cell.everRight.text), "
                        + "wrong first \(cell.wrongFirst.successes), flips \(cell.flips)"
                        + (cell.errors > 0 ? ", errors \(cell.errors)" : ""),
                    "  seconds to the first right answer: median \(Self.time(first.median)), "
                        + "p90 \(Self.time(first.percentile90)), last \(Self.time(first.longest)); "
                        + "to the stable one: median \(Self.time(stable.median)), p90 \(Self.time(stable.percentile90))",
                    "  position error: median \(NumberText.seconds(position?.medianAbsolute)), "
                        + "p95 \(NumberText.seconds(position?.percentile95Absolute)), worst \(NumberText.seconds(position?.maximumAbsolute))"
                        + "; strict p95 \(NumberText.seconds(cell.strictPosition?.percentile95Absolute))",
                ]
            })
    }

    private static func time(_ seconds: Double?) -> String { NumberText.fixed(seconds, digits: 3) }

    private var page: FigurePage {
        let right = all?.everRight ?? Proportion(0, of: 0)
        let lead =
            settings.leadSeconds > 0
            ? " Each comes after \(NumberText.length(settings.leadSeconds)) of other music. Times count from its end."
            : ""
        return FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), streams of \(origin.corpusName)",
            verdict: "\(right.textWithRange) of \(right.trials.text) "
                + "queries were recognised before they ended.",
            scope:
                "Each query is played from its start in blocks of \(settings.blockFrames.text) sample frames. An answer comes after "
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
                label, NumberText.seconds(times.median),
                ["median", "90\(NumberText.blank)% within \(NumberText.seconds(times.percentile90))"])
        }
        return [
            Tile("Recognised", all.everRight), tile("First right answer", all.firstRight),
            tile("Stable answer", all.stable),
            Tile(
                "Another answer first", all.wrongFirst.counts, ["\(all.flipped.counts) changed their answer"]),
            Tile(
                "Position error", NumberText.seconds(all.position?.medianAbsolute),
                [
                    "median",
                    NumberText.mostBelow(all.position),
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
                    "Seconds of the query before the answer", Self.condition + Self.times + Self.errors,
                    rows: cells), FigureTable("Position error", Self.condition + Self.positions, rows: cells),
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
                    .init(name, cell.moments, x: \.seconds, percent: share)
                }
                return LineChart(
                    id: "curve-\(number + 1)", title: cell.title,
                    caption: "\(cell.queries.count.text("query", "queries")) of "
                        + "\(cell.everRight.clusters.text("recording")).", xAxis: "seconds played",
                    yAxis: "queries, %", most: 100,
                    series: [line("right", \.right), line("wrong", \.wrong), line("not yet", \.none)])
            })
    }
}

extension StreamReport {
    private typealias Column = Table<StreamedCell>.Column

    private static var cell: [Column] { [Column("cell", text: \.cell.slug)] }
    private static var condition: [Column] { [Column("Condition", for: \.title)] }
    private static var errors: [Column] { [Column("errors", head: "errors", count: \.errors)] }

    private static var times: [Column] {
        [
            Column("queries", head: "queries", count: \.queries.count),
            Column("recordings", count: \.everRight.clusters),
        ] + Column.share("everRight", count: "", rate: nil, heads: ["ever right", "95 %"], \.everRight) + [
            Column(
                "firstRightMedianSeconds", head: "first right, median", as: time, number: \.firstRight.median),
            Column("firstRightP90Seconds", head: "90 %", as: time, number: \.firstRight.percentile90),
            Column("stableMedianSeconds", head: "stable, median", as: time, number: \.stable.median),
            Column("stableP90Seconds", head: "90 %", as: time, number: \.stable.percentile90),
            Column("flips", head: "flips", count: \.flips),
            Column("flippedQueries", count: \.flipped.successes),
            Column("wrongFirst", head: "wrong first", count: \.wrongFirst.successes),
        ]
    }

    private static var positions: [Column] {
        func error(_ name: String, _ head: String?, _ seconds: @escaping (StreamedCell) -> Double?) -> Column
        { Column(name + "Seconds", head: head, as: NumberText.seconds, number: seconds) }
        return [
            error("positionMedian", "median", \.position?.medianAbsolute),
            error("positionP95", "95 %", \.position?.percentile95Absolute),
            error("positionWorst", "worst", \.position?.maximumAbsolute),
            error("strictPositionMedian", nil, \.strictPosition?.medianAbsolute),
            error("strictPositionP95", "strict 95 %", \.strictPosition?.percentile95Absolute),
            error("strictPositionWorst", nil, \.strictPosition?.maximumAbsolute),
        ]
    }

    private static var queries: [Table<StreamedQuery>.Column] {
        [
            .init("trial", text: \.trialID), .init("cell", text: \.cell.slug),
            .init("source", text: \.source), .init("class", text: \.cluster),
            .init("firstRightSeconds", number: \.firstRightSeconds),
            .init("stableSeconds", number: \.stableSeconds), .init("flips", count: \.flips),
            .init("wrongAnswersBeforeRight", count: \.wrongAnswersBeforeRight),
            .init("firstWrongSeconds", number: \.firstWrongSeconds),
            .init("medianPositionErrorSeconds", number: \.medianPositionErrorSeconds),
            .init(
                "medianStrictPositionErrorSeconds",
                number: { Percentile.of($0.positions.strictSeconds.map(abs), at: 0.5) }),
            .init("changes", text: { $0.changes.map(change).joined(separator: " ") }),
            .init("error", text: \.error),
        ]
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

    private typealias Moment = (cell: StreamedCell, moment: StreamedCell.Moment)

    /// One row for each condition and moment.
    private static var curves: [Table<Moment>.Column] {
        [
            .init("cell", text: { $0.cell.cell.slug }), .init("seconds", number: { $0.moment.seconds }),
            .init("queries", count: { $0.cell.queries.count }),
        ] + Table.Column.share("right", count: "", rate: "Share") { $0.moment.right }
            + Table.Column.share("wrong", count: "", rate: "Share") { $0.moment.wrong }
            + Table.Column.share("none", count: "", rate: "Share") { $0.moment.none }
    }
}

extension StreamedCell {
    /// The condition in words.
    fileprivate var title: String {
        let condition = NumberText.condition(severity: cell.severity, lengthSeconds: cell.lengthSeconds)
        return "\(cell.degradation) \(condition)"
    }

    fileprivate var flips: Int { queries.reduce(0) { $0 + $1.flips } }
}
