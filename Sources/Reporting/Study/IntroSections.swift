// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics
import Studies

extension IntroReport {
    var delays: FigureSection {
        Self.section(
            "delays", title: "Time to the only right answer",
            note: "The time from the end of the intro until every later query claims only the right episode.",
            head: [
                "Episodes", "Query", "Within 1 s", "95 % interval", "Median", "95th percentile", "Never",
                "Episodes asked", "Sets",
            ],
            rows: score.delays.map { delay in
                Self.row(
                    delay.cell,
                    [
                        NumberText.rate(delay.soon), NumberText.interval(delay.soon), Self.time(delay.median),
                        Self.time(delay.percentile95), "\(delay.seconds.count { $0 == nil })",
                        "\(delay.soon.trials)",
                        "\(delay.soon.clusters)",
                    ])
            })
    }

    var inside: FigureSection {
        Self.section(
            "inside", title: "Within the intro",
            note:
                "Every episode is right. The matcher should return all, so that metadata can decide, and claim none.",
            head: [
                "Episodes", "Query", "All returned", "95 % interval", "One claimed", "95 % interval",
                "Missed", "Queries",
            ],
            rows: score.inside.map { one in
                Self.row(
                    one.cell,
                    [
                        NumberText.rate(one.allAccepted), NumberText.interval(one.allAccepted),
                        NumberText.rate(one.wrong), NumberText.interval(one.wrong),
                        NumberText.rate(one.missed),
                        "\(one.wrong.trials)",
                    ])
            })
    }

    var boundary: FigureSection {
        Self.section(
            "boundary", title: "After the intro",
            note:
                "Queries end some time after the intro. “First” counts the right episode in first place, claimed or not.",
            head: [
                "Episodes", "Query", "Ends after", "Right", "95 % interval", "Wrong", "Ambiguous", "Missed",
                "First", "Queries",
            ],
            rows: score.boundary.map { one in
                Self.row(
                    one.cell,
                    [
                        NumberText.length(one.cell.tailSeconds ?? 0), NumberText.rate(one.right),
                        NumberText.interval(one.right), NumberText.rate(one.wrong),
                        NumberText.rate(one.ambiguous),
                        NumberText.rate(one.missed), NumberText.rate(one.rightFirst), "\(one.right.trials)",
                    ])
            })
    }

    var reliable: FigureSection {
        Self.section(
            "reliable", title: "Smallest reliable spacing of skew tags",
            note:
                "The smallest spacing from which on 99 % of the queries give the right tag. ±5 % has room for the stated episodes.",
            head: ["Condition", "Query", "Spacing", "Episodes that fit", "Right there", "95 % interval"],
            rows: tags.reliable.map { one in
                (
                    one.condition,
                    [
                        NumberText.length(one.lengthSeconds),
                        one.spacingPercent.map(Self.percent) ?? NumberText.missing,
                        "\(one.episodes)", one.evidence.map(NumberText.rate) ?? NumberText.missing,
                        one.evidence.map(NumberText.interval) ?? NumberText.missing,
                    ]
                )
            })
    }

    var tagged: FigureSection {
        Self.section(
            "tags", title: "Skew tags",
            note:
                "The intro is played at the skew of its tag. The skew that the matcher reports, or its free fit, gives the tag.",
            head: [
                "Condition", "Query", "Spacing", "Right tag", "95 % interval", "By the free fit", "Missed",
                "Queries",
            ],
            rows: tags.rows.map { one in
                (
                    one.condition,
                    [
                        NumberText.length(one.lengthSeconds), Self.percent(one.spacingPercent),
                        NumberText.rate(one.right),
                        NumberText.interval(one.right), NumberText.rate(one.rightFree),
                        NumberText.rate(one.missed),
                        "\(one.right.trials)",
                    ]
                )
            })
    }

    var margins: FigureSection {
        let tried = Set([0, 2, 4, 6, 8, 10, 12, 16, 20, 30] + [plan.margin]).sorted()
        return Self.section(
            "margins", title: "Other margins", note: "The same answers, judged with other margins.",
            head: [
                "Margin", "Claimed within the intro", "95 % interval", "Wrong after it",
                "Right, ending 1 s after it",
            ],
            rows: tried.map { margin in
                let after = score.boundary.flatMap(\.records)
                let soon = after.filter { $0.tailSeconds == IntroScore.soonSeconds }
                let claimed = share(score.inside.flatMap(\.records), .wrong, margin: margin)
                return (
                    NumberText.plain(margin) + (margin == plan.margin ? " (in use)" : ""),
                    [
                        NumberText.rate(claimed), NumberText.interval(claimed),
                        NumberText.rate(share(after, .wrong, margin: margin)),
                        NumberText.rate(share(soon, .right, margin: margin)),
                    ]
                )
            })
    }

    func confusion(_ matrix: IntroScore.Confusion, number: Int) -> FigureSection {
        let columns = Array(0..<(matrix.episodes + 3))
        return Self.section(
            "confusion-\(number)",
            title: "What \(matrix.episodes) episodes were taken for, \(matrix.condition)",
            note: "Queries of all lengths that end \(NumberText.length(matrix.tailSeconds)) after the intro.",
            head: ["Episode"] + columns.map { matrix.name(ofColumn: $0) },
            rows: matrix.counts.enumerated().map { right, counts in
                ("\(right + 1)", counts.map { $0 == 0 ? "·" : "\($0)" })
            })
    }

    private static func section(
        _ id: String, title: String, note: String, head: [String], rows: [(name: String, cells: [String])]
    ) -> FigureSection {
        FigureSection(
            id: id, title: title, text: note,
            tables: [FigureTable(title, head: head[0], columns: Array(head.dropFirst()), rows: rows)])
    }

    private static func row(_ cell: IntroScore.Cell, _ cells: [String]) -> (name: String, cells: [String]) {
        ("\(cell.episodes), \(cell.condition)", [NumberText.length(cell.lengthSeconds)] + cells)
    }

    private static func time(_ seconds: Double) -> String {
        seconds.isFinite ? NumberText.length(seconds) : "never"
    }

    private static func percent(_ value: Double) -> String {
        "\(NumberText.plain(value))\(NumberText.blank)%"
    }
}
