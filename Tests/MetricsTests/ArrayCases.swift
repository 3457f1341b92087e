import Foundation
import Metrics

/// Random arrays and their metrics; `python/tests/test_metrics.py` draws the same.
struct ArrayCases {
    private var state: UInt64 = 20_261_127

    private mutating func below(_ bound: UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % bound)
    }

    private mutating func spans() -> [LabelledSpan] {
        (0..<below(6)).map { _ in
            let (label, begin) = (below(2) == 0 ? "a" : "b", below(500))
            return LabelledSpan(
                label: label, begin: Double(begin) / 10, end: Double(begin + 1 + below(100)) / 10)
        }
    }

    /// Scores in steps of a quarter, so that some are equal; NaN, which the last but one draw in eight gives, is no answer.
    private mutating func scores(_ count: Int) -> [Double] {
        (0..<count).map { _ in
            let score = Double(below(81) - 40) / 4
            return below(8) == 0 ? .nan : score
        }
    }

    /// The metrics of the next case, NaN where there is none.
    mutating func next() -> [Double] {
        let count = 1 + below(24)
        let positives = scores(count)
        let negatives = scores(1 + below(24))
        let isRight = (0..<count).map { _ in below(3) > 0 }
        let ranks = (0..<count).map { _ in below(6) }.map { $0 == 0 ? nil : $0 }
        let clusters = (0..<count).map { _ in "c\(below(6))" }
        let prior = Double(1 + below(9)) / 10
        let rate = Double(1 + below(9)) / 10
        let (truth, found) = (spans(), spans())
        let trials =
            zip(positives, isRight).map { ScoredTrial(score: $0, isRight: $1, isPositive: true) }
            + negatives.map { ScoredTrial(score: $0, isRight: false, isPositive: false) }
        let (targets, others) = (positives.filter { !$0.isNaN }, negatives.filter { !$0.isNaN })
        let curve = DetectionCurve(trials)?.points.filter { $0.falseAcceptRate <= rate + 1e-9 }
        let plain = Proportion(isRight.count { $0 }, of: count).wilsonInterval(confidence: 0.9)
        let clustered = Proportion(clustered: Array(zip(clusters, isRight))).wilsonInterval()
        let passages = PassageMatching(truth: truth, found: found).finders.count { $0 != nil }
        let seconds = SecondsScore(truth: truth, found: found)
        return [
            Double(RankedRetrieval.hits(ranks, within: 2)) / Double(count),
            RankedRetrieval.meanReciprocalRank(ranks),
            ZeroFalseAcceptPoint(trials).recall.rate,
            curve?.map { 1 - $0.missRate }.max(),
            plain?.lower, plain?.upper, clustered?.lower, clustered?.upper,
            DetectionCost.actual(targets: targets, others: others, prior: prior),
            DetectionCost.minimum(targets: targets, others: others, prior: prior),
            DetectionCost.logLikelihoodRatioCost(targets: targets, others: others),
            found.isEmpty ? nil : Double(passages) / Double(found.count),
            truth.isEmpty ? nil : Double(passages) / Double(truth.count),
            seconds.precision, seconds.recall, seconds.f1,
        ].map { $0 ?? .nan }
    }

    /// The values of cases as the lines of a file.
    static func text(_ cases: [[Double]]) -> String {
        let lines = cases.map { values in
            values.map { $0.isNaN ? "nan" : String(format: "%.12g", $0) }.joined(separator: " ")
        }
        let head = "# Metrics of 1,000 random cases; PlainArrayTests writes it."
        return ([head] + lines).joined(separator: "\n") + "\n"
    }
}
