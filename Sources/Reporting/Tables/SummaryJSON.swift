import Evaluation
import Metrics

/// `summary.json`: the headline figures with the facts of the run, for programs.
///
/// Keys are sorted and numbers have the fewest digits that read back the same, so that two
/// summaries can be compared line by line. Missing figures are left out.
enum SummaryJSON {
    static func text(_ model: ReportModel) throws -> String {
        let entries: [JSONObject.Entry] = [
            ("schemaVersion", ReportModel.schemaVersion),
            ("verdict", verdict(model)), ("overall", figures(model.overall)),
            ("highestWrongScore", model.zeroFalseAccepts.highestWrongScore),
            (
                "groups",
                Dictionary(uniqueKeysWithValues: model.groups.map { ($0.group.rawValue, figures($0.score)) })
            ),
            ("cost", cost(model)), ("run", model.facts),
        ]
        return try JSONText.pretty(JSONObject(entries + model.panels.flatMap(\.summary)))
    }

    /// `columns.json`: what each column of the tables means, for programs.
    static var columns: String {
        get throws {
            let tables: [JSONObject] = RunTable.all.map {
                ["name": $0.name, "rows": $0.rows, "columns": $0.columns]
            }
            let content: JSONObject = ["schemaVersion": ReportModel.schemaVersion, "tables": tables]
            return String(decoding: try JSONText.encoder().encode(content), as: UTF8.self) + "\n"
        }
    }

    /// The result in words, as the page begins.
    private static func verdict(_ model: ReportModel) -> JSONObject {
        ["text": model.verdict, "weakness": model.weakness, "scope": model.scope]
    }

    static func figures(_ score: Scorecard) -> JSONObject {
        let outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { ($0.rawValue, score.outcomes[$0]) })
        return JSONObject(
            [("outcomes", outcomes)]
                + ScoreFigure.shown(in: .summary).map { ($0.key, value(of: $0, in: score)) })
    }

    private static func value(of figure: ScoreFigure, in score: Scorecard) -> JSONObject.Value {
        switch figure.value {
        case .count(let count): count(score)
        case .number(_, let number): number(score)
        case .audio(let seconds, _): seconds(score)
        case .rate(let rate, .fitted(let interval)):
            self.rate(rate(score), interval(score), effectiveTrials: nil)
        case .rate(let rate, _): self.rate(rate(score))
        case .errors, .first: figure.errors(of: score)
        case .latency: figure.latency(of: score)
        }
    }

    /// A rate with its 95 % Wilson interval for clustered trials.
    static func rate(_ proportion: Proportion) -> JSONObject {
        rate(proportion, proportion.wilsonInterval(), effectiveTrials: proportion.effectiveTrials)
    }

    private static func rate(
        _ proportion: Proportion, _ interval: Interval?, effectiveTrials: Double?
    ) -> JSONObject {
        [
            "count": proportion.successes, "of": proportion.trials, "rate": proportion.rate,
            "lower": interval?.lower, "upper": interval?.upper, "clusters": proportion.clusters,
            "effectiveTrials": effectiveTrials,
        ]
    }

    /// Time and space; they differ from run to run.
    private static func cost(_ model: ReportModel) -> JSONObject {
        [
            "latencyMilliseconds": model.overall.latency,
            "latencyMillisecondsByLength": model.latencies.map { lengthSeconds, latency -> JSONObject in
                ["lengthSeconds": lengthSeconds, "found": latency.found, "unknown": latency.unknown]
            },
            "indexBytes": model.facts.indexBytes,
            "indexBytesPerHour": model.indexBytesPerHour,
            "enrolmentTimesRealTime": model.enrolmentTimesRealTime,
            "decodingTimesRealTime": model.decodingTimesRealTime,
            "stages": StageShares(model.facts),
        ]
    }

    /// A figure with its interval by bootstrap, which is likely too narrow with few clusters.
    static func estimate(_ estimate: ClusteredEstimate) -> JSONObject {
        [
            "value": estimate.value, "lower": estimate.interval.lower, "upper": estimate.interval.upper,
            "clusters": estimate.clusters, "hasFewClusters": estimate.hasFewClusters,
        ]
    }
}
