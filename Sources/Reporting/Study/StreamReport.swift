import Foundation
import Metrics
import Studies
import SystemIO

/// How soon, how steadily and where streams are recognised, as files and for a terminal.
package struct StreamReport {
    let cells: [StreamedCell]
    let origin: MeasurementOrigin
    let blockFrames: Int
    let leadSeconds: Double

    /// Takes the queries of a study.
    package init(
        queries: [StreamedQuery], origin: MeasurementOrigin, blockFrames: Int, leadSeconds: Double
    ) {
        cells = StreamedCell.cells(of: queries)
        self.origin = origin
        self.blockFrames = blockFrames
        self.leadSeconds = leadSeconds
    }

    /// Writes `streams.csv`, `cells.csv`, `curves.csv` and `streams.html` into `folder`.
    ///
    /// - Parameter charts: the chart library to put into the page; without one the page has tables only.
    /// - Returns: the path of the page.
    package func write(to folder: String, charts: ChartLibrary? = .installed()) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try AtomicFile.write(StreamTables.queries(cells), to: "\(folder)/streams.csv")
        try AtomicFile.write(StreamTables.cells(cells), to: "\(folder)/cells.csv")
        try AtomicFile.write(StreamTables.curves(cells), to: "\(folder)/curves.csv")
        try AtomicFile.write(page.html(charts: charts), to: "\(folder)/streams.html")
        return "\(folder)/streams.html"
    }

    /// A few lines for a terminal.
    package var summary: String {
        cells.map { cell in
            let first = cell.firstRight
            let stable = cell.stable
            let position = cell.position
            return
                "\(cell.cell.slug): \(cell.queries.count) queries, right \(NumberText.rate(cell.everRight)), "
                + "wrong first \(cell.wrongFirst.successes), flips \(cell.queries.reduce(0) { $0 + $1.flips })"
                + (cell.errors > 0 ? ", errors \(cell.errors)" : "") + "\n"
                + "  seconds to the first right answer: median \(Self.time(first.median)), "
                + "p90 \(Self.time(first.percentile90)), last \(Self.time(first.longest)); "
                + "to the stable one: median \(Self.time(stable.median)), p90 \(Self.time(stable.percentile90))\n"
                + "  position error: median \(Self.error(position?.medianAbsolute)), "
                + "p95 \(Self.error(position?.percentile95Absolute)), worst \(Self.error(position?.maximumAbsolute))"
                + "; strict p95 \(Self.error(cell.strictPosition?.percentile95Absolute))"
        }.joined(separator: "\n")
    }

    private static func time(_ seconds: Double?) -> String {
        seconds.map { NumberText.fixed($0, digits: 3) } ?? NumberText.missing
    }

    private static func error(_ seconds: Double?) -> String {
        seconds.map(NumberText.seconds) ?? NumberText.missing
    }

    private var page: FigurePage {
        let queries = cells.reduce(0) { $0 + $1.queries.count }
        let right = Proportion(
            clustered: cells.flatMap(\.queries).map {
                (cluster: $0.cluster, success: $0.firstRightSeconds != nil)
            })
        let lead =
            leadSeconds > 0
            ? " Each began after \(NumberText.length(leadSeconds)) of other music; times count from its end."
            : ""
        return FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), streams of \(origin.corpusName)",
            verdict:
                "\(NumberText.rate(right)) (\(NumberText.interval(right))) of \(NumberText.count(queries)) "
                + "queries were recognised before they ended.",
            scope:
                "Each query is played from its beginning in blocks of \(blockFrames) sample frames; an answer "
                + "comes when the block has been heard in which it is found." + lead,
            sections: [overview, curves], origin: origin,
            files:
                "streams.csv holds every query, cells.csv every condition, curves.csv every point of the curves."
        )
    }

    private var overview: FigureSection {
        FigureSection(
            id: "times", title: "Times",
            text:
                "The first right answer; the right answer that never changes again to another or none; answers "
                + "that were given up; another reference named before a right one; and how far the position that is "
                + "said to be heard lies from the true one, or from the nearest that sounds alike.",
            charts: [],
            tables: [
                FigureTable(
                    "Seconds of each query heard", head: "Condition",
                    columns: [
                        "queries", "ever right", "95 %", "first right, median", "90 %", "stable, median",
                        "90 %",
                        "flips", "wrong first", "position, median", "95 %", "worst", "strict 95 %", "errors",
                    ],
                    rows: cells.map { cell in
                        let (first, stable) = (cell.firstRight, cell.stable)
                        let position = cell.position
                        return (
                            cell.cell.slug,
                            [
                                NumberText.count(cell.queries.count), NumberText.rate(cell.everRight),
                                NumberText.interval(cell.everRight), Self.time(first.median),
                                Self.time(first.percentile90), Self.time(stable.median),
                                Self.time(stable.percentile90),
                                NumberText.count(cell.queries.reduce(0) { $0 + $1.flips }),
                                NumberText.count(cell.wrongFirst.successes),
                                Self.error(position?.medianAbsolute),
                                Self.error(position?.percentile95Absolute),
                                Self.error(position?.maximumAbsolute),
                                Self.error(cell.strictPosition?.percentile95Absolute),
                                NumberText.count(cell.errors),
                            ]
                        )
                    })
            ])
    }

    private var curves: FigureSection {
        FigureSection(
            id: "curves", title: "Answers over the seconds heard",
            text:
                "The share of queries for which a right reference, another one or none is named at each moment. "
                + "Bands are 95 % intervals that count the queries of one recording for no more than they are worth.",
            charts: cells.enumerated().map { number, cell in
                func line(_ name: String, _ share: (StreamedCell.Moment) -> Proportion) -> LineChart.Series {
                    LineChart.Series(
                        name: name,
                        points: cell.moments.compactMap { moment in
                            guard let rate = share(moment).rate, let range = share(moment).wilsonInterval()
                            else {
                                return nil
                            }
                            return .init(
                                x: moment.seconds, y: rate * 100, lower: range.lower * 100,
                                upper: range.upper * 100)
                        })
                }
                return LineChart(
                    id: "curve-\(number + 1)", title: cell.cell.slug,
                    caption: "\(cell.queries.count) queries of \(cell.everRight.clusters) recordings.",
                    xAxis: "seconds heard", yAxis: "queries, %", most: 100,
                    series: [line("right", \.right), line("wrong", \.wrong), line("not yet", \.none)])
            }, tables: [])
    }
}
