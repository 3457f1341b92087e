import Metrics

struct ReliabilityContent {
    let table: FigureTable
    let summary: String
    let spoken: String

    init?(_ model: ReportModel) {
        guard let diagram = model.reliability else { return nil }
        // As many digits as a large run supports. A value below 100 never reads 100.
        func percent(_ value: Double) -> String { NumberText.percent(value, trials: 100) }
        table = FigureTable(
            "Best candidates by stated confidence, weighted to one positive to one negative",
            label: "Reliability of confidence",
            columns: [
                "Confidence", "Answers", "Share\n%", "Stated, mean\n%", "Came true\n%", "95 % interval\n%",
            ],
            rows: diagram.bins.map { bin in
                [
                    "\(NumberText.plain(bin.range.lower))–\(NumberText.plain(bin.range.upper))",
                    NumberText.count(bin.count), percent(bin.share), percent(bin.stated),
                    percent(bin.observed), "\(percent(bin.interval.lower))–\(percent(bin.interval.upper))",
                ]
            })
        let figures =
            "calibration error \(NumberText.significant(diagram.expectedCalibrationError)), Brier score "
            + "\(NumberText.significant(diagram.brierScore))"
        summary = "\(NumberText.count(diagram.count)) best candidates state a confidence: \(figures)."
        spoken =
            "Share of right answers against stated confidence: \(figures). The table below holds every point."
    }

    /// A point with its interval for each bin, and the corners of the isotonic fit: pairs of stated and fitted.
    static func chart(_ model: ReportModel) -> JSONObject? {
        guard let diagram = model.reliability else { return nil }
        let points = diagram.bins.map { bin -> JSONObject in
            [
                "x": bin.stated, "y": bin.observed, "lower": bin.interval.lower, "upper": bin.interval.upper,
                "count": bin.count,
            ]
        }
        let isotonic = diagram.isotonic.steps.flatMap { step in
            [[step.range.lower, step.value], [step.range.upper, step.value]]
        }
        return ["points": points, "isotonic": isotonic]
    }
}
