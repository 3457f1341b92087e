import Foundation

/// The cost of decisions by a score, and of the score read as a log-likelihood ratio.
///
/// Positives are targets, negatives are non-targets. A value is a natural log-likelihood ratio, or any score for the
/// minimum figures. Misses and false accepts cost 1 each, weighted by the prior of a positive.
///
/// N. Brümmer and J. du Preez, "Application-independent evaluation of speaker detection", Computer Speech and Language
/// 20(2–3), 2006. The names are those of the BOSARIS toolkit.
package enum DetectionCost {
    /// The cost of a pair of error rates over that of the better constant decision; 0 without errors.
    ///
    /// It is (π·miss + (1 − π)·false accept) / min(π, 1 − π), with the prior π above 0 and below 1.
    package static func normalized(missRate: Double, falseAcceptRate: Double, prior: Double) -> Double {
        (prior * missRate + (1 - prior) * falseAcceptRate) / min(prior, 1 - prior)
    }

    /// The cost at the Bayes threshold −ln(π / (1 − π)) of log-likelihood ratios: actDCF.
    ///
    /// Nil without targets or non-targets.
    package static func actual(targets: [Double], others: [Double], prior: Double) -> Double? {
        guard !targets.isEmpty, !others.isEmpty else { return nil }
        let threshold = -log(prior / (1 - prior))
        return normalized(
            missRate: Double(targets.count { $0 < threshold }) / Double(targets.count),
            falseAcceptRate: Double(others.count { $0 >= threshold }) / Double(others.count), prior: prior)
    }

    /// The least cost at any threshold, chosen with the answers known: minDCF.
    ///
    /// Nil without targets or non-targets. Values may be any score.
    package static func minimum(targets: [Double], others: [Double], prior: Double) -> Double? {
        guard !targets.isEmpty, !others.isEmpty else { return nil }
        let values = (targets.map { ($0, true) } + others.map { ($0, false) }).sorted { $0.0 > $1.0 }
        var (hits, accepts) = (0, 0)
        var least = normalized(missRate: 1, falseAcceptRate: 0, prior: prior)
        for (index, (value, isTarget)) in values.enumerated() {
            if isTarget { hits += 1 } else { accepts += 1 }
            // One threshold decides all equal values.
            if index + 1 < values.count, values[index + 1].0 == value { continue }
            least = min(
                least,
                normalized(
                    missRate: 1 - Double(hits) / Double(targets.count),
                    falseAcceptRate: Double(accepts) / Double(others.count), prior: prior))
        }
        return least
    }

    /// The cost of log-likelihood ratios over all priors, in bits: Cllr.
    ///
    /// It is ½ (mean of log₂(1 + e⁻ˡ) over targets + mean of log₂(1 + eˡ) over the others). Ratios of 0 cost 1.
    /// Nil without targets or non-targets.
    package static func logLikelihoodRatioCost(targets: [Double], others: [Double]) -> Double? {
        guard !targets.isEmpty, !others.isEmpty else { return nil }
        let misses = targets.reduce(0) { $0 + bits(-$1) } / Double(targets.count)
        return (misses + others.reduce(0) { $0 + bits($1) } / Double(others.count)) / 2
    }

    /// The same of clustered values, with its interval; nil without targets, others or a second cluster.
    package static func logLikelihoodRatioCost(
        _ values: [(cluster: String, value: Double, isTarget: Bool)], _ bootstrap: ClusterBootstrap
    ) -> ClusteredEstimate? {
        let clusters = Dictionary(grouping: values, by: \.cluster).sorted { $0.key < $1.key }.map(\.value)
        let sums = [true, false].map { kind in
            clusters.map { values in
                let own = values.filter { $0.isTarget == kind }
                let cost = own.map { bits(kind ? -$0.value : $0.value) }.sorted().reduce(0, +)
                return (cost: cost, count: Double(own.count))
            }
        }
        return bootstrap.estimate(clusters: clusters.count) { weights in
            var halves = 0.0
            for kind in sums {
                var (cost, count) = (0.0, 0.0)
                for (one, weight) in zip(kind, weights) where weight > 0 {
                    cost += Double(weight) * one.cost
                    count += Double(weight) * one.count
                }
                guard count > 0 else { return nil }
                halves += cost / count / 2
            }
            return halves
        }
    }

    /// log₂(1 + eˣ), without overflow.
    private static func bits(_ x: Double) -> Double { (max(x, 0) + log1p(exp(-abs(x)))) / M_LN2 }

    /// The least of ``logLikelihoodRatioCost(targets:others:)`` for any rising function of the values: minCllr.
    ///
    /// The best function is the isotonic fit of outcomes to values. Nil without targets or non-targets.
    package static func minimumLogLikelihoodRatioCost(targets: [Double], others: [Double]) -> Double? {
        guard !targets.isEmpty, !others.isEmpty else { return nil }
        let fit = IsotonicFit(
            targets.map { (x: $0, y: 1.0, weight: 1.0) } + others.map { (x: $0, y: 0.0, weight: 1.0) })
        let odds = Double(targets.count) / Double(others.count)
        var (misses, accepts) = (0.0, 0.0)
        for step in fit.steps {
            let p = step.value
            if p > 0 { misses += step.weight * p * log2(1 + (1 - p) / p * odds) }
            if p < 1 { accepts += step.weight * (1 - p) * log2(1 + p / (1 - p) / odds) }
        }
        return (misses / Double(targets.count) + accepts / Double(others.count)) / 2
    }
}
