import Evaluation
import Metrics

/// `cells.csv`: one row for each cell, in the order of the plan.
///
/// A rate has seven columns: count, total, rate, both ends of its 95 % Wilson interval, clusters and effective
/// trials. Clusters are equivalence classes of recordings. Skew errors are fractions, offset errors seconds. Medians
/// and percentiles are of magnitudes. The latency columns come last, as in `trials.csv`.
enum CellsCSV {
    private typealias Column = CSVTable<CellScore>.Column

    static func text(_ model: ReportModel) -> String {
        var columns = [
            Column("group", text: { $0.group.rawValue }),
            Column("degradation", text: { $0.key.degradation }),
            Column("severity", text: { $0.key.severity }),
            Column("severityValue", number: { $0.severityValue }),
            Column("lengthSeconds", number: { $0.key.lengthSeconds }),
            Column(
                "status",
                text: { $0.score.isNotOffered ? "not offered" : $0.score.errors > 0 ? "errors" : "ok" }),
        ]
        columns += Outcome.allCases.map { outcome in
            Column(outcome.rawValue, count: { $0.score.outcomes[outcome] })
        }
        columns += [
            Column("trials", count: { $0.score.trials }),
            Column("positives", count: { $0.score.outcomes.positives }),
            Column("negatives", count: { $0.score.outcomes.negatives }),
            Column("notOffered", count: { $0.score.notOffered }),
            Column("errors", count: { $0.score.errors }),
        ]
        columns += rate("recall", \.recall)
        columns += rate("precision", \.precision)
        columns += rate("topPrecision", \.topPrecision)
        columns += rate("setRecall", \.setRecall)
        columns += rate("wrongAnswerRate", \.wrongAnswerRate)
        columns += rate("falseAcceptRate", \.falseAcceptRate)
        columns += [
            Column("falseAcceptRateBound", number: { $0.score.falseAcceptRate.upperBound() }),
            Column("distinctNegativeSeconds", number: { $0.score.distinctNegativeSeconds }),
        ]
        columns += [
            Column("recallAtZeroFalseAcceptsCount", count: { $0.score.recallAtZeroFalseAccepts.successes }),
            Column("recallAtZeroFalseAcceptsOf", count: { $0.score.recallAtZeroFalseAccepts.trials }),
            Column("recallAtZeroFalseAccepts", number: { $0.score.recallAtZeroFalseAccepts.rate }),
            Column(
                "recallAtZeroFalseAcceptsLower",
                number: { $0.score.recallAtZeroFalseAcceptsInterval?.lower }),
            Column(
                "recallAtZeroFalseAcceptsUpper",
                number: { $0.score.recallAtZeroFalseAcceptsInterval?.upper }),
            Column("recallAtZeroFalseAcceptsClusters", count: { $0.score.recallAtZeroFalseAccepts.clusters }),
        ]
        columns += rate("rightTopAnswer", \.rightTopAnswers)
        columns += rate("placedRecall", \.placedRecall)
        columns += rate("rightPlace") { $0.share(of: .right) }
        columns += rate("repetition") { $0.share(of: .repetition) }
        columns += errors("frequencySkewError", "", \.frequencySkewError)
        columns += errors("timeSkewError", "", \.timeSkewError)
        columns += errors("freeFrequencySkewError", "", \.freeFrequencySkewError)
        columns += errors("freeTimeSkewError", "", \.freeTimeSkewError)
        columns += errors("strictOffsetError", "Seconds", \.strictOffsetError)
        columns += errors("offsetError", "Seconds", \.offsetError)
        columns += latency("Found", \.found) + latency("Unknown", \.unknown)
        return CSVTable(columns).text(model.cells)
    }

    private static func rate(_ name: String, _ value: @escaping (Scorecard) -> Proportion) -> [Column] {
        Column.share(name, count: "Count", of: "Of") { value($0.score) } + [
            Column("\(name)Clusters", count: { value($0.score).clusters }),
            Column("\(name)EffectiveTrials", number: { value($0.score).effectiveTrials }),
        ]
    }

    private static func latency(
        _ kind: String, _ value: @escaping (LatencyByKind) -> LatencySummary?
    ) -> [Column] {
        [
            Column("latency\(kind)Trials", count: { value($0.score.latency)?.count }),
            Column("latency\(kind)MedianMilliseconds", number: { value($0.score.latency)?.median }),
            Column(
                "latency\(kind)Percentile95Milliseconds", number: { value($0.score.latency)?.percentile95 }),
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
}
