import Metrics

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
