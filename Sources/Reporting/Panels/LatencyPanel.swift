// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// The latency of found and of unknown queries, by query length.
struct LatencyPanel: ReportPanel {
    private let stages: StageShares?

    init(_ model: ReportModel) { stages = StageShares(model.facts) }

    var terminal: TerminalPart { TerminalPart(line: stages?.words) }

    /// Nil when no query was timed.
    func section(_ model: ReportModel) -> FigureSection? {
        let timed = model.trials.count { $0.record.latency != nil }
        guard timed > 0 else { return nil }
        let table = Self.table(model)
        let decoding =
            model.decodingTimesRealTime.map {
                "Decoding is not included; it ran at \(NumberText.timesRealTime($0))."
            } ?? "Decoding is not included."
        return FigureSection(
            id: "latency", title: "Latency", text: Self.medians(model.overall.latency),
            folds: [
                FigureFold(
                    summary: "Percentiles by query length, and how time is measured",
                    tables: table.rows.isEmpty ? [] : [table],
                    more:
                        "The time from decoded samples to ranked answers, one query at a time, over "
                        + "\(timed.text) random trials. Found queries have a right answer. Unknown queries "
                        + "are of no enrolled recording. A figure needs 30 timed queries. \(decoding)")
            ])
    }

    /// The medians of found and of unknown queries.
    private static func medians(_ latency: LatencyByKind) -> String {
        let known = latency.known.map { kind, one in
            "\(kind) queries take \(NumberText.milliseconds(one.median)) (median of \(one.count.text))"
        }
        let words = known.isEmpty ? "too few queries were timed" : known.joined(separator: ", ")
        return "\(words.prefix(1).uppercased())\(words.dropFirst())."
    }

    private static func table(_ model: ReportModel) -> FigureTable {
        let lengths =
            [("all lengths", model.overall.latency)]
            + model.latencies.map { (NumberText.length($0.lengthSeconds), $0.latency) }
        let rows = lengths.flatMap { length, latency in
            latency.known.map { kind, summary in row("\(kind), \(length)", summary) }
        }
        return FigureTable(
            "Percentiles in milliseconds", label: "Latency percentiles",
            columns: ["Queries", "Timed", "50 %", "90 %", "95 %", "99 %", "Slowest"], rows: rows)
    }

    private static func row(_ name: String, _ one: LatencySummary) -> [String] {
        [name, one.count.text]
            + [one.median, one.percentile90, one.percentile95, one.percentile99, one.maximum].map {
                NumberText.significant($0)
            }
    }
}

extension LatencyByKind {
    /// The summaries that there are, by the kind of queries.
    var known: [(kind: String, summary: LatencySummary)] {
        [("found", found), ("unknown", unknown)].compactMap { kind, summary in summary.map { (kind, $0) } }
    }
}
