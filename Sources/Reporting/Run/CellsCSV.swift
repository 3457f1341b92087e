import Evaluation
import Metrics

/// `cells.csv`: one row for each cell, in the order of the plan.
///
/// A rate has seven columns: count, total, rate, both ends of its 95 % Wilson interval, clusters and effective
/// trials. Clusters are equivalence classes of recordings. Skew errors are fractions, offset errors seconds. Medians
/// and percentiles are of magnitudes. The latency columns come last, as in `trials.csv`.
enum CellsCSV {
    static func text(_ model: ReportModel) -> String { table.text(model.cells) }

    private typealias Column = CSVTable<CellScore>.Column

    private static var table: CSVTable<CellScore> {
        CSVTable(
            columns: condition + outcomes
                + rate("recall") { $0.recall }
                + rate("precision") { $0.precision }
                + rate("falseAcceptRate") { $0.falseAcceptRate }
                + [
                    Column("falseAcceptRateBound", number: { $0.score.falseAcceptRate.upperBound() }),
                    Column("distinctNegativeSeconds", number: { $0.score.distinctNegativeSeconds }),
                ]
                + rate("recallAtZeroFalseAccepts") { $0.recallAtZeroFalseAccepts }
                + rate("rightTopAnswer") { $0.rightTopAnswers }
                + rate("rightPlace") { $0.share(of: .right) }
                + rate("repetition") { $0.share(of: .repetition) }
                + errors("frequencySkewError", "") { $0.frequencySkewError }
                + errors("timeSkewError", "") { $0.timeSkewError }
                + errors("freeFrequencySkewError", "") { $0.freeFrequencySkewError }
                + errors("freeTimeSkewError", "") { $0.freeTimeSkewError }
                + errors("strictOffsetError", "Seconds") { $0.strictOffsetError }
                + errors("offsetError", "Seconds") { $0.offsetError }
                + latency)
    }

    private static var condition: [Column] {
        [
            Column("group", text: { $0.group.rawValue }),
            Column("degradation", text: { $0.key.degradation }),
            Column("severity", text: { $0.key.severity }),
            Column("severityValue", number: { $0.severityValue }),
            Column("lengthSeconds", number: { $0.key.lengthSeconds }),
            Column(
                "status",
                text: { $0.score.isNotOffered ? "not offered" : $0.score.errors > 0 ? "errors" : "ok" }),
        ]
    }

    private static var outcomes: [Column] {
        Outcome.allCases.map { outcome in
            Column(outcome.rawValue, count: { $0.score.outcomes[outcome] })
        } + [
            Column("trials", count: { $0.score.trials }),
            Column("positives", count: { $0.score.outcomes.positives }),
            Column("negatives", count: { $0.score.outcomes.negatives }),
            Column("notOffered", count: { $0.score.notOffered }),
            Column("errors", count: { $0.score.errors }),
        ]
    }

    private static func rate(_ name: String, _ value: @escaping (Scorecard) -> Proportion) -> [Column] {
        [
            Column("\(name)Count", count: { value($0.score).successes }),
            Column("\(name)Of", count: { value($0.score).trials }),
            Column(name, number: { value($0.score).rate }),
            Column("\(name)Lower", number: { value($0.score).wilsonInterval()?.lower }),
            Column("\(name)Upper", number: { value($0.score).wilsonInterval()?.upper }),
            Column("\(name)Clusters", count: { value($0.score).clusters }),
            Column("\(name)EffectiveTrials", number: { value($0.score).effectiveTrials }),
        ]
    }

    private static func errors(
        _ name: String, _ unit: String, _ value: @escaping (Scorecard) -> ErrorSummary?
    ) -> [Column] {
        [
            Column("\(name)Bias\(unit)", number: { value($0.score)?.bias }),
            Column("\(name)Median\(unit)", number: { value($0.score)?.medianAbsolute }),
            Column("\(name)Percentile95\(unit)", number: { value($0.score)?.percentile95Absolute }),
            Column("\(name)Maximum\(unit)", number: { value($0.score)?.maximumAbsolute }),
        ]
    }

    private static var latency: [Column] {
        [
            Column("latencyTrials", count: { $0.score.latency?.count }),
            Column("latencyMedianMilliseconds", number: { $0.score.latency?.median }),
            Column("latencyPercentile95Milliseconds", number: { $0.score.latency?.percentile95 }),
        ]
    }
}
