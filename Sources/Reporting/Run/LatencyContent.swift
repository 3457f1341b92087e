import Evaluation
import Metrics

struct LatencyContent {
    let trials: String
    let table: FigureTable
    let spoken: String
    let decoding: String

    init?(_ model: ReportModel) {
        guard let summary = model.overall.latency else { return nil }
        trials = NumberText.count(summary.count)
        let summaries =
            [("All conditions", summary)]
            + model.groups.compactMap { group in group.score.latency.map { (group.group.title, $0) } }
        table = FigureTable(
            "Percentiles in milliseconds", label: "Latency percentiles",
            columns: ["Conditions", "Trials", "50 %", "90 %", "95 %", "99 %", "Slowest"],
            rows: summaries.map { name, one in
                [name, NumberText.count(one.count)]
                    + [one.median, one.percentile90, one.percentile95, one.percentile99, one.maximum].map {
                        NumberText.optional($0) { NumberText.significant($0) }
                    }
            })
        spoken =
            "Distribution of the time to answer over \(trials) trials: median "
            + "\(NumberText.milliseconds(summary.median)), slowest \(NumberText.milliseconds(summary.maximum))."
        decoding =
            model.decodingTimesRealTime.map {
                "Decoding is not included; it ran at \(NumberText.timesRealTime($0))."
            } ?? "Decoding is not included."
    }

    static func chart(_ model: ReportModel) -> JSONObject? {
        let values = model.trials.compactMap(\.record.latency?.milliseconds).filter { $0 > 0 && $0.isFinite }
        guard let low = values.min(), let high = values.max() else { return nil }
        let bins = Binning(
            values, edges: Binning.logarithmic(from: low * 0.99, to: high * 1.01, count: 36))
        return ["edges": bins.edges, "counts": bins.counts]
    }
}
