import Metrics

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
