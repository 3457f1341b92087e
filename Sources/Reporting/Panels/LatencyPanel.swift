import Evaluation
import Metrics

/// Latency of found and of unknown queries, by query length.
struct LatencyContent {
    let trials: String
    /// The medians of found and of unknown queries.
    let medians: String
    let table: FigureTable
    let decoding: String

    /// Nil when no query was timed.
    init?(_ model: ReportModel) {
        let timed = model.trials.count { $0.record.latency != nil }
        guard timed > 0 else { return nil }
        trials = NumberText.count(timed)
        let lengths =
            [("all lengths", model.overall.latency)]
            + model.latencies.map { (NumberText.length($0.lengthSeconds), $0.latency) }
        let rows = lengths.flatMap { length, latency in
            [("found", latency.found), ("unknown", latency.unknown)].compactMap { kind, summary in
                summary.map { Self.row("\(kind), \(length)", $0) }
            }
        }
        table = FigureTable(
            "Percentiles in milliseconds", label: "Latency percentiles",
            columns: ["Queries", "Timed", "50 %", "90 %", "95 %", "99 %", "Slowest"], rows: rows)
        let known = [("found", model.overall.latency.found), ("unknown", model.overall.latency.unknown)]
            .compactMap { kind, latency in
                latency.map {
                    "\(kind) queries take \(NumberText.milliseconds($0.median)) (median of \(NumberText.count($0.count)))"
                }
            }
        let words = known.isEmpty ? "too few queries were timed" : known.joined(separator: ", ")
        medians = "\(words.prefix(1).uppercased())\(words.dropFirst())."
        decoding =
            model.decodingTimesRealTime.map {
                "Decoding is not included; it ran at \(NumberText.timesRealTime($0))."
            } ?? "Decoding is not included."
    }

    private static func row(_ name: String, _ one: LatencySummary) -> [String] {
        [name, NumberText.count(one.count)]
            + [one.median, one.percentile90, one.percentile95, one.percentile99, one.maximum].map {
                NumberText.optional($0) { NumberText.significant($0) }
            }
    }
}
