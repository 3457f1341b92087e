// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics
import Studies
import SystemIO

/// Queries of episodes that share an intro.
package struct IntroReport: Report {
    private let plan: IntroPlanFile
    private let origin: Provenance
    private let records: [IntroRecord]
    private let score: IntroScore
    private let tags: TagScore

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
            let spacing = NumberText.optional(one.spacingPercent) {
                "\(NumberText.plain($0)) %, \(one.episodes ?? 0)"
            }
            return "  \(one.condition), \(NumberText.length(one.lengthSeconds)): \(spacing)"
        }
        if tags.isTooSmall { lines.append("  \(Self.tooSmall)") }
        return lines.joined(separator: "\n")
    }

    private static let tooSmall =
        "Some spacings had no wrong tag, but too few sets to show that 95 % are right. Name more with --sets."

    private static func title(_ cell: IntroScore.Cell) -> String {
        "\(cell.episodes) episodes, \(cell.condition), \(NumberText.length(cell.lengthSeconds))"
    }

    private var page: FigurePage {
        let sets = Set(records.map(\.set)).count
        let errors = records.count { $0.error != nil }
        let tables = [delays, inside, reliable].filter { !$0.tables[0].rows.isEmpty }
        let details = FigureSection(
            id: "details", title: "Details",
            text: "Every condition, other margins, and what was taken for what.",
            folds: ([boundary, tagged, margins] + score.confusions.map(confusion))
                .filter { !$0.tables[0].rows.isEmpty })
        let charts = self.charts
        let curves = FigureSection(
            id: "curves", title: "Right episode after the intro",
            text: "Bands are 95 % intervals, clustered by set. The tables hold the same figures.",
            charts: charts)
        return FigurePage(
            title: "Similar intros: \(origin.matcher.name) \(origin.matcher.version) on \(origin.corpusName)",
            verdict: verdict,
            scope:
                "\(NumberText.count(sets, "set")), \(NumberText.count(records.count, "query", "queries")) of plan "
                + "\(plan.name). An episode is claimed when its log-likelihood ratio against every other answer is at "
                + "least \(NumberText.plain(plan.margin)). Otherwise the answer is ambiguous. Intervals are clustered by set.",
            tiles: tiles, sections: (charts.isEmpty ? [] : [curves]) + tables + [details],
            notes: origin.notes
                + (errors == 0
                    ? []
                    : [
                        "\(errors.counting("query", "queries")) ended with an error. trials.csv has the reasons."
                    ]),
            provenance: ProvenanceContent(origin),
            files:
                "trials.csv holds every query, cells.csv and delays.csv every condition, tags.csv every spacing "
                + "of tags and confusion.csv every mistaken episode.")
    }

    private var verdict: String {
        "Within the intro \(NumberText.rate(complete)) of the queries returned every episode and "
            + "\(NumberText.rate(claimedWithin)) claimed one. After the intro \(NumberText.rate(wrongAfter)) claimed a "
            + "wrong one."
    }

    private var complete: Proportion {
        Proportion(
            clustered: score.inside.flatMap(\.records).map { ($0.set, $0.accepted == $0.episodes) })
    }

    private var claimedWithin: Proportion {
        share(score.inside.flatMap(\.records), .wrong, margin: score.margin)
    }

    private var wrongAfter: Proportion {
        share(score.boundary.flatMap(\.records), .wrong, margin: score.margin)
    }

    private var tiles: [Tile] {
        func tile(_ label: String, _ share: Proportion) -> Tile {
            Tile(label, NumberText.rate(share), [NumberText.interval(share), NumberText.counts(share)])
        }
        let soon = score.boundary.flatMap(\.records).filter { $0.tailSeconds == IntroScore.soonSeconds }
        return [
            tile("All episodes returned within", complete), tile("One claimed within", claimedWithin),
            tile(
                "Right one claimed, \(NumberText.plain(IntroScore.soonSeconds)) s after",
                share(soon, .right, margin: score.margin)),
            tile("Wrong one claimed after", wrongAfter),
        ].filter { $0.value != NumberText.missing }
    }

    private func share(_ records: [IntroRecord], _ verdict: IntroVerdict, margin: Double) -> Proportion {
        Proportion(clustered: records.map { ($0.set, $0.verdict(margin: margin) == verdict) })
    }

    /// One chart for each condition, with a curve for each number of episodes and query length.
    private var charts: [LineChart] {
        plan.conditions.enumerated().compactMap { number, condition in
            let rows = score.boundary.filter { $0.cell.condition == condition.name }
            func name(_ row: IntroScore.Row) -> String {
                "\(row.cell.episodes) episodes, \(NumberText.length(row.cell.lengthSeconds))"
            }
            let series = rows.grouped(by: name).compactMap { name, rows in
                let points = rows.compactMap(Self.point)
                return points.count >= 2 ? LineChart.Series(name: name, points: points) : nil
            }
            if series.isEmpty { return nil }
            return LineChart(
                id: "intro-\(number)", title: "Right episode claimed, \(condition.name)", caption: "",
                xAxis: "end of the query after the intro, s", yAxis: "queries, %", most: 100, series: series)
        }
    }

    private static func point(_ row: IntroScore.Row) -> LineChart.Point? {
        row.cell.tailSeconds.flatMap { LineChart.Point(x: $0, percent: row.right) }
    }
}

extension IntroReport {
    private var delays: FigureSection {
        Self.section(
            "delays", title: "Time to the only right answer",
            note: "The time from the end of the intro until every later query claims only the right episode.",
            head: [
                "Episodes", "Query", "Within 1 s", "95 % interval", "Median", "95th percentile", "Never",
                "Episodes asked", "Sets",
            ],
            rows: score.delays.map { delay in
                Self.head(delay.cell) + [
                    NumberText.rate(delay.soon), NumberText.interval(delay.soon), Self.time(delay.median),
                    Self.time(delay.percentile95), "\(delay.seconds.count { $0 == nil })",
                    "\(delay.soon.trials)", "\(delay.soon.clusters)",
                ]
            })
    }

    private var inside: FigureSection {
        Self.section(
            "inside", title: "Within the intro",
            note:
                "Every episode is right. The matcher should return all, so that metadata can decide, and claim none.",
            head: [
                "Episodes", "Query", "All returned", "95 % interval", "One claimed", "95 % interval",
                "Missed", "Queries",
            ],
            rows: score.inside.map { one in
                Self.head(one.cell) + [
                    NumberText.rate(one.allAccepted), NumberText.interval(one.allAccepted),
                    NumberText.rate(one.wrong), NumberText.interval(one.wrong), NumberText.rate(one.missed),
                    "\(one.wrong.trials)",
                ]
            })
    }

    private var boundary: FigureFold {
        Self.fold(
            "After the intro",
            note:
                "Queries end some time after the intro. “First” counts the right episode in first place, claimed or not.",
            head: [
                "Episodes", "Query", "Ends after", "Right", "95 % interval", "Wrong", "Ambiguous", "Missed",
                "First", "Queries",
            ],
            rows: score.boundary.map { one in
                Self.head(one.cell) + [
                    NumberText.length(one.cell.tailSeconds ?? 0), NumberText.rate(one.right),
                    NumberText.interval(one.right), NumberText.rate(one.wrong),
                    NumberText.rate(one.ambiguous),
                    NumberText.rate(one.missed), NumberText.rate(one.rightFirst), "\(one.right.trials)",
                ]
            })
    }

    private var reliable: FigureSection {
        Self.section(
            "reliable", title: "Smallest reliable spacing of skew tags",
            note:
                "The smallest spacing from which on the 95 % interval of the right tags begins at 95 % or above. ±5 % has room "
                + "for the stated episodes." + (tags.isTooSmall ? " \(Self.tooSmall)" : ""),
            head: ["Condition", "Query", "Spacing", "Episodes that fit", "Right there", "95 % interval"],
            rows: tags.reliable.map { one in
                [
                    one.condition, NumberText.length(one.lengthSeconds),
                    NumberText.optional(one.spacingPercent, Self.percent),
                    NumberText.optional(one.episodes) { NumberText.count($0) },
                    NumberText.optional(one.evidence, NumberText.rate),
                    NumberText.optional(one.evidence, NumberText.interval),
                ]
            })
    }

    private var tagged: FigureFold {
        Self.fold(
            "Skew tags",
            note:
                "The intro is played at the skew of its tag. The skew that the matcher reports, or its free fit, gives the tag.",
            head: [
                "Condition", "Query", "Spacing", "Right tag", "95 % interval", "By the free fit", "Missed",
                "Queries",
            ],
            rows: tags.rows.map { one in
                [
                    one.condition, NumberText.length(one.lengthSeconds), Self.percent(one.spacingPercent),
                    NumberText.rate(one.right), NumberText.interval(one.right),
                    NumberText.rate(one.rightFree), NumberText.rate(one.missed), "\(one.right.trials)",
                ]
            })
    }

    private var margins: FigureFold {
        let tried = Set([0, 2, 4, 6, 8, 10, 12, 16, 20, 30] + [plan.margin]).sorted()
        return Self.fold(
            "Other margins", note: "The same answers, judged with other margins.",
            head: [
                "Margin", "Claimed within the intro", "95 % interval", "Wrong after it",
                "Right, ending 1 s after it",
            ],
            rows: tried.map { margin in
                let after = score.boundary.flatMap(\.records)
                let soon = after.filter { $0.tailSeconds == IntroScore.soonSeconds }
                let claimed = share(score.inside.flatMap(\.records), .wrong, margin: margin)
                return [
                    NumberText.plain(margin) + (margin == plan.margin ? " (in use)" : ""),
                    NumberText.rate(claimed), NumberText.interval(claimed),
                    NumberText.rate(share(after, .wrong, margin: margin)),
                    NumberText.rate(share(soon, .right, margin: margin)),
                ]
            })
    }

    private func confusion(_ matrix: IntroScore.Confusion) -> FigureFold {
        let columns = Array(0..<(matrix.episodes + 3))
        return Self.fold(
            "What \(matrix.episodes) episodes were taken for, \(matrix.condition)",
            note: "Queries of all lengths that end \(NumberText.length(matrix.tailSeconds)) after the intro.",
            head: ["Episode"] + columns.map { matrix.name(ofColumn: $0) },
            rows: matrix.counts.enumerated().map { right, counts in
                ["\(right + 1)"] + counts.map { $0 == 0 ? "·" : "\($0)" }
            })
    }

    private static func section(
        _ id: String, title: String, note: String, head: [String], rows: [[String]]
    ) -> FigureSection {
        FigureSection(
            id: id, title: title, text: note,
            tables: [FigureTable(title, columns: head, rows: rows)])
    }

    private static func fold(_ title: String, note: String, head: [String], rows: [[String]]) -> FigureFold {
        FigureFold(summary: title, tables: [FigureTable(title, columns: head, rows: rows)], more: note)
    }

    /// The heading of a row and its first cell.
    private static func head(_ cell: IntroScore.Cell) -> [String] {
        ["\(cell.episodes), \(cell.condition)", NumberText.length(cell.lengthSeconds)]
    }

    private static func time(_ seconds: Double) -> String {
        seconds.isFinite ? NumberText.length(seconds) : "never"
    }

    private static func percent(_ value: Double) -> String {
        "\(NumberText.plain(value))\(NumberText.blank)%"
    }
}
