import Metrics

/// `snr.csv`: recall at each signal-to-noise ratio as counted and as fitted, by noise and query length.
///
/// The interval is Wilson's for clustered trials. The curve's own figures repeat in each of its rows: the
/// ratios in decibels at which it reaches a recall of 50 % and of 90 %, with the ends of their intervals. Where
/// that lies outside the measured ratios the figure is empty and the column that ends in `Beyond` says `below` or
/// `above`.
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
    /// The level, where it was measured.
    var estimate: ClusteredEstimate? {
        if case .within(let estimate) = self { estimate } else { nil }
    }

    /// On which side of the measured levels it lies; nil where it lies among them.
    var beyond: String? {
        switch self {
        case .within: nil
        case .below: "below"
        case .above: "above"
        }
    }
}
