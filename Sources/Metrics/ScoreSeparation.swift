import Foundation

/// How well scores separate right answers from false accepts, with intervals that allow for clusters.
package struct ScoreSeparation: Sendable {
    /// The source of the threshold of a ``RecallAtRate``.
    package enum Evidence: String, Codable, Sendable {
        /// At least 10 false accepts of the run are above it.
        case counted
        /// A tail fitted to the highest wrong scores, within their range.
        case fittedTail
        /// The same tail beyond the data. The run has too few negatives for even one such false accept.
        case beyondData
    }

    /// The recall at a wanted false-accept rate.
    package struct RecallAtRate: Codable, Hashable, Sendable {
        /// The wanted share of negatives that are accepted.
        package let falseAcceptRate: Double
        /// The size of the catalog over that of the run.
        package let catalogGrowth: Double
        /// The share of negatives that may be accepted in the catalog of the run.
        package let rateInRun: Double
        /// The score that an answer must exceed; nil if any score passes.
        package let scoreLimit: Double?
        package let evidence: Evidence
        package let recall: ClusteredEstimate
    }

    /// The number of false accepts from which a rate is counted instead of fitted.
    private static let fewestCounted = 10.0

    package let curve: DetectionCurve
    /// The number of clusters of the positives or of the negatives, whichever is smaller.
    package let fewerClusters: Int
    /// The number of all clusters; one may hold both positives and negatives.
    private let clusters: Int
    /// By falling score.
    private let trials: [RankedTrial]

    /// Sorts clustered trials; nil without positives or without negatives.
    package init?(_ trials: some Sequence<(cluster: String, scores: ScoredTrial)>) {
        let all = Array(trials)
        let names = Set(all.map(\.cluster)).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        let ranked = RankedTrial.falling(all.map { (numbers[$0.cluster] ?? 0, $0.scores) })
        guard let curve = DetectionCurve(ranked: ranked) else { return nil }
        self.trials = ranked
        self.curve = curve
        clusters = names.count
        fewerClusters =
            [true, false]
            .map { kind in Set(all.filter { $0.scores.isPositive == kind }.map(\.cluster)).count }.min() ?? 0
    }

    /// The equal error rate with its interval; nil if the rates do not meet.
    package func equalErrorRate(_ bootstrap: ClusterBootstrap) -> ClusteredEstimate? {
        let estimate = bootstrap.estimate(clusters: clusters) { weights in
            DetectionCurve.Sweep(trials, weights: weights).flatMap(DetectionCurve.equalErrorRate)
        }
        let fewerTrials = min(curve.positives, curve.negatives)
        return estimate.map {
            widened(
                $0,
                by: Proportion.wilsonInterval(
                    rate: $0.value, trials: Double(fewerTrials),
                    clusters: fewerClusters < fewerTrials ? Double(fewerClusters) : nil,
                    confidence: bootstrap.confidence))
        }
    }

    /// The recall at wanted false-accept rates, in catalogs of several sizes.
    ///
    /// The model: each reference without the query exceeds a score by chance, independently of the others. A catalog
    /// g times as large then accepts a query falsely with probability 1 − (1 − p)ᵍ, about g·p. For a wanted rate f,
    /// the rate p of the run must therefore be 1 − (1 − f)^(1/g). Catalogs of near-copies do not follow this model.
    ///
    /// The score limit at p is counted if at least 10 false accepts are above it. If not, it comes from a
    /// generalized Pareto tail of the highest tenth of wrong scores, fitted again in each resample. The scores of
    /// right answers are assumed to stay the same. Chance matches above a right answer are left out. They affect at
    /// most a share f of the positives.
    ///
    /// The interval is the wider of two. The bootstrap interval is BCa for a counted limit and percentiles for a
    /// fitted one. It has no width if every resample has the same recall, so Wilson's at the found score is the other.
    /// Beyond the data the coverage is about 90 %.
    ///
    /// `rates` are above 0 and below 1, and `growths` are at least 1. The result is sorted by rising growth and then by
    /// falling rate. It leaves out those for which there are too few wrong scores.
    package func recalls(
        atFalseAcceptRates rates: [Double], catalogGrowths growths: [Double] = [1],
        _ bootstrap: ClusterBootstrap
    ) -> [RecallAtRate] {
        let targets = growths.flatMap { growth in
            rates.map { rate in
                precondition(rate > 0 && rate < 1 && growth >= 1, "a rate of \(rate), \(growth) times")
                return Target(rate: rate, growth: growth, negatives: curve.negatives)
            }
        }
        let (counted, fitted) = (
            targets.filter { $0.evidence == .counted }, targets.filter { $0.evidence != .counted }
        )
        // The bounds of the tail's shape are a bias that BCa would wrongly correct.
        var percentiles = bootstrap
        percentiles.isAccelerated = false
        return (recalls(for: counted, bootstrap) + recalls(for: fitted, percentiles))
            .sorted { ($0.catalogGrowth, -$0.falseAcceptRate) < ($1.catalogGrowth, -$1.falseAcceptRate) }
    }

    private func recalls(for targets: [Target], _ bootstrap: ClusterBootstrap) -> [RecallAtRate] {
        if targets.isEmpty { return [] }
        let estimates = bootstrap.estimates(clusters: clusters) { weights in
            recalls(above: limits(targets, weights), weights)
        }
        let ones = [Int](repeating: 1, count: clusters)
        return zip(targets, zip(limits(targets, ones), estimates)).compactMap { target, found in
            guard let limit = found.0, let estimate = found.1 else { return nil }
            let positives = Proportion(
                clustered: trials.lazy.filter(\.isPositive).map {
                    (cluster: "\($0.cluster)", success: ($0.score ?? -.infinity) > limit)
                })
            return RecallAtRate(
                falseAcceptRate: target.wanted, catalogGrowth: target.growth, rateInRun: target.rate,
                scoreLimit: limit == -.infinity ? nil : limit, evidence: target.evidence,
                recall: widened(
                    estimate, by: positives.wilsonInterval(confidence: bootstrap.confidence)))
        }
    }

    /// A wanted rate, and the rate that it allows in the run.
    private struct Target {
        let wanted: Double
        let growth: Double
        let rate: Double
        let evidence: Evidence

        init(rate wanted: Double, growth: Double, negatives: Int) {
            self.wanted = wanted
            self.growth = growth
            rate = -expm1(log1p(-wanted) / growth)
            // Rounding must not turn a whole number into the one below.
            let expected = rate * Double(negatives) + 1e-9
            evidence =
                expected >= ScoreSeparation.fewestCounted
                ? .counted : expected >= 1 ? .fittedTail : .beyondData
        }
    }

    /// For each target the score that answers must exceed; −∞ if any score passes, nil if it is unknown.
    private func limits(_ targets: [Target], _ weights: [Int]) -> [Double?] {
        var total = 0
        var scored: [(score: Double, weight: Int)] = []
        for trial in trials where !trial.isPositive {
            let weight = weights[trial.cluster]
            total += weight
            if let score = trial.score, weight > 0 { scored.append((score, weight)) }
        }
        let tail =
            targets.contains { $0.evidence != .counted } ? ScoreTail(falling: scored, total: total) : nil
        return targets.map { target in
            // If no negative has an answer, any threshold keeps a rate that can be counted.
            if target.evidence == .counted { return Self.limit(scored, rate: target.rate, total: total) }
            guard let tail else { return nil }
            return target.rate <= tail.share
                ? tail.score(exceededBy: target.rate) : Self.limit(scored, rate: target.rate, total: total)
        }
    }

    /// The highest score that more than a share `rate` of all negatives reaches.
    private static func limit(_ falling: [(score: Double, weight: Int)], rate: Double, total: Int) -> Double {
        let allowed = Int(rate * Double(total) + 1e-9)
        var accepted = 0
        for (score, weight) in falling {
            accepted += weight
            if accepted > allowed { return score }
        }
        return -.infinity
    }

    private func recalls(above limits: [Double?], _ weights: [Int]) -> [Double?] {
        let falling = limits.indices.sorted { (limits[$0] ?? .infinity) > (limits[$1] ?? .infinity) }
        var found = [Int](repeating: 0, count: limits.count)
        var (all, place) = (0, 0)
        for trial in trials where trial.isPositive {
            // Scores only fall from here on, so the count for a higher limit is final.
            let score = trial.score ?? -.infinity
            while place < falling.count, score <= limits[falling[place]] ?? .infinity {
                found[falling[place]] = all
                place += 1
            }
            all += weights[trial.cluster]
        }
        for index in falling[place...] { found[index] = all }
        return limits.indices.map { limits[$0] == nil || all == 0 ? nil : Double(found[$0]) / Double(all) }
    }

    /// The estimate with an interval that also covers `least`.
    private func widened(_ estimate: ClusteredEstimate, by least: Interval?) -> ClusteredEstimate {
        guard let least else { return estimate }
        return ClusteredEstimate(
            value: estimate.value,
            interval: Interval(
                lower: min(estimate.interval.lower, least.lower),
                upper: max(estimate.interval.upper, least.upper)),
            clusters: fewerClusters)
    }
}
