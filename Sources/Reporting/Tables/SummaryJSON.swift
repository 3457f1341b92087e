import Evaluation
import Metrics

/// `summary.json`: the headline figures with the facts of the run, for programs.
///
/// Keys are sorted and numbers have the fewest digits that read back the same, so that two
/// summaries can be compared line by line. Missing figures are left out.
enum SummaryJSON {
    static func text(_ model: ReportModel) throws -> String {
        let object: JSONObject = [
            "schemaVersion": ReportModel.schemaVersion,
            "overall": figures(model.overall),
            "withoutSuspects": model.withoutSuspects.map(undoubted),
            "highestWrongScore": model.zeroFalseAccepts.highestWrongScore,
            "reliability": model.reliability,
            "separation": model.separation.map(separation),
            "detectionCost": model.costs.map(cost),
            "retrieval": model.retrieval.map(retrieval),
            "signalToNoise": model.noiseCurves.map(noise),
            "skew": Dictionary(
                uniqueKeysWithValues: model.skews.map { ($0.estimate.rawValue, $0.rows.map(skew)) }),
            "groups": Dictionary(
                uniqueKeysWithValues: model.groups.map { ($0.group.rawValue, figures($0.score)) }),
            "cost": cost(model),
            "run": model.facts,
        ]
        return try JSONText.pretty(object)
    }

    private static func figures(_ score: Scorecard) -> JSONObject {
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
    private static func rate(_ proportion: Proportion) -> JSONObject {
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

    private static func undoubted(_ figures: WithoutSuspects) -> JSONObject {
        [
            "pairs": figures.pairs, "trialsLeftOut": figures.trialsLeftOut,
            "figures": self.figures(figures.score),
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
    private static func estimate(_ estimate: ClusteredEstimate) -> JSONObject {
        [
            "value": estimate.value, "lower": estimate.interval.lower, "upper": estimate.interval.upper,
            "clusters": estimate.clusters, "hasFewClusters": estimate.hasFewClusters,
        ]
    }

    private static func separation(_ figures: SeparationFigures) -> JSONObject {
        let recalls = figures.recalls.map { figure -> JSONObject in
            [
                "falseAcceptRate": figure.falseAcceptRate, "catalogGrowth": figure.catalogGrowth,
                "rateInRun": figure.rateInRun, "scoreLimit": figure.scoreLimit,
                "evidence": figure.evidence.rawValue, "recall": estimate(figure.recall),
            ]
        }
        return [
            "equalErrorRate": figures.equalErrorRate.map(estimate), "recallAtFalseAcceptRate": recalls,
        ]
    }

    private static func cost(_ figures: CostFigures) -> JSONObject {
        [
            "priors": figures.costs.map { cost -> JSONObject in
                [
                    "prior": cost.prior, "ownDCF": cost.own, "actDCF": cost.actual, "minDCF": cost.minimum,
                ]
            },
            "cllr": figures.logLikelihoodRatioCost, "minCllr": figures.minimumLogLikelihoodRatioCost,
        ]
    }

    private static func retrieval(_ figures: RetrievalFigures) -> JSONObject {
        [
            "lengthSeconds": figures.lengthSeconds, "exact": rate(figures.exact),
            "near": rate(figures.near), "far": rate(figures.far),
            "top": Dictionary(uniqueKeysWithValues: figures.top.map { ("\($0)", rate($1)) }),
            "meanReciprocalRank": figures.meanReciprocalRank,
        ]
    }

    private static func noise(_ curve: NoiseCurve) -> JSONObject {
        let crossings = zip(NoiseCurve.wantedRecalls, curve.crossings).map { recall, crossing -> JSONObject in
            [
                "recall": recall, "snrDecibels": crossing?.estimate.map(estimate),
                "beyond": crossing?.beyond,
            ]
        }
        return [
            "noise": curve.noise, "lengthSeconds": curve.lengthSeconds, "fit": curve.recall.fit,
            "crossings": crossings,
        ]
    }

    private static func skew(_ row: SkewScorecard.Row) -> JSONObject {
        [
            "factor": row.factor.rawValue, "range": row.range.replacing(NumberText.blank, with: " "),
            "errors": row.errors, "coverage": rate(row.coverage), "yardstick": row.yardstick,
        ]
    }
}
