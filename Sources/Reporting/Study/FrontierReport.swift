// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics
import Studies

/// The severities at which queries are lost.
package struct FrontierReport: Report {
    private let result: FrontierResult
    private let distributions: [AxisDistribution]

    package init(_ result: FrontierResult) {
        self.result = result
        distributions = result.axes.enumerated().map { number, axis in
            AxisDistribution(axis: axis, limits: result.limits(axis: number), seed: result.facts.seed)
        }
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [ReportFile("frontier.csv", csv), ReportFile("frontier.html", try page.html(charts: charts))]
    }

    /// A table for a terminal, one line for each axis.
    package var summary: String {
        var rows = [["axis", "10 % lost", "50 % lost", "90 % lost", "never", "always", "holes"]]
        for axis in distributions {
            rows.append(
                [axis.axis.name] + axis.quantiles.map { axis.label($0.rung) }
                    + [axis.count(.neverLost), axis.count(.alwaysLost), axis.holes].map(String.init))
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ")
        }
        return (lines + [cost]).joined(separator: "\n")
    }

    private var cost: String {
        "\(result.runs.text) \(result.runs == 1 ? "run" : "runs") of the matcher instead of "
            + "\(result.gridRuns.text) on a full grid"
    }

    /// One row for each query and axis; severities have the unit of the axis, or only a label.
    private var csv: String {
        func label(_ limit: FrontierResult.Limit, _ rung: Int?) -> String? {
            rung.map { result.axes[limit.axis].ladder.rungs[$0].label }
        }
        func number(_ limit: FrontierResult.Limit, _ rung: Int?) -> Double? {
            rung.flatMap { result.axes[limit.axis].ladder.rungs[$0].number }
        }
        return Table<FrontierResult.Limit>([
            .init("axis", text: { result.axes[$0.axis].name }),
            .init("unit", text: { result.axes[$0.axis].unit }),
            .init("query", text: \.query),
            .init("track", text: \.track),
            .init("class", text: \.cluster),
            .init("startSeconds", number: \.startSeconds),
            .init("status", text: \.finding.status.rawValue),
            .init("lastFound", number: { number($0, $0.finding.lastFound) }),
            .init("firstLost", number: { number($0, $0.finding.firstLost) }),
            .init("lastFoundLabel", text: { label($0, $0.finding.lastFound) }),
            .init("firstLostLabel", text: { label($0, $0.finding.firstLost) }),
            .init("outcomeAtFirstLost", text: { $0.lostTrial?.outcome?.rawValue }),
            .init("trialAtFirstLost", text: { $0.lostTrial?.record.trial.id }),
            .init("holes", count: \.finding.holes.count),
            .init(
                "holeRanges",
                text: { limit in
                    limit.finding.holes.map { hole in
                        [hole.lowerBound, hole.upperBound].compactMap { label(limit, $0) }
                            .joined(separator: "..")
                    }.joined(separator: "; ")
                }),
            .init("runs", count: \.finding.answers.count),
            .init("gridRuns", count: \.finding.rungs),
            .init("errors", count: \.errors),
        ]).csv(result.limits)
    }

    private var page: FigurePage {
        let facts = result.facts
        let queries = Set(result.limits.map(\.query)).count
        let clusters = Set(result.limits.map(\.cluster)).count
        return FigurePage(
            title: "Robustness of \(facts.matcher.name) \(facts.matcher.version)",
            verdict: "\(queries.text("query", "queries")) from \(clusters.text("recording")) along "
                + "\(result.axes.count.text("axis", "axes")). "
                + "\(facts.referenceCount.text("reference is", "references are")) enrolled: "
                + "\(facts.corpusName), \(facts.half.rawValue) half.",
            scope: cost + ".", tiles: tiles, sections: [limits(clusters: clusters), curves, holes],
            notes: facts.notes,
            provenance: ProvenanceContent(run: facts),
            files: "frontier.csv holds the limit of every query along every axis.")
    }

    /// The severity by which half of the queries are lost, for each of the first five axes.
    private var tiles: [Tile] {
        distributions.prefix(5).map { axis in
            Tile(
                axis.axis.name, axis.label(axis.quantiles.first { $0.share == 0.5 }?.rung),
                [
                    "half of the queries are lost",
                    "\(axis.count(.neverLost).text) of \(axis.limits.count.text) never",
                ])
        }
    }

    private func limits(clusters: Int) -> FigureSection {
        let warning =
            clusters < 100 ? " With \(clusters.text("recording")) the intervals may be too narrow." : ""
        return FigureSection(
            id: "limits", title: "Limits",
            text:
                "For each query the search finds the severity from which it is lost for good: a coarse scan, then "
                + "bisection. The table gives the severity by which 10 %, 50 % and 90 % of the queries are lost. "
                + "Intervals are 95 %, by bootstrap of recordings. A query is lost when the answer is not the right "
                + "recording. “Wrong” counts queries with another recording as the answer at their limit."
                + warning,
            tables: [
                FigureTable(
                    "Severities by which queries are lost",
                    columns: [
                        "Axis", "Searched", "10 % lost by", "50 % lost by", "90 % lost by", "Never lost",
                        "Always lost", "Wrong", "Holes", "Runs", "On a grid", "Saved",
                    ],
                    styles: [1: "text"], rows: distributions.map(Self.row))
            ])
    }

    private static func row(_ axis: AxisDistribution) -> [String] {
        let rungs = axis.axis.ladder.rungs
        let range = [rungs[0], rungs[rungs.count - 1]].map { NumberText.severity($0.label) }
        let quantiles = axis.quantiles.map { quantile -> String in
            let interval = quantile.interval.map {
                $0.lower == $0.upper
                    ? axis.label($0.lower) : "\(axis.label($0.lower)) to \(axis.label($0.upper))"
            }
            return "\(axis.label(quantile.rung))\n\(interval ?? NumberText.missing)"
        }
        let wrong = axis.limits.count { $0.lostTrial?.outcome == .wrongReference }
        let counts = [
            axis.count(.neverLost), axis.count(.alwaysLost), wrong, axis.holes, axis.runs, axis.gridRuns,
        ].map(\.text)
        let saved = NumberText.significant(Double(axis.gridRuns) / Double(max(1, axis.runs)), digits: 2)
        let steps = "\(rungs.count) steps, \(axis.axis.ladder.scale.rawValue)"
        return [axis.axis.name, "\(range.joined(separator: " to "))\n\(steps)"] + quantiles + counts
            + ["\(saved) ×"]
    }

    private var curves: FigureSection {
        let flat = distributions.filter(\.losesNothing).map(\.axis.name)
        return FigureSection(
            id: "curves", title: "Curves",
            text:
                "The share of queries that are not yet lost for good. The mildest severity is on the left. Bands are "
                + "95 % intervals, clustered by recording. Marks below are holes of single queries."
                + (flat.isEmpty ? "" : " No query is lost along \(flat.joined(separator: ", "))."),
            drawings: distributions.enumerated().filter { !$1.losesNothing }.map { number, axis in
                LimitChart(
                    id: "axis-\(number + 1)", title: axis.axis.name,
                    spoken: "Share of queries still found along \(axis.axis.name). "
                        + axis.quantiles.map { "\(Int($0.share * 100)) % lost by \(axis.label($0.rung))" }
                        .joined(separator: "; ") + ".",
                    labels: axis.axis.ladder.rungs.map { NumberText.severity($0.label) },
                    shares: axis.found.map { share in
                        let interval = share.wilsonInterval() ?? Interval(lower: 0, upper: 1)
                        return (share.rate ?? 0, interval.lower, interval.upper)
                    }, holes: axis.limits.flatMap(\.finding.holes))
            })
    }

    /// A longer table is cut; `frontier.csv` holds all holes.
    private static let mostHoles = 500

    private var holes: FigureSection {
        let all = distributions.flatMap { distribution in
            distribution.limits.flatMap { limit in
                limit.finding.holes.map { Self.row($0, of: limit, on: distribution.axis) }
            }
        }
        let cut = all.count > Self.mostHoles ? "; the table shows \(Self.mostHoles), frontier.csv all" : ""
        return FigureSection(
            id: "holes", title: "Holes",
            text: all.isEmpty
                ? "No query was lost at a severity milder than one at which it was found, among those tried."
                : "\(all.count.text) times a query was lost at one severity and found at a worse one\(cut). "
                    + "The search finds the edges of a hole to one step and does not try every step within it.",
            tables: [
                FigureTable(
                    "Holes",
                    columns: ["Axis", "Query", "Recording", "From second", "Lost at", "Found at", "Outcome"],
                    styles: [1: "text", 2: "text", 4: "text", 5: "text", 6: "text"],
                    rows: Array(all.prefix(Self.mostHoles)))
            ].filter { !$0.rows.isEmpty })
    }

    private static func row(
        _ hole: ClosedRange<Int>, of limit: FrontierResult.Limit, on axis: FrontierAxis
    ) -> [String] {
        let rungs = axis.ladder.rungs
        func label(_ rung: Int) -> String { NumberText.severity(rungs[rung].label) }
        let found = [hole.lowerBound - 1, hole.upperBound + 1].filter(rungs.indices.contains).map(label)
        let lost =
            hole.count == 1
            ? label(hole.lowerBound) : "\(label(hole.lowerBound)) to \(label(hole.upperBound))"
        return [
            axis.name, limit.query, limit.track, NumberText.fixed(limit.startSeconds, digits: 2), lost,
            found.joined(separator: " and "),
            limit.trials[hole.lowerBound]?.outcome.map(\.title) ?? "",
        ]
    }
}

/// The distribution of the limits of all queries along one axis.
struct AxisDistribution {
    /// The severity by which a share of the queries is lost.
    struct Quantile {
        let share: Double
        /// The place of the rung, which is beyond the worst for the number of rungs; nil without queries.
        let rung: Double?
        /// The ends of a 95 % interval; nil with queries of one recording only.
        let interval: Interval?
    }

    let axis: FrontierAxis
    let limits: [FrontierResult.Limit]
    /// For each rung the share of queries that are not lost for good there.
    let found: [Proportion]
    let quantiles: [Quantile]
    let runs: Int
    let gridRuns: Int
    let holes: Int

    static let shares = [0.1, 0.5, 0.9]

    init(axis: FrontierAxis, limits: [FrontierResult.Limit], seed: UInt64) {
        self.axis = axis
        self.limits = limits
        let rungs = axis.ladder.rungs.count
        found = (0..<rungs).map { rung in
            Proportion(
                clustered: limits.map { ($0.cluster, ($0.finding.firstLost ?? rungs) > rung) })
        }
        quantiles = Self.quantiles(limits, rungs: rungs, seed: seed)
        runs = limits.reduce(0) { $0 + $1.finding.answers.count }
        gridRuns = limits.reduce(0) { $0 + $1.finding.rungs }
        holes = limits.reduce(0) { $0 + $1.finding.holes.count }
    }

    /// Whether no query is lost at any severity.
    var losesNothing: Bool { limits.allSatisfy { $0.finding.firstLost == nil && $0.finding.holes.isEmpty } }

    func count(_ status: FrontierFinding.Status) -> Int { limits.count { $0.finding.status == status } }

    /// The label of a rung; `beyond` that of the worst where no rung loses the query.
    func label(_ rung: Double?) -> String {
        guard let rung else { return NumberText.missing }
        let rungs = axis.ladder.rungs
        return Int(rung) < rungs.count
            ? NumberText.severity(rungs[Int(rung)].label)
            : "beyond \(NumberText.severity(rungs[rungs.count - 1].label))"
    }

    /// Order statistics of the rungs from which queries are lost; intervals by bootstrap of recordings.
    private static func quantiles(_ limits: [FrontierResult.Limit], rungs: Int, seed: UInt64) -> [Quantile] {
        let clusters = Dictionary(grouping: limits, by: \.cluster).sorted { $0.key < $1.key }
            .map { $0.value.map { $0.finding.firstLost ?? rungs } }
        func statistics(_ weights: [Int]) -> [Double?] {
            var counts = [Int](repeating: 0, count: rungs + 1)
            for (cluster, weight) in zip(clusters, weights) where weight > 0 {
                for rung in cluster { counts[rung] += weight }
            }
            let total = counts.reduce(0, +)
            return shares.map { share in
                var lost = 0
                return counts.indices.first { rung in
                    lost += counts[rung]
                    return total > 0 && Double(lost) >= share * Double(total)
                }.map(Double.init)
            }
        }
        var bootstrap = ClusterBootstrap(resamples: 999, seed: seed)
        bootstrap.isAccelerated = false
        let estimates = bootstrap.estimates(clusters: clusters.count, statistics: statistics)
        let values = statistics(clusters.map { _ in 1 })
        return zip(shares.indices, values).map { place, value in
            let interval = estimates.isEmpty ? nil : estimates[place]?.interval
            return Quantile(
                share: shares[place], rung: value,
                interval: interval.map {
                    Interval(lower: $0.lower.rounded(.down), upper: $0.upper.rounded(.up))
                })
        }
    }
}
