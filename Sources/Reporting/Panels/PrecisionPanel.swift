import Evaluation
import Metrics

struct PrecisionContent {
    let table: FigureTable
    let charts: [ErrorChart]
    let places: String
    let coverage: String

    /// Nil without positives.
    init?(_ model: ReportModel, charts: [ErrorChart]) {
        let score = model.overall
        guard score.recall.trials > 0 else { return nil }
        self.charts = charts
        let estimates: [(String, String, Double, ErrorSummary?)] = [
            ("Frequency skew, as answered", "%", 100, score.frequencySkewError),
            ("Frequency skew, free fit", "%", 100, score.freeFrequencySkewError),
            ("Time skew, as answered", "%", 100, score.timeSkewError),
            ("Time skew, free fit", "%", 100, score.freeTimeSkewError),
            ("Match offset, repeat-aware", "ms", 1000, score.offsetError),
            ("Match offset, strict", "ms", 1000, score.strictOffsetError),
        ]
        table = FigureTable(
            "Errors of correct answers: answer minus truth. All but the bias are magnitudes.",
            label: "Errors of skew and offset",
            columns: ["Estimate", "Answers", "Unit", "Bias", "Mean", "Median", "p95", "Largest"],
            styles: [2: "text"],
            rows: estimates.compactMap { name, unit, scale, errors in
                errors.map { [name, NumberText.count($0.count), unit] + $0.figures(scale: scale) }
            })
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

extension ErrorSummary {
    /// Bias, mean, median, 95th percentile and largest error, times `scale`.
    fileprivate func figures(scale: Double) -> [String] {
        [bias, meanAbsolute, medianAbsolute, percentile95Absolute, maximumAbsolute]
            .map { NumberText.significant($0 * scale) }
    }
}

/// The precision of one skew in percent, by what it may depend on.
struct SkewContent {
    let title: String
    let head = FigureTable.row([
        "Answers", "Count", "Bias\n%", "Mean\n%", "Median\n%", "Yardstick\n% median", "p95\n%", "Largest\n%",
        "Coverage\n95 % interval",
    ])
    let groups: [(title: String, rows: [FigureTable.Row])]

    init(_ card: SkewScorecard) {
        title = card.estimate == .frequency ? "Frequency skew" : "Time skew"
        groups = SkewScorecard.Factor.allCases.compactMap { factor in
            let rows = card.rows.filter { $0.factor == factor }
            // One range alone repeats what the row of all answers says.
            guard factor == .all || rows.count > 1 else { return nil }
            return (Self.title(of: factor), rows.map(Self.row))
        }
    }

    private static func title(of factor: SkewScorecard.Factor) -> String {
        switch factor {
        case .all: ""
        case .trueSkew: "By true skew"
        case .length: "By query length"
        case .signalToNoise: "By signal-to-noise ratio over the full band"
        }
    }

    private static func row(_ row: SkewScorecard.Row) -> FigureTable.Row {
        var figures = row.errors.figures(scale: 100)
        figures.insert(NumberText.significant(row.yardstick * 100), at: 3)
        let coverage = "\(NumberText.rate(row.coverage))\n\(NumberText.interval(row.coverage))"
        return FigureTable.row([row.range, NumberText.count(row.errors.count)] + figures + [coverage])
    }
}
