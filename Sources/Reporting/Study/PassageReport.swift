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
            ReportFile("truth.csv", PassageTables.truth(outcome)),
            ReportFile("passages.csv", PassageTables.passages, score.rows),
            ReportFile("figures.csv", PassageTables.figures, score.figures),
            ReportFile(
                "groups.csv", PassageTables.groups(),
                [score.all] + score.kinds + score.lengths + score.conditions),
            ReportFile("passages.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String { PassageText.summary(score, of: outcome) }

    private var page: FigurePage {
        FigurePage(
            title: [origin.matcher.name, origin.matcher.version].filter { !$0.isEmpty }.joined(separator: " ")
                + ", passages of \(origin.corpusName)",
            verdict: "\(score.all.found.textWithRange) of "
                + "\(score.all.found.trials.text("passage")) were found, and "
                + (score.precision.trials > 0
                    ? "\(score.precision.text) of the answers were right." : "there was no answer.")
                + longest(.missed, "Longest miss") + longest(.wrong, "Longest false passage"),
            scope:
                "A recording of \(NumberText.seconds(outcome.durationSeconds))"
                + (origin.planName.isEmpty ? "" : " of plan \(origin.planName)") + catalog
                + ". An answer finds a passage of its reference if both overlap by half of their union. Intervals "
                + "are clustered by reference.",
            tiles: tiles, sections: [mistakes, timeLine, groups],
            notes: origin.notes + [outcome.error].compactMap(\.self),
            provenance: origin.planName.isEmpty
                ? ProvenanceContent(withoutPlan: origin) : ProvenanceContent(origin),
            files:
                "passages.csv holds every passage and answer, figures.csv the figures of the whole recording, "
                + "groups.csv those of every kind, length and condition, and truth.csv the truth.")
    }

    private var catalog: String {
        let aired = Set(outcome.airings.map(\.referenceID)).count
        return outcome.catalog.map {
            ", in a catalog of \($0.count.text("reference")), of which \(aired.text) air"
        }
            ?? ""
    }

    /// A sentence; empty if there is none.
    private func longest(_ verdict: PassageScore.Row.Verdict, _ name: String) -> String {
        guard let row = score.mistakes.map({ score.rows[$0] }).first(where: { $0.verdict == verdict })
        else { return "" }
        return " \(name): \(row.referenceID) at \(PassageText.time(row.queryRange.lowerBound)), "
            + "\(NumberText.seconds(row.lengthSeconds))."
    }

    private static let mostListed = 20

    private var mistakes: FigureSection {
        let all = score.mistakes
        let (listed, others) = (all.prefix(Self.mostListed), all.dropFirst(Self.mostListed))
        return FigureSection(
            id: "mistakes", title: "Misses and false passages",
            text:
                all.isEmpty
                ? "Every true passage was found, and no answer was false."
                : "The longest first. The sound begins a second before the passage"
                    + ", that of the reference where it plays.",
            passages: listed.map { number in
                let (row, sound) = (score.rows[number], outcome.sounds[number])
                let sounds = [("recording", sound?.recording), ("reference", sound?.reference)]
                return ListedPassage(
                    id: Self.address(number), style: row.style, verdict: row.verdict.rawValue,
                    name: row.referenceID, words: Self.words(row),
                    sounds: sounds.compactMap { label, sound in
                        sound.map { .init(label: label, data: $0.data.base64EncodedString()) }
                    })
            },
            folds: others.isEmpty
                ? []
                : [
                    FigureFold(
                        summary: "\(others.count.text("shorter one"))",
                        notes: others.map {
                            let row = score.rows[$0]
                            return "\(row.verdict.rawValue) \(row.referenceID) \(Self.words(row))"
                        })
                ])
    }

    private static func address(_ number: Int) -> String { "passage-\(number)" }

    /// Time, length, kind and what is hard about a passage.
    private static func words(_ row: PassageScore.Row) -> String {
        let airing = row.airing
        return
            ([
                "at \(PassageText.time(row.queryRange.lowerBound))", NumberText.seconds(row.lengthSeconds),
                airing?.kind.rawValue,
            ] + (airing.map(PassageScore.conditions(of:)) ?? [])).compactMap(\.self).joined(separator: ", ")
    }

    private var tiles: [Tile] {
        let edges = score.conditions.first?.edgeErrors ?? score.all.edgeErrors
        return [
            Tile("Found", score.all.found), Tile("Right answers", score.precision),
            Tile(
                "Beginnings and ends", NumberText.seconds(edges?.medianAbsolute),
                [
                    "median error without crossfades",
                    NumberText.mostBelow(edges),
                ]),
            Tile(
                "False passages", score.falsePerHour.events.text,
                [
                    NumberText.optional(score.falsePerHour.rate) {
                        "\(NumberText.significant($0)) an hour"
                    },
                    "\(score.count(.duplicate).text("duplicate")), "
                        + score.count(.fragment).text("fragment"),
                ]),
            Tile(
                "Seconds found", NumberText.share(score.seconds.recall),
                ["\(NumberText.share(score.seconds.precision)) of found seconds are true"]),
            Tile(
                "Area over thresholds", NumberText.share(score.area.value),
                [
                    "passages found, with up to \(NumberText.plain(PassageArea.Curve.pooled.mostFalsePerHour)) false an hour",
                    "by reference (PSDS) \(NumberText.share(score.areaByReference.value)), which leaves out "
                        + "references that never air",
                ]),
        ]
    }

    private var groups: FigureSection {
        func table(_ title: String, _ groups: [PassageScore.Group]) -> FigureTable {
            FigureTable(title, PassageTables.groups(title), rows: groups)
        }
        return FigureSection(
            id: "groups", title: "Kinds, lengths and conditions",
            text:
                "The error of hard edges is the median of found passages, and below it what 95 % do not exceed. A hard "
                + "edge is a beginning or an end without a crossfade. groups.csv has both ends apart.",
            tables: [table("Kind", [score.all] + score.kinds), table("Length", score.lengths)]
                + (score.conditions.isEmpty ? [] : [table("Condition", score.conditions)]))
    }

    private var timeLine: FigureSection {
        let listed = Set(score.mistakes.prefix(Self.mostListed))
        let hours = max(1, Int(bounded: (outcome.durationSeconds / 3600).rounded(.up)))
        let length = min(3600, max(60, outcome.durationSeconds))
        return FigureSection(
            id: "time", title: "Time line",
            text:
                "The truth is above, the answers are below. A row is an hour, and rules are 10 min apart. A mistake leads to "
                + "its sound.",
            legend: [
                ("found", "found"), ("missed", "missed"), ("wrong", "false"),
                ("spare", "duplicate or fragment"),
            ],
            timeLines: (0..<hours).map { hour in
                let start = Double(hour) * 3600
                let blocks = score.rows.indices.flatMap { number in
                    self.blocks(
                        of: score.rows[number], from: start, length: length,
                        address: listed.contains(number) ? "#\(Self.address(number))" : "")
                }
                return TimeLine(
                    title: "\(hour):00",
                    spoken:
                        "Hour \(hour + 1): \(blocks.count { $0.style == "missed" }) missed, "
                        + "\(blocks.count { $0.style == "wrong" }) false",
                    length: length, blocks: blocks,
                    rules: Array(stride(from: 600, to: length, by: 600)))
            })
    }

    private func blocks(
        of row: PassageScore.Row, from start: Double, length: Double, address: String
    ) -> [TimeLine.Block] {
        func block(_ range: ClosedRange<Double>?, top: Int, style: String) -> TimeLine.Block? {
            guard let range else { return nil }
            let begin = max(0, range.lowerBound - start)
            let end = min(length, range.upperBound - start)
            guard begin < end else { return nil }
            // Wide enough to be seen.
            return TimeLine.Block(
                start: begin, width: max(end - begin, length / 900), top: top, style: style,
                words:
                    "\(row.referenceID), \(row.verdict.rawValue), \(PassageText.time(range.lowerBound)) to "
                    + PassageText.time(range.upperBound), address: address)
        }
        let isTruth = [.found, .missed].contains(row.verdict)
        return [
            block(isTruth ? row.airing?.queryRange : nil, top: 2, style: row.style),
            block(row.answer?.passage.queryRange, top: 28, style: row.style),
        ].compactMap(\.self)
    }
}

extension PassageScore.Row {
    /// The style of its blocks.
    fileprivate var style: String {
        switch verdict {
        case .found, .permitted: "found"
        case .missed: "missed"
        case .wrong: "wrong"
        case .duplicate, .fragment: "spare"
        }
    }
}

/// The score of a recording as lines for a terminal.
package enum PassageText {
    static func summary(_ score: PassageScore, of outcome: PassageOutcome) -> String {
        func rate(_ proportion: Proportion) -> String { "\(proportion.textWithRange), \(proportion.counts)" }
        var lines = [
            "found \(rate(score.all.found)); right answers \(rate(score.precision)); "
                + "F1 \(NumberText.share(score.f1))",
            "  missed \(score.count(.missed)), false \(score.count(.wrong)) "
                + "(\(NumberText.significant(score.falsePerHour.rate)) an hour), "
                + "duplicates \(score.count(.duplicate)), fragments \(score.count(.fragment))",
            "  of the seconds \(NumberText.share(score.seconds.recall)) found; "
                + "\(NumberText.share(score.seconds.precision)) of found ones true; area over thresholds "
                + "\(NumberText.share(score.area.value)), by reference (PSDS) "
                + NumberText.share(score.areaByReference.value),
        ]
        for group in score.kinds + score.lengths + score.conditions {
            lines.append(
                "  \(group.name): found \(rate(group.found)); hard edges: median "
                    + "\(NumberText.seconds(group.edgeErrors?.medianAbsolute)), p95 "
                    + NumberText.seconds(group.edgeErrors?.percentile95Absolute))
        }
        if let seconds = outcome.processorSeconds {
            lines.append(
                "  \(NumberText.seconds(seconds)) of processor time, "
                    + NumberText.timesRealTime(outcome.durationSeconds / max(seconds, 1e-9)))
        }
        if let error = outcome.error { lines.append("  \(error)") }
        return TableText.joined(lines)
    }

    /// A time as hours, minutes and seconds.
    static func time(_ seconds: Double) -> String {
        let whole = Int(bounded: seconds)
        let rest = NumberText.fixed(seconds - Double(whole / 60 * 60), digits: 2)
        return
            "\(whole / 3600):\(whole / 60 % 60 < 10 ? "0" : "")\(whole / 60 % 60):\(rest.count < 5 ? "0" : "")\(rest)"
    }
}
