// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Evaluation
import Metrics
import Studies
import SystemIO

/// What a matcher found in a long recording, from when to when.
package struct PassageReport: Report {
    private let outcome: PassageOutcome
    private let origin: Provenance
    private let score: PassageScore

    package init(_ outcome: PassageOutcome, origin: Provenance) {
        self.outcome = outcome
        self.origin = origin
        score = PassageScore(outcome)
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("truth.csv", PassageTables.truth(outcome.airings)),
            ReportFile("passages.csv", PassageTables.passages(score)),
            ReportFile("groups.csv", PassageTables.groups(score)),
            ReportFile("passages.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String { PassageText.summary(score, of: outcome) }

    private var page: FigurePage {
        FigurePage(
            title: "\(origin.matcher.name) \(origin.matcher.version), passages of \(origin.corpusName)",
            verdict:
                "\(NumberText.rate(score.all.found)) (\(NumberText.interval(score.all.found))) of "
                + "\(NumberText.count(score.all.found.trials, "passage")) were found, and "
                + "\(NumberText.rate(score.precision)) of the answers were right.",
            scope:
                "A recording of \(NumberText.seconds(outcome.durationSeconds)) of plan \(origin.planName). An answer "
                + "finds a passage of its reference if both overlap by half of their union. Intervals are "
                + "clustered by reference.",
            tiles: tiles, sections: [timeLine, groups],
            notes: origin.notes + [outcome.error].compactMap(\.self),
            provenance: ProvenanceContent(origin),
            files:
                "passages.csv holds every passage and answer, groups.csv every kind, length and condition, and "
                + "truth.csv the truth.")
    }

    private var tiles: [Tile] {
        let edges = score.conditions.first?.edgeErrors ?? score.all.edgeErrors
        return [
            Tile(
                "Found", NumberText.rate(score.all.found),
                [NumberText.interval(score.all.found), NumberText.counts(score.all.found)]),
            Tile(
                "Right answers", NumberText.rate(score.precision),
                [NumberText.interval(score.precision), NumberText.counts(score.precision)]),
            Tile(
                "Beginnings and ends", NumberText.optional(edges?.medianAbsolute, NumberText.seconds),
                [
                    "median error without crossfades",
                    "95\(NumberText.blank)% below \(NumberText.optional(edges?.percentile95Absolute, NumberText.seconds))",
                ]),
            Tile(
                "False passages", NumberText.count(score.falsePerHour.events),
                [
                    NumberText.optional(score.falsePerHour.rate) {
                        "\(NumberText.significant($0)) an hour"
                    },
                    "\(NumberText.count(score.count(.duplicate), "duplicate")), "
                        + NumberText.count(score.count(.fragment), "fragment"),
                ]),
            Tile(
                "Seconds found", NumberText.optional(score.seconds.recall, NumberText.share),
                [
                    "\(NumberText.optional(score.seconds.precision, NumberText.share)) of found seconds are true"
                ]
            ),
        ]
    }

    private var groups: FigureSection {
        func errors(_ summary: ErrorSummary?) -> [String] {
            [
                NumberText.optional(summary?.medianAbsolute, NumberText.seconds),
                NumberText.optional(summary?.percentile95Absolute, NumberText.seconds),
            ]
        }
        func rows(_ groups: [PassageScore.Group]) -> [[String]] {
            groups.map { group in
                [
                    group.name, NumberText.rate(group.found), NumberText.interval(group.found),
                    NumberText.count(group.found.trials), NumberText.count(group.found.clusters),
                ] + errors(group.beginErrors) + errors(group.endErrors) + errors(group.edgeErrors)
            }
        }
        func table(_ title: String, _ groups: [PassageScore.Group]) -> FigureTable {
            FigureTable(
                title,
                columns: [
                    title, "found", "95 %", "passages", "references", "beginning, median", "95 %",
                    "end, median", "95 %", "hard edge, median", "95 %",
                ], rows: rows(groups))
        }
        return FigureSection(
            id: "groups", title: "Kinds, lengths and conditions",
            text:
                "Errors are those of found passages. A hard edge has no crossfade. In a crossfade the truth is the "
                + "moment at which both are equally loud.",
            tables: [table("Kind", [score.all] + score.kinds), table("Length", score.lengths)]
                + (score.conditions.isEmpty ? [] : [table("Condition", score.conditions)]))
    }

    private var timeLine: FigureSection {
        let hours = max(1, Int(bounded: (outcome.durationSeconds / 3600).rounded(.up)))
        let length = min(3600, max(60, outcome.durationSeconds))
        return FigureSection(
            id: "time", title: "Time line",
            text:
                "The truth is above, the answers are below. Missed passages, false answers, and duplicates or fragments "
                + "have colours of their own. A row is an hour, and rules are 10 min apart.",
            timeLines: (0..<hours).map { hour in
                let start = Double(hour) * 3600
                let blocks = score.rows.flatMap { self.blocks(of: $0, from: start, length: length) }
                return TimeLine(
                    title: "\(hour):00",
                    spoken:
                        "Hour \(hour + 1): \(blocks.count { $0.style == "missed" }) missed, "
                        + "\(blocks.count { $0.style == "wrong" }) false",
                    length: length, blocks: blocks,
                    rules: Array(stride(from: 600, to: length, by: 600)))
            })
    }

    private func blocks(of row: PassageScore.Row, from start: Double, length: Double) -> [TimeLine.Block] {
        func block(_ range: ClosedRange<Double>, top: Int, style: String, _ words: String) -> TimeLine.Block?
        {
            let begin = max(0, range.lowerBound - start)
            let end = min(length, range.upperBound - start)
            guard begin < end else { return nil }
            // Wide enough to be seen.
            return TimeLine.Block(
                start: begin, width: max(end - begin, length / 900), top: top, style: style,
                words:
                    "\(words), \(PassageText.time(range.lowerBound)) to \(PassageText.time(range.upperBound))"
            )
        }
        var blocks: [TimeLine.Block?] = []
        if let airing = row.airing, [.found, .missed].contains(row.verdict) {
            blocks.append(
                block(
                    airing.queryRange, top: 2, style: row.verdict.rawValue,
                    "\(airing.referenceID), \(row.verdict.rawValue)"))
        }
        if let answer = row.answer {
            let style =
                switch row.verdict {
                case .found, .missed, .permitted: "found"
                case .wrong: "wrong"
                case .duplicate, .fragment: "spare"
                }
            blocks.append(
                block(
                    answer.passage.queryRange, top: 28, style: style,
                    "\(answer.passage.referenceID), \(row.verdict.rawValue)"))
        }
        return blocks.compactMap(\.self)
    }
}

/// The score of a recording as lines for a terminal.
package enum PassageText {
    static func summary(_ score: PassageScore, of outcome: PassageOutcome) -> String {
        func rate(_ proportion: Proportion) -> String {
            "\(NumberText.rate(proportion)) (\(NumberText.interval(proportion))), \(NumberText.counts(proportion))"
        }
        var lines = [
            "found \(rate(score.all.found)); right answers \(rate(score.precision)); "
                + "F1 \(NumberText.optional(score.f1, NumberText.share))",
            "  missed \(score.count(.missed)), false \(score.count(.wrong)) "
                + "(\(NumberText.optional(score.falsePerHour.rate) { NumberText.significant($0) }) an hour), "
                + "duplicates \(score.count(.duplicate)), fragments \(score.count(.fragment))",
            "  of the seconds \(NumberText.optional(score.seconds.recall, NumberText.share)) found; "
                + "\(NumberText.optional(score.seconds.precision, NumberText.share)) of found ones true",
        ]
        for group in score.kinds + score.lengths + score.conditions {
            lines.append(
                "  \(group.name): found \(rate(group.found)); hard edges: median "
                    + "\(NumberText.optional(group.edgeErrors?.medianAbsolute, NumberText.seconds)), p95 "
                    + NumberText.optional(group.edgeErrors?.percentile95Absolute, NumberText.seconds))
        }
        if let seconds = outcome.processorSeconds {
            lines.append(
                "  \(NumberText.seconds(seconds)) of processor time, "
                    + NumberText.timesRealTime(outcome.durationSeconds / max(seconds, 1e-9)))
        }
        if let error = outcome.error { lines.append("  \(error)") }
        return TableText.joined(lines)
    }

    /// The score of another program's answers.
    package static func summary(of outcome: PassageOutcome) -> String {
        summary(PassageScore(outcome), of: outcome)
    }

    /// A time as hours, minutes and seconds.
    static func time(_ seconds: Double) -> String {
        let whole = Int(bounded: seconds)
        let rest = NumberText.fixed(seconds - Double(whole / 60 * 60), digits: 2)
        return
            "\(whole / 3600):\(whole / 60 % 60 < 10 ? "0" : "")\(whole / 60 % 60):\(rest.count < 5 ? "0" : "")\(rest)"
    }
}
