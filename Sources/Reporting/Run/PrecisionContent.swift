import Evaluation
import Metrics

struct PrecisionContent {
    /// A row of the table of errors; figures share the row's unit.
    struct Row {
        let name: String
        let unit: String
        let count: Figure
        let bias: Figure
        let meanAbsolute: Figure
        let median: Figure
        let percentile95: Figure
        let maximum: Figure

        init?(_ name: String, unit: String, scale: Double, _ summary: ErrorSummary?) {
            guard let summary else { return nil }
            func figure(_ value: Double) -> Figure { Figure(value) { NumberText.significant($0 * scale) } }
            self.name = name
            self.unit = unit
            count = Figure(summary.count)
            bias = figure(summary.bias)
            meanAbsolute = figure(summary.meanAbsolute)
            median = figure(summary.medianAbsolute)
            percentile95 = figure(summary.percentile95Absolute)
            maximum = figure(summary.maximumAbsolute)
        }
    }

    let rows: [Row]
    let charts: [ErrorChart]
    let places: String
    let coverage: String
    let hasRows: Bool

    init(_ model: ReportModel, charts: [ErrorChart]) {
        let score = model.overall
        rows = [
            Row("Frequency skew, as answered", unit: "%", scale: 100, score.frequencySkewError),
            Row("Frequency skew, free fit", unit: "%", scale: 100, score.freeFrequencySkewError),
            Row("Time skew, as answered", unit: "%", scale: 100, score.timeSkewError),
            Row("Time skew, free fit", unit: "%", scale: 100, score.freeTimeSkewError),
            Row("Match offset, repeat-aware", unit: "ms", scale: 1000, score.offsetError),
            Row("Match offset, strict", unit: "ms", scale: 1000, score.strictOffsetError),
        ].compactMap(\.self)
        hasRows = !rows.isEmpty
        self.charts = charts
        coverage =
            score.frequencySkewCoverage.trials == 0
            ? ""
            : "Within 1.96 of the stated standard errors (95 % expected): \(NumberText.rate(score.frequencySkewCoverage)) "
                + "of measured frequency skews (\(NumberText.interval(score.frequencySkewCoverage))) and "
                + "\(NumberText.rate(score.timeSkewCoverage)) of time skews "
                + "(\(NumberText.interval(score.timeSkewCoverage)))."
        let right = score.share(of: .right)
        let repetition = score.share(of: .repetition)
        let other = score.share(of: .other)
        places =
            right.trials == 0
            ? "No answer was correct, so there are no offsets."
            : "\(NumberText.rate(right)) of correct answers (\(NumberText.interval(right))) are within "
                + "\(NumberText.plain(JudgedTrial.placeToleranceSeconds))\(NumberText.blank)s of the true place; "
                + "\(NumberText.rate(repetition)) are at a passage of the same recording that sounds the same, and "
                + "\(NumberText.rate(other)) elsewhere."
    }
}
