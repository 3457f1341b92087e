import Evaluation
import Matchers
import Metrics
import Studies

/// An arena as a page that opens without a network.
enum ArenaPage {
    static func html(_ model: ArenaModel, origin: MeasurementOrigin, charts: ChartLibrary?) throws -> String {
        let facts = model.standings[0].model.facts
        let counts = model.standings[0].model.overall.outcomes
        return try FigurePage(
            title: "\(model.standings.count) matchers on \(facts.corpusName)", verdict: verdict(model),
            scope:
                "\(NumberText.count(counts.positives)) positive and \(NumberText.count(counts.negatives)) negative "
                + "queries of plan \(facts.planName), the same for all, against "
                + "\(NumberText.count(facts.referenceCount)) references of "
                + "\(NumberText.seconds(facts.referenceSeconds)).",
            sections: [
                leaderboard(model), prices(model), severities(model), groups(model), pairs(model),
                finds(model),
            ],
            origin: origin,
            notes: notes(model),
            files:
                "leaderboard.csv holds every figure, cells.csv every condition, pairs.csv every two contestants and "
                + "alone.csv the queries that one contestant alone finds; each contestant’s folder holds its report."
        ).html(charts: charts)
    }

    private static func verdict(_ model: ArenaModel) -> String {
        let best = model.standings[0]
        let first =
            "\(best.name) finds most at 1 % false accepts: \(NumberText.rate(best.recall)) "
            + "(\(NumberText.interval(best.recall)))"
        guard let next = model.standings.dropFirst().first,
            let pair = model.pairs.first(where: { $0.first == 0 && $0.second == 1 })
        else { return first + "." }
        let rate = NumberText.rate(next.recall)
        return pair.probability < 0.05
            ? "\(first), before \(next.name) with \(rate)."
            : "\(first); \(next.name) with \(rate) is not surely behind."
    }

    private static func notes(_ model: ArenaModel) -> [String] {
        model.failures.map { "\($0.name) could not be measured: \($0.message)" }
            + model.standings.filter { $0.model.overall.errors > 0 }.map { standing in
                let errors = standing.model.trials.filter { $0.record.error != nil }
                let counts = [errors.count, standing.model.trials.count].map(NumberText.count)
                return "\(standing.name) erred in \(counts[0]) of \(counts[1]) trials, which count as "
                    + "not found; the first: \(errors.first?.record.error ?? "")"
            } + [
                "A built-in matcher gets samples as they are, a program of its own 16-bit WAV files of them.",
                "Processor time of a program counts all its processes, those that have ended in ticks of 10 ms.",
            ]
    }

    private static func leaderboard(_ model: ArenaModel) -> FigureSection {
        func table(_ caption: String, _ columns: [ArenaText.Column]) -> FigureTable {
            FigureTable(
                caption, head: "Contestant", columns: columns.map(\.head),
                rows: model.standings.map { standing in (standing.name, columns.map { $0.text(standing) }) })
        }
        return FigureSection(
            id: "leaderboard", title: "Leaderboard",
            text:
                "FA are false accepts. A threshold for 1 % or 0 of them is fitted on the negatives it is reported on, "
                + "the same favour to each. Errors are median / 95th percentile of right answers at the matcher's own "
                + "threshold, to the nearest place that sounds the same; strict is to the true place alone. Within 10 "
                + "and 100 ms are shares of all positives.",
            charts: [],
            tables: [
                table("Found", ArenaText.accuracy), table("How exactly", ArenaText.exactness),
                table("At what cost", ArenaText.cost),
            ])
    }

    /// Recall against what it costs, a point a contestant.
    private static func prices(_ model: ArenaModel) -> FigureSection {
        func chart(_ id: String, _ title: String, _ axis: String, _ price: (ArenaStanding) -> Double?)
            -> LineChart
        {
            let series = model.standings.compactMap { standing -> LineChart.Series? in
                guard let price = price(standing), price > 0, let rate = standing.recall.rate else {
                    return nil
                }
                let range = standing.recall.wilsonInterval()
                return LineChart.Series(
                    name: standing.name,
                    points: [
                        .init(
                            x: price, y: rate * 100, lower: range.map { $0.lower * 100 },
                            upper: range.map { $0.upper * 100 })
                    ])
            }
            return LineChart(
                id: id, title: title, caption: "At 1 % false accepts; up and to the left is better.",
                xAxis: axis,
                yAxis: "recall, %", xScale: .logarithmic, most: 100, series: series)
        }
        return FigureSection(
            id: "prices", title: "What recall costs", text: "The tables above hold the same figures.",
            charts: [
                chart("price-time", "Processor time", "mean ms a query") { $0.meanProcessorMilliseconds },
                chart("price-index", "Index", "MB an hour of references") {
                    $0.model.indexBytesPerHour.map { $0 / 1e6 }
                },
            ].filter { !$0.series.isEmpty }, tables: [])
    }

    /// Recall over the severities of every family that has at least three.
    private static func severities(_ model: ArenaModel) -> FigureSection {
        let cells = model.standings[0].model.cells.filter { $0.score.outcomes.positives > 0 }
        var families: [String] = []
        for cell in cells where !families.contains(cell.key.degradation) {
            families.append(cell.key.degradation)
        }
        let charts = families.enumerated().compactMap { number, family -> LineChart? in
            let members = cells.filter { $0.key.degradation == family }
            let isLength = Set(members.map(\.key.lengthSeconds)).count == members.count && members.count > 1
            func x(_ cell: CellScore) -> Double? { isLength ? cell.key.lengthSeconds : cell.severityValue }
            guard Set(members.compactMap(x)).count == members.count, members.count >= 3 else { return nil }
            let series = model.standings.map { standing in
                let trials = Dictionary(grouping: standing.model.trials) { CellScore.Key($0.record) }
                let points = members.compactMap { cell -> LineChart.Point? in
                    guard let x = x(cell), let rate = standing.recall(of: trials[cell.key] ?? []).rate else {
                        return nil
                    }
                    return .init(x: x, y: rate * 100)
                }
                return LineChart.Series(name: standing.name, points: points.sorted { $0.x < $1.x })
            }
            let unit = members.lazy.compactMap { $0.key.severity.split(separator: " ").dropFirst().first }
                .first
            return LineChart(
                id: "family-\(number)", title: family, caption: "Right answers at 1 % false accepts.",
                xAxis: isLength ? "query length, s" : unit.map { "severity, \($0)" } ?? "severity",
                yAxis: "recall, %", most: 100, series: series)
        }
        return FigureSection(
            id: "severities", title: "By severity",
            text: charts.isEmpty
                ? "No family of this plan has three severities."
                : "Each at its own threshold for 1 % false accepts over the whole run.", charts: charts,
            tables: [])
    }

    private static func groups(_ model: ArenaModel) -> FigureSection {
        let groups = model.standings[0].model.groups
        func table(_ caption: String, _ figure: (ArenaStanding, ReportModel.GroupScore) -> Proportion)
            -> FigureTable
        {
            FigureTable(
                caption, head: "Conditions", columns: model.standings.map(\.name),
                rows: groups.map { group in
                    (
                        group.group.title,
                        model.standings.map { standing in
                            standing.model.groups.first { $0.group == group.group }
                                .map { NumberText.rate(figure(standing, $0)) } ?? NumberText.missing
                        }
                    )
                })
        }
        return FigureSection(
            id: "groups", title: "By conditions", text: "Every contestant over the same queries.", charts: [],
            tables: [
                table("Recall at 1 % false accepts") { standing, group in
                    let keys = Set(group.cells.map(\.key))
                    return standing.recall(
                        of: standing.model.trials.filter { keys.contains(CellScore.Key($0.record)) })
                },
                table("Recall at the own threshold") { $1.score.recall },
                table("False accepts at the own threshold") { $1.score.falseAcceptRate },
            ])
    }

    private static func pairs(_ model: ArenaModel) -> FigureSection {
        FigureSection(
            id: "pairs", title: "Every two",
            text:
                "Positives that one of two found and the other did not, at 1 % false accepts each. The difference is the "
                + "second's recall minus the first's; p is the more cautious of exact McNemar and sign flips by "
                + "recording, corrected after Holm over all pairs.", charts: [],
            tables: [
                FigureTable(
                    "Pairs", head: "First, second", columns: ArenaText.pairHeads,
                    rows: model.pairs.map { pair in
                        (
                            "\(model.standings[pair.first].name), \(model.standings[pair.second].name)",
                            ArenaText.pair(pair)
                        )
                    })
            ])
    }

    private static func finds(_ model: ArenaModel) -> FigureSection {
        FigureSection(
            id: "alone", title: "Who alone finds what",
            text: "Positives found at 1 % false accepts by every contestant, by none, and by one alone.",
            charts: [],
            tables: [
                FigureTable(
                    "Found", head: "Conditions",
                    columns: ["positives", "by all", "by none"] + model.standings.map { "only \($0.name)" },
                    rows: model.finds.map { finds in
                        (
                            finds.title,
                            ([finds.positives, finds.all, finds.none] + finds.alone).map(NumberText.count)
                        )
                    })
            ])
    }
}
