import Evaluation
import Matchers
import Metrics
import Studies

extension IntroContent {
    static func delays(_ score: IntroScore) -> IntroTable {
        IntroTable(
            title: "Time to the only right answer",
            note: "From the end of the intro until every later query claims the right episode and no other.",
            head: [
                "Episodes", "Query", "Within 1 s", "95 % interval", "Median", "95th percentile", "Never",
                "Episodes asked", "Sets",
            ],
            rows: score.delays.map { delay in
                row(
                    delay.cell,
                    [
                        NumberText.rate(delay.soon), NumberText.interval(delay.soon), time(delay.median),
                        time(delay.percentile95), "\(delay.seconds.count { $0 == nil })",
                        "\(delay.soon.trials)",
                        "\(delay.soon.clusters)",
                    ])
            })
    }

    static func inside(_ score: IntroScore) -> IntroTable {
        IntroTable(
            title: "Within the intro",
            note:
                "Every episode is right: all should be returned, for metadata to choose from, and none claimed.",
            head: [
                "Episodes", "Query", "All returned", "95 % interval", "One claimed", "95 % interval",
                "Missed", "Queries",
            ],
            rows: score.inside.map { one in
                row(
                    one.cell,
                    [
                        NumberText.rate(one.allAccepted), NumberText.interval(one.allAccepted),
                        NumberText.rate(one.wrong), NumberText.interval(one.wrong),
                        NumberText.rate(one.missed),
                        "\(one.wrong.trials)",
                    ])
            })
    }

    static func boundary(_ score: IntroScore) -> IntroTable {
        IntroTable(
            title: "After the intro",
            note:
                "By how long after the intro a query ends. “First” counts the right episode in the first place, claimed or not.",
            head: [
                "Episodes", "Query", "Ends after", "Right", "95 % interval", "Wrong", "Ambiguous", "Missed",
                "First", "Queries",
            ],
            rows: score.boundary.map { one in
                row(
                    one.cell,
                    [
                        NumberText.length(one.cell.tailSeconds ?? 0), NumberText.rate(one.right),
                        NumberText.interval(one.right), NumberText.rate(one.wrong),
                        NumberText.rate(one.ambiguous),
                        NumberText.rate(one.missed), NumberText.rate(one.rightFirst), "\(one.right.trials)",
                    ])
            })
    }

    static func reliable(_ tags: TagScore) -> IntroTable {
        IntroTable(
            title: "Smallest reliable spacing of skew tags",
            note:
                "The smallest spacing that, with all larger ones, gives the right tag in 99 % of the queries, and how many episodes fit within ±5 %.",
            head: ["Condition", "Query", "Spacing", "Episodes that fit", "Right there", "95 % interval"],
            rows: tags.reliable.map { one in
                IntroTableRow(
                    name: one.condition,
                    cells: [
                        NumberText.length(one.lengthSeconds),
                        one.spacingPercent.map(percent) ?? NumberText.missing,
                        "\(one.episodes)", one.evidence.map(NumberText.rate) ?? NumberText.missing,
                        one.evidence.map(NumberText.interval) ?? NumberText.missing,
                    ])
            })
    }

    static func tags(_ tags: TagScore) -> IntroTable {
        IntroTable(
            title: "Skew tags",
            note:
                "The intro played at the skew of its tag; the tag is told by the skew that the matcher reports, and by its free fit.",
            head: [
                "Condition", "Query", "Spacing", "Right tag", "95 % interval", "By the free fit", "Missed",
                "Queries",
            ],
            rows: tags.rows.map { one in
                IntroTableRow(
                    name: one.condition,
                    cells: [
                        NumberText.length(one.lengthSeconds), percent(one.spacingPercent),
                        NumberText.rate(one.right),
                        NumberText.interval(one.right), NumberText.rate(one.rightFree),
                        NumberText.rate(one.missed),
                        "\(one.right.trials)",
                    ])
            })
    }

    static func margins(_ model: IntroModel) -> IntroTable {
        IntroTable(
            title: "Other margins",
            note:
                "What the same answers come to when more or less must speak against every other episode for one to be claimed.",
            head: [
                "Margin", "Claimed within the intro", "95 % interval", "Wrong after it",
                "Right, ending 1 s after it",
            ],
            rows: model.margins.map { score in
                func share(_ records: [IntroRecord], _ verdict: IntroVerdict) -> Proportion {
                    Proportion(
                        clustered: records.map { ($0.set, $0.verdict(margin: score.margin) == verdict) })
                }
                let after = score.boundary.flatMap(\.records)
                let claimed = share(score.inside.flatMap(\.records), .wrong)
                return IntroTableRow(
                    name: NumberText.plain(score.margin)
                        + (score.margin == model.plan.margin ? " (in use)" : ""),
                    cells: [
                        NumberText.rate(claimed), NumberText.interval(claimed),
                        NumberText.rate(share(after, .wrong)),
                        NumberText.rate(
                            share(after.filter { $0.tailSeconds == IntroScore.soonSeconds }, .right)),
                    ])
            })
    }

    static func confusion(_ matrix: IntroScore.Confusion) -> IntroTable {
        let columns = Array(0..<(matrix.episodes + 3))
        return IntroTable(
            title: "What \(matrix.episodes) episodes were taken for, \(matrix.condition)",
            note: "Queries of all lengths that end \(NumberText.length(matrix.tailSeconds)) after the intro.",
            head: ["Episode"] + columns.map { matrix.name(ofColumn: $0) },
            rows: matrix.counts.enumerated().map { right, counts in
                IntroTableRow(name: "\(right + 1)", cells: counts.map { $0 == 0 ? "·" : "\($0)" })
            })
    }

    private static func row(_ cell: IntroScore.Cell, _ cells: [String]) -> IntroTableRow {
        IntroTableRow(
            name: "\(cell.episodes), \(cell.condition)",
            cells: [NumberText.length(cell.lengthSeconds)] + cells)
    }

    private static func time(_ seconds: Double) -> String {
        seconds.isFinite ? NumberText.length(seconds) : "never"
    }

    private static func percent(_ value: Double) -> String {
        "\(NumberText.plain(value))\(NumberText.blank)%"
    }
}
