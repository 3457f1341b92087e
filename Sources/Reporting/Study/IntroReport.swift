// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics
import Studies

/// Queries of episodes that share an intro.
package struct IntroReport: Report {
    let plan: IntroPlanFile
    private let origin: Provenance
    private let records: [IntroRecord]
    let score: IntroScore
    let tags: TagScore

    package init(plan: IntroPlanFile, origin: Provenance, records: [IntroRecord]) {
        self.plan = plan
        self.origin = origin
        self.records = records
        score = IntroScore(records, margin: plan.margin)
        tags = TagScore(records)
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("trials.csv", IntroTables.trials(records, margin: plan.margin)),
            ReportFile("cells.csv", IntroTables.cells(score)),
            ReportFile("delays.csv", IntroTables.delays(score)),
            ReportFile("tags.csv", IntroTables.tags(tags)),
            ReportFile("confusion.csv", IntroTables.confusion(score)),
            ReportFile("intros.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String {
        var lines = ["within the intro: all episodes returned, one claimed"]
        lines += score.inside.map {
            "  \(Self.title($0.cell)): \(NumberText.rate($0.allAccepted)), \(NumberText.rate($0.wrong)) of \($0.wrong.trials)"
        }
        lines.append(
            "only the right episode within \(NumberText.plain(IntroScore.soonSeconds)) s after the intro"
        )
        lines += score.delays.map {
            "  \(Self.title($0.cell)): \(NumberText.rate($0.soon)) (\(NumberText.interval($0.soon))) of \($0.soon.trials)"
        }
        guard !tags.rows.isEmpty else { return lines.joined(separator: "\n") }
        lines.append("smallest reliable spacing of skew tags, and episodes that fit in ±5 %")
        lines += tags.reliable.map { one in
            let spacing =
                one.spacingPercent.map { "\(NumberText.plain($0)) %, \(one.episodes)" } ?? NumberText.missing
            return "  \(one.condition), \(NumberText.length(one.lengthSeconds)): \(spacing)"
        }
        return lines.joined(separator: "\n")
    }

    private static func title(_ cell: IntroScore.Cell) -> String {
        "\(cell.episodes) episodes, \(cell.condition), \(NumberText.length(cell.lengthSeconds))"
    }

    private var page: FigurePage {
        let sets = Set(records.map(\.set)).count
        let errors = records.count { $0.error != nil }
        let tables =
            [delays, inside, boundary, reliable, tagged, margins].filter { !$0.tables[0].rows.isEmpty }
            + score.confusions.enumerated().map { confusion($1, number: $0 + 1) }
        let charts = self.charts
        let curves = FigureSection(
            id: "curves", title: "Right episode after the intro",
            text: "Bands are 95 % intervals, clustered by set. The tables hold the same figures.",
            charts: charts)
        return FigurePage(
            title: "Similar intros: \(origin.matcher.name) \(origin.matcher.version) on \(origin.corpusName)",
            verdict: verdict,
            scope:
                "\(sets) \(sets == 1 ? "set" : "sets"), \(NumberText.count(records.count)) queries of plan "
                + "\(plan.name). An episode is claimed when its log-likelihood ratio against every other answer is at "
                + "least \(NumberText.plain(plan.margin)). Otherwise the answer is ambiguous. Intervals are clustered by set.",
            sections: (charts.isEmpty ? [] : [curves]) + tables, origin: origin,
            notes: errors == 0
                ? [] : ["\(errors) queries ended with an error. trials.csv holds the reasons."],
            files:
                "trials.csv holds every query, cells.csv and delays.csv every condition, tags.csv every spacing "
                + "of tags and confusion.csv every mistaken episode.")
    }

    private var verdict: String {
        let inside = score.inside.flatMap(\.records)
        let complete = Proportion(clustered: inside.map { ($0.set, $0.accepted == $0.episodes) })
        let claimed = share(inside, .wrong, margin: score.margin)
        let wrong = share(score.boundary.flatMap(\.records), .wrong, margin: score.margin)
        return
            "Within the intro \(NumberText.rate(complete)) of the queries returned every episode and "
            + "\(NumberText.rate(claimed)) claimed one. After the intro \(NumberText.rate(wrong)) claimed a wrong one."
    }

    func share(_ records: [IntroRecord], _ verdict: IntroVerdict, margin: Double) -> Proportion {
        Proportion(clustered: records.map { ($0.set, $0.verdict(margin: margin) == verdict) })
    }

    /// One chart for each condition, with a curve for each number of episodes and query length.
    private var charts: [LineChart] {
        plan.conditions.enumerated().compactMap { number, condition in
            let rows = score.boundary.filter { $0.cell.condition == condition.name }
            func name(_ row: IntroScore.Row) -> String {
                "\(row.cell.episodes) episodes, \(NumberText.length(row.cell.lengthSeconds))"
            }
            let groups = Dictionary(grouping: rows, by: name)
            var seen: Set<String> = []
            let series = rows.map(name).filter { seen.insert($0).inserted }.compactMap { name in
                let points = (groups[name] ?? []).compactMap(Self.point)
                return points.count >= 2 ? LineChart.Series(name: name, points: points) : nil
            }
            if series.isEmpty { return nil }
            return LineChart(
                id: "intro-\(number)", title: "Right episode claimed, \(condition.name)", caption: "",
                xAxis: "end of the query after the intro, s", yAxis: "queries, %", most: 100, series: series)
        }
    }

    private static func point(_ row: IntroScore.Row) -> LineChart.Point? {
        guard let tail = row.cell.tailSeconds, let rate = row.right.rate,
            let interval = row.right.wilsonInterval()
        else { return nil }
        return .init(x: tail, y: rate * 100, lower: interval.lower * 100, upper: interval.upper * 100)
    }
}
