import Metrics

/// The share of right answers by stated confidence.
struct ReliabilityContent {
    struct Row {
        let range: String
        let count: Figure
        let share: Figure
        let stated: Figure
        let observed: Figure
        let interval: String
    }

    let rows: [Row]
    let summary: String
    let spoken: String

    init?(_ model: ReportModel) {
        guard let diagram = model.reliability else { return nil }
        // As many digits as a large run supports. A value below 100 never reads 100.
        func percent(_ value: Double) -> Figure { Figure(value) { NumberText.percent($0, trials: 100) } }
        rows = diagram.bins.map { bin in
            Row(
                range: "\(NumberText.plain(bin.range.lower))–\(NumberText.plain(bin.range.upper))",
                count: Figure(bin.count), share: percent(bin.share), stated: percent(bin.stated),
                observed: percent(bin.observed),
                interval: "\(percent(bin.interval.lower).text)–\(percent(bin.interval.upper).text)")
        }
        let figures =
            "calibration error \(NumberText.significant(diagram.expectedCalibrationError)), Brier score "
            + "\(NumberText.significant(diagram.brierScore))"
        summary = "\(NumberText.count(diagram.count)) best candidates state a confidence: \(figures)."
        spoken =
            "Share of right answers against stated confidence: \(figures). The table below holds every point."
    }
}

/// A point with its interval for each bin, against the diagonal.
struct ReliabilityChart: Encodable {
    struct Point: Encodable {
        let x: Double
        let y: Double
        let lower: Double
        let upper: Double
        let count: Int
    }

    let points: [Point]
    /// The corners of the isotonic fit, as pairs of stated and fitted.
    let isotonic: [[Double]]

    init?(_ model: ReportModel) {
        guard let diagram = model.reliability else { return nil }
        isotonic = diagram.isotonic.steps.flatMap { step in
            [[step.range.lower, step.value], [step.range.upper, step.value]]
        }
        points = diagram.bins.map {
            Point(
                x: $0.stated, y: $0.observed, lower: $0.interval.lower, upper: $0.interval.upper,
                count: $0.count)
        }
    }
}
