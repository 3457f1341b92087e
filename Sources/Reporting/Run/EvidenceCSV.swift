// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics

/// `reliability.csv`: one row for each bin of stated confidence that holds an answer.
///
/// Shares and means are weighted to one positive to one negative; the interval is of the observed share.
enum ReliabilityCSV {
    static func text(_ model: ReportModel) -> String { table.text(model.reliability?.bins ?? []) }

    private static var table: CSVTable<ReliabilityDiagram.Bin> {
        CSVTable(columns: [
            .init("from", number: { $0.range.lower }),
            .init("to", number: { $0.range.upper }),
            .init("answers", count: { $0.count }),
            .init("share", number: { $0.share }),
            .init("stated", number: { $0.stated }),
            .init("observed", number: { $0.observed }),
            .init("observedLower", number: { $0.interval.lower }),
            .init("observedUpper", number: { $0.interval.upper }),
        ])
    }
}

/// `det.csv`: the corners of the detection error trade-off, from the threshold that claims nothing downwards.
///
/// Rates are fractions; the probits are the same on normal-deviate axes, left empty at 0 and 1.
enum DetectionCSV {
    static func text(_ model: ReportModel) -> String { table.text(model.separation?.curve.points ?? []) }

    private static var table: CSVTable<DetectionCurve.Point> {
        CSVTable(columns: [
            .init("threshold", number: { $0.threshold }),
            .init("falseAcceptRate", number: { $0.falseAcceptRate }),
            .init("missRate", number: { $0.missRate }),
            .init("falseAcceptProbit", number: { probit($0.falseAcceptRate) }),
            .init("missProbit", number: { probit($0.missRate) }),
        ])
    }

    private static func probit(_ rate: Double) -> Double? {
        let value = NormalDistribution.quantile(rate)
        return value.isFinite ? value : nil
    }
}

/// `snr.csv`: recall at each signal-to-noise ratio as counted and as fitted, by noise and query length.
///
/// The interval is Wilson's for clustered trials. Each row repeats the figures of its curve: the ratios in decibels at
/// a recall of 50 % and of 90 %, with their intervals. Outside the measured ratios they are empty, and the column
/// that ends in `Beyond` holds `below` or `above`.
enum NoiseCSV {
    static func text(_ model: ReportModel) -> String {
        table.text(
            model.noiseCurves.flatMap { curve in curve.recall.points.map { Row(curve: curve, point: $0) } })
    }

    private struct Row {
        let curve: NoiseCurve
        let point: RecallCurve.Point
    }

    private static var table: CSVTable<Row> {
        CSVTable(
            columns: [
                .init("noise", text: { $0.curve.noise }),
                .init("lengthSeconds", number: { $0.curve.lengthSeconds }),
                .init("snrDecibels", number: { $0.point.level }),
                .init("recallCount", count: { $0.point.recall.successes }),
                .init("recallOf", count: { $0.point.recall.trials }),
                .init("recall", number: { $0.point.recall.rate }),
                .init("recallLower", number: { $0.point.recall.wilsonInterval()?.lower }),
                .init("recallUpper", number: { $0.point.recall.wilsonInterval()?.upper }),
                .init("fitted", number: { row in row.curve.recall.fit.map { $0.rate(at: row.point.level) } }),
                .init("clusters", count: { $0.curve.recall.clusters }),
            ] + crossing("snrAt50", 0) + crossing("snrAt90", 1))
    }

    private static func crossing(_ name: String, _ place: Int) -> [CSVTable<Row>.Column] {
        [
            .init(name, number: { $0.curve.crossings[place]?.estimate?.value }),
            .init("\(name)Lower", number: { $0.curve.crossings[place]?.estimate?.interval.lower }),
            .init("\(name)Upper", number: { $0.curve.crossings[place]?.estimate?.interval.upper }),
            .init("\(name)Beyond", text: { $0.curve.crossings[place]?.beyond }),
        ]
    }
}

extension RecallCurve.Crossing {
    var estimate: ClusteredEstimate? {
        if case .within(let estimate) = self { estimate } else { nil }
    }

    /// The side of the measured levels; nil within them.
    var beyond: String? {
        switch self {
        case .within: nil
        case .below: "below"
        case .above: "above"
        }
    }
}

/// `skew.csv`: errors of the skews of correct answers, by true skew, query length and signal-to-noise ratio.
///
/// Errors are fractions, estimate minus truth; all but the bias are of magnitudes. The coverage is the share
/// within 1.96 of the stated standard errors; the yardstick is a median magnitude.
enum SkewCSV {
    static func text(_ model: ReportModel) -> String {
        table.text(model.skews.flatMap { card in card.rows.map { Row(estimate: card.estimate, row: $0) } })
    }

    private struct Row {
        let estimate: SkewScorecard.Estimate
        let row: SkewScorecard.Row
    }

    private static var table: CSVTable<Row> {
        CSVTable(columns: [
            .init("skew", text: { $0.estimate.rawValue }),
            .init("factor", text: { $0.row.factor.rawValue }),
            .init("range", text: { $0.row.range.replacing(NumberText.blank, with: " ") }),
            .init("answers", count: { $0.row.errors.count }),
            .init("bias", number: { $0.row.errors.bias }),
            .init("meanAbsolute", number: { $0.row.errors.meanAbsolute }),
            .init("median", number: { $0.row.errors.medianAbsolute }),
            .init("percentile95", number: { $0.row.errors.percentile95Absolute }),
            .init("maximum", number: { $0.row.errors.maximumAbsolute }),
            .init("yardstick", number: { $0.row.yardstick }),
            .init("coverageCount", count: { $0.row.coverage.successes }),
            .init("coverageOf", count: { $0.row.coverage.trials }),
            .init("coverage", number: { $0.row.coverage.rate }),
            .init("coverageLower", number: { $0.row.coverage.wilsonInterval()?.lower }),
            .init("coverageUpper", number: { $0.row.coverage.wilsonInterval()?.upper }),
        ])
    }
}
