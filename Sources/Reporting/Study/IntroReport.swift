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
            ReportFile("trials.csv", trialColumns, records),
            ReportFile("cells.csv", Self.cellColumns, score.inside + score.boundary),
            ReportFile("delays.csv", Self.delayColumns, score.delays),
            ReportFile("tags.csv", Self.tagColumns, tags.rows),
            ReportFile("confusion.csv", Self.confusionColumns, Self.confusions(score)),
            ReportFile("intros.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String {
        var lines = ["within the intro: all episodes returned, one claimed"]
        lines += score.inside.map {
            "  \(Self.title($0.cell)): \($0.allAccepted.text), \($0.wrong.text) of \($0.wrong.trials)"
        }
        lines.append(
            "only the right episode within \(NumberText.plain(IntroScore.soonSeconds)) s after the intro"
        )
        lines += score.delays.map {
            "  \(Self.title($0.cell)): \($0.soon.text) (\($0.soon.range)) of \($0.soon.trials)"
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
            scope: "\(sets.text("set")), \(records.count.text("query", "queries")) of plan "
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
        "Within the intro \(complete.text) of the queries returned every episode and "
            + "\(claimedWithin.text) claimed one. After the intro \(wrongAfter.text) claimed a "
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
        let soon = score.boundary.flatMap(\.records).filter { $0.tailSeconds == IntroScore.soonSeconds }
        return [
            Tile("All episodes returned within", complete), Tile("One claimed within", claimedWithin),
            Tile(
                "Right one claimed, \(NumberText.plain(IntroScore.soonSeconds)) s after",
                share(soon, .right, margin: score.margin)), Tile("Wrong one claimed after", wrongAfter),
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
            Self.delayColumns, score.delays)
    }

    private var inside: FigureSection {
        Self.section(
            "inside", title: "Within the intro",
            note:
                "Every episode is right. The matcher should return all, so that metadata can decide, and claim none.",
            Self.query + [
                .init("All returned", for: \.allAccepted.text),
                .init("95 % interval", for: \.allAccepted.range), .init("One claimed", for: \.wrong.text),
                .init("95 % interval", for: \.wrong.range), .init("Missed", for: \.missed.text),
                .init("Queries") { "\($0.wrong.trials)" },
            ], score.inside)
    }

    private var boundary: FigureFold {
        Self.fold(
            "After the intro",
            note:
                "Queries end some time after the intro. “First” counts the right episode in first place, claimed or not.",
            Self.query + [
                .init("Ends after") { NumberText.length($0.cell.tailSeconds ?? 0) },
                .init("Right", for: \.right.text), .init("95 % interval", for: \.right.range),
                .init("Wrong", for: \.wrong.text), .init("Ambiguous", for: \.ambiguous.text),
                .init("Missed", for: \.missed.text), .init("First", for: \.rightFirst.text),
                .init("Queries") { "\($0.right.trials)" },
            ], score.boundary)
    }

    private var reliable: FigureSection {
        Self.section(
            "reliable", title: "Smallest reliable spacing of skew tags",
            note:
                "The smallest spacing from which on the 95 % interval of the right tags begins at 95 % or above. ±5 % has room "
                + "for the stated episodes." + (tags.isTooSmall ? " \(Self.tooSmall)" : ""),
            [
                .init("Condition", for: \.condition), .init("Query") { NumberText.length($0.lengthSeconds) },
                .init("Spacing") { NumberText.optional($0.spacingPercent, Self.percent) },
                .init("Episodes that fit") { NumberText.optional($0.episodes) { $0.text } },
                .init("Right there") { NumberText.optional($0.evidence, \.text) },
                .init("95 % interval") { NumberText.optional($0.evidence, \.range) },
            ], tags.reliable)
    }

    private var tagged: FigureFold {
        Self.fold(
            "Skew tags",
            note:
                "The intro is played at the skew of its tag. The skew that the matcher reports, or its free fit, gives the tag.",
            Self.tagColumns, tags.rows)
    }

    private var margins: FigureFold {
        let (inside, after) = (score.inside.flatMap(\.records), score.boundary.flatMap(\.records))
        let soon = after.filter { $0.tailSeconds == IntroScore.soonSeconds }
        let tried = Set([0, 2, 4, 6, 8, 10, 12, 16, 20, 30] + [plan.margin]).sorted()
        return Self.fold(
            "Other margins", note: "The same answers, judged with other margins.",
            [
                .init("Margin") { NumberText.plain($0) + ($0 == plan.margin ? " (in use)" : "") },
                .init("Claimed within the intro") { share(inside, .wrong, margin: $0).text },
                .init("95 % interval") { share(inside, .wrong, margin: $0).range },
                .init("Wrong after it") { share(after, .wrong, margin: $0).text },
                .init("Right, ending 1 s after it") { share(soon, .right, margin: $0).text },
            ], tried)
    }

    private func confusion(_ matrix: IntroScore.Confusion) -> FigureFold {
        return Self.fold(
            "What \(matrix.episodes) episodes were taken for, \(matrix.condition)",
            note: "Queries of all lengths that end \(NumberText.length(matrix.tailSeconds)) after the intro.",
            [.init("Episode") { "\($0.right + 1)" }]
                + (0..<(matrix.episodes + 3)).map { column in
                    .init(matrix.name(ofColumn: column)) { row in
                        row.counts[column] == 0 ? "·" : "\(row.counts[column])"
                    }
                }, matrix.counts.enumerated().map { (right: $0, counts: $1) })
    }

    private static func section<Row>(
        _ id: String, title: String, note: String, _ columns: [Table<Row>.Column], _ rows: [Row]
    ) -> FigureSection {
        FigureSection(id: id, title: title, text: note, tables: [FigureTable(title, columns, rows: rows)])
    }

    private static func fold<Row>(
        _ title: String, note: String, _ columns: [Table<Row>.Column], _ rows: [Row]
    ) -> FigureFold {
        FigureFold(summary: title, tables: [FigureTable(title, columns, rows: rows)], more: note)
    }

    private static func name(_ cell: IntroScore.Cell) -> String { "\(cell.episodes), \(cell.condition)" }

    private static func time(_ seconds: Double) -> String {
        seconds.isFinite ? NumberText.length(seconds) : "never"
    }

    private static func percent(_ value: Double) -> String {
        "\(NumberText.plain(value))\(NumberText.blank)%"
    }
}

extension IntroReport {
    private var trialColumns: [Table<IntroRecord>.Column] {
        let margin = plan.margin
        return [
            .init("kind", text: \.kind.rawValue), .init("set", text: \.set),
            .init("episodes", count: \.episodes), .init("right", count: \.right),
            .init("condition", text: \.condition), .init("lengthSeconds", number: \.lengthSeconds),
            .init("tailSeconds", number: \.tailSeconds), .init("spacingPercent", number: \.spacingPercent),
            .init("snrDecibelsTo4kHz", number: \.snrDecibelsTo4kHz), .init("accepted", count: \.accepted),
            .init("first", count: \.first), .init("lead", number: \.lead),
            .init("verdict", text: { $0.kind == .tag ? nil : $0.verdict(margin: margin).rawValue }),
            .init("frequencySkew", number: \.frequencySkew),
            .init("freeFrequencySkew", number: \.freeFrequencySkew), .init("tag", count: \.tag),
            .init("freeTag", count: \.freeTag), .init("error", text: \.error),
        ]
    }

    /// The heading of a row on the page.
    private static var query: [Table<IntroScore.Row>.Column] {
        [.init("Episodes") { name($0.cell) }, .init("Query") { NumberText.length($0.cell.lengthSeconds) }]
    }

    /// Queries within the intro, and those that end some time after it.
    private static var cellColumns: [Table<IntroScore.Row>.Column] {
        let shares: KeyValuePairs = [
            "right": \IntroScore.Row.right, "wrong": \.wrong, "ambiguous": \.ambiguous, "missed": \.missed,
            "rightFirst": \.rightFirst, "allAccepted": \.allAccepted,
        ]
        return [
            .init("kind", text: { $0.cell.tailSeconds == nil ? "inside" : "boundary" }),
            .init("episodes", count: \.cell.episodes), .init("condition", text: \.cell.condition),
            .init("lengthSeconds", number: \.cell.lengthSeconds),
            .init("tailSeconds", number: \.cell.tailSeconds), .init("sets", count: \.right.clusters),
            .init("trials", count: \.right.trials),
        ] + shares.flatMap { name, share in Table.Column.share(name, ends: ends) { $0[keyPath: share] } }
    }

    private static let ends = ("Low", "High")

    /// How soon the right episode is the only answer.
    private static var delayColumns: [Table<IntroScore.Delays>.Column] {
        [
            .init("Episodes") { name($0.cell) }, .init("episodes", count: \.cell.episodes),
            .init("condition", text: \.cell.condition),
            .init("lengthSeconds", head: "Query", as: NumberText.length, number: \.cell.lengthSeconds),
            .init("Within 1 s", for: \.soon.text), .init("95 % interval", for: \.soon.range),
            .init("sets", count: \.soon.clusters), .init("queriedEpisodes", count: \.soon.trials),
            .init("medianSeconds", number: { $0.median.isFinite ? $0.median : nil }),
            .init("Median") { time($0.median) },
            .init("percentile95Seconds", number: { $0.percentile95.isFinite ? $0.percentile95 : nil }),
            .init("95th percentile") { time($0.percentile95) },
            .init("never", head: "Never", count: { $0.seconds.count { $0 == nil } }),
            .init("Episodes asked") { "\($0.soon.trials)" }, .init("Sets") { "\($0.soon.clusters)" },
        ] + Table.Column.share("withinOneSecond", ends: ends, \.soon)
    }

    /// How often the skew gives the right tag.
    private static var tagColumns: [Table<TagScore.Row>.Column] {
        [
            .init("Condition", for: \.condition), .init("Query") { NumberText.length($0.lengthSeconds) },
            .init("spacingPercent", head: "Spacing", as: percent, number: \.spacingPercent),
            .init("episodesThatFit", count: { IntroDesign.episodes(taggedAt: $0.spacingPercent) }),
            .init("condition", text: \.condition), .init("lengthSeconds", number: \.lengthSeconds),
            .init("sets", count: \.right.clusters), .init("trials", count: \.right.trials),
        ] + Table.Column.share("right", ends: ends, heads: ["Right tag", "95 % interval"], \.right) + [
            .init("rightByFreeFit", number: \.rightFree.rate),
            .init("By the free fit", for: \.rightFree.text), .init("missed", number: \.missed.rate),
            .init("Missed", for: \.missed.text), .init("Queries") { "\($0.right.trials)" },
        ]
    }

    private typealias Confusion = (matrix: IntroScore.Confusion, right: Int, column: Int)

    /// The answers for each episode; those that no trial has are left out.
    private static func confusions(_ score: IntroScore) -> [Confusion] {
        score.confusions.flatMap { matrix in
            matrix.counts.indices.flatMap { right in
                matrix.counts[right].indices.filter { matrix.counts[right][$0] > 0 }.map {
                    (matrix, right, $0)
                }
            }
        }
    }

    private static var confusionColumns: [Table<Confusion>.Column] {
        [
            .init("episodes", count: { $0.matrix.episodes }),
            .init("condition", text: { $0.matrix.condition }),
            .init("tailSeconds", number: { $0.matrix.tailSeconds }),
            .init("episode", count: { $0.right + 1 }),
            .init("takenFor", text: { $0.matrix.name(ofColumn: $0.column) }),
            .init("trials", count: { $0.matrix.counts[$0.right][$0.column] }),
        ]
    }
}

extension IntroScore.Confusion {
    /// The heading of a column of ``counts``.
    fileprivate func name(ofColumn column: Int) -> String {
        switch column - episodes {
        case 0: "another recording"
        case 1: "ambiguous"
        case 2: "missed"
        default: "\(column + 1)"
        }
    }
}
