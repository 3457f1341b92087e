import Evaluation
import Metrics

struct LatencyContent {
    /// A row of the table: the run, or a group of conditions.
    struct Row {
        let name: String
        let count: Figure
        let median: Figure
        let percentile90: Figure
        let percentile95: Figure
        let percentile99: Figure
        let maximum: Figure

        init?(_ name: String, _ summary: LatencySummary?) {
            guard let summary else { return nil }
            func milliseconds(_ value: Double?) -> Figure { Figure(value) { NumberText.significant($0) } }
            self.name = name
            count = Figure(summary.count)
            median = milliseconds(summary.median)
            percentile90 = milliseconds(summary.percentile90)
            percentile95 = milliseconds(summary.percentile95)
            percentile99 = milliseconds(summary.percentile99)
            maximum = milliseconds(summary.maximum)
        }
    }

    let trials: String
    let rows: [Row]
    let spoken: String
    let decoding: String

    init?(_ model: ReportModel) {
        guard let summary = model.overall.latency else { return nil }
        trials = NumberText.count(summary.count)
        rows =
            [Row("All conditions", summary)].compactMap(\.self)
            + model.groups.compactMap { Row($0.group.title, $0.score.latency) }
        spoken =
            "Distribution of the time to answer over \(NumberText.count(summary.count)) trials: median "
            + "\(NumberText.milliseconds(summary.median)), slowest "
            + "\(NumberText.milliseconds(summary.maximum))."
        decoding =
            model.decodingTimesRealTime.map {
                "Decoding is not included; it ran at \(NumberText.timesRealTime($0))."
            } ?? "Decoding is not included."
    }
}

struct LatencyChart: Encodable {
    let edges: [Double]
    let counts: [Int]

    init?(_ model: ReportModel) {
        let values = model.trials.compactMap(\.record.latency?.milliseconds).filter { $0 > 0 && $0.isFinite }
        guard let low = values.min(), let high = values.max() else { return nil }
        let bins = Binning(
            values, edges: Binning.logarithmic(from: low * 0.99, to: high * 1.01, count: 36))
        edges = bins.edges
        counts = bins.counts
    }
}
