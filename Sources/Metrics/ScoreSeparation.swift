import Foundation

/// How well scores part right answers from false accepts, with intervals that allow for clusters.
public struct ScoreSeparation: Sendable {
    /// What the threshold of a ``RecallAtRate`` rests on.
    public enum Evidence: String, Codable, Sendable {
        /// At least ``fewestCounted`` false accepts of the run lie above it.
        case counted
        /// A tail fitted to the highest wrong scores, within the range of these.
        case fittedTail
        /// The same tail beyond the data: the run has too few negatives for even one such false accept.
        case beyondData
    }

    /// The recall that is left where false accepts are held to a wanted rate.
    public struct RecallAtRate: Codable, Hashable, Sendable {
        /// The wanted share of negatives that are accepted.
        public let falseAcceptRate: Double
        /// How many times as large as the run's the catalog is.
        public let catalogGrowth: Double
        /// The share of negatives that may be accepted in the catalog of the run.
        public let rateInRun: Double
        /// The score that an answer must exceed; nil where any will do.
        public let scoreLimit: Double?
        /// What ``scoreLimit`` rests on.
        public let evidence: Evidence
        /// The recall at that score.
        public let recall: ClusteredEstimate
    }

    /// From this many false accepts on a rate is counted and not fitted.
    public static let fewestCounted = 10.0

    /// The error rates at every threshold.
    public let curve: DetectionCurve
    /// How many clusters the positives come from, or the negatives if these come from fewer.
    public let fewerClusters: Int
    /// How many clusters there are in all; one may hold both positives and negatives.
    private let clusters: Int
    /// The trials in falling order of the scores that decide them.
    private let trials: [RankedTrial]

    /// Sorts trials, each with the name of its cluster; nil without positives or without negatives.
    public init?(_ trials: some Sequence<(cluster: String, scores: ScoredTrial)>) {
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

    /// The equal error rate with its interval; nil where the rates do not meet.
    public func equalErrorRate(_ bootstrap: ClusterBootstrap) -> ClusteredEstimate? {
        let estimate = bootstrap.estimate(clusters: clusters) { weights in
            DetectionCurve.Sweep(trials, weights: weights).flatMap(DetectionCurve.equalErrorRate)
        }
        return estimate.map { widened($0, trials: Double(min(curve.positives, curve.negatives)), bootstrap) }
    }

    /// Recall where a wanted share of negatives is accepted, in catalogs of several sizes.
    ///
    /// A reference that does not contain the query is taken to exceed a score by chance, each on its
    /// own: in a catalog g times as large a query is accepted falsely with probability 1 − (1 − p)ᵍ,
    /// about g times as often, so that the rate p of the run must shrink to 1 − (1 − f)^(1/g) for a
    /// wanted rate f. The score that p leads to is counted where at least ``fewestCounted`` false
    /// accepts lie above it, and else taken from a generalized Pareto tail of the highest tenth of
    /// wrong scores, fitted anew in each resample. Scores of right answers are taken to stay what
    /// they are, and a chance match above a right answer, which happens to at most f of positives,
    /// is left out. Catalogs of near-copies do not follow this.
    ///
    /// The interval is the wider of the bootstrap's, BCa where the score is counted and plain
    /// percentiles where it is fitted, and of Wilson's at the score that was found, as the former has
    /// no width where every resample has the same recall. Beyond the data it covers the truth in about
    /// nine of ten samples.
    ///
    /// - Parameters:
    ///   - rates: the wanted false-accept rates, above 0 and below 1.
    ///   - growths: how many times as large the catalogs are, at least 1.
    ///   - bootstrap: what draws the intervals.
    /// - Returns: by rising growth, and then by falling rate; without those for which the wrong scores are
    ///   too few.
    public func recalls(
        atFalseAcceptRates rates: [Double], catalogGrowths growths: [Double] = [1],
        _ bootstrap: ClusterBootstrap
    ) -> [RecallAtRate] {
        let questions = growths.flatMap { growth in
            rates.map { rate in
                precondition(rate > 0 && rate < 1 && growth >= 1, "a rate of \(rate), \(growth) times")
                return Question(rate: rate, growth: growth, negatives: curve.negatives)
            }
        }
        let (counted, fitted) = (
            questions.filter { $0.evidence == .counted }, questions.filter { $0.evidence != .counted }
        )
        // The bounds of the tail's shape are a bias that BCa would wrongly correct.
        var plain = bootstrap
        plain.isAccelerated = false
        return (answers(to: counted, bootstrap) + answers(to: fitted, plain))
            .sorted { ($0.catalogGrowth, -$0.falseAcceptRate) < ($1.catalogGrowth, -$1.falseAcceptRate) }
    }

    private func answers(to questions: [Question], _ bootstrap: ClusterBootstrap) -> [RecallAtRate] {
        if questions.isEmpty { return [] }
        let estimates = bootstrap.estimates(clusters: clusters) { weights in
            recalls(above: limits(questions, weights), weights)
        }
        let ones = [Int](repeating: 1, count: clusters)
        return zip(questions, zip(limits(questions, ones), estimates)).compactMap { question, found in
            guard let limit = found.0, let estimate = found.1 else { return nil }
            let positives = trials.lazy.filter(\.isPositive).map {
                ("\($0.cluster)", 1.0, ($0.score ?? -.infinity) > limit)
            }
            return RecallAtRate(
                falseAcceptRate: question.wanted, catalogGrowth: question.growth, rateInRun: question.rate,
                scoreLimit: limit == -.infinity ? nil : limit, evidence: question.evidence,
                recall: widened(
                    estimate, trials: ClusterVariance(Array(positives)).effectiveTrials, bootstrap))
        }
    }

    /// A wanted rate, and what it means for the run.
    private struct Question {
        let wanted: Double
        let growth: Double
        let rate: Double
        let evidence: Evidence

        init(rate wanted: Double, growth: Double, negatives: Int) {
            self.wanted = wanted
            self.growth = growth
            rate = -expm1(log1p(-wanted) / growth)
            // A rate that leads to a whole number of them must not lose one to rounding.
            let expected = rate * Double(negatives) + 1e-9
            evidence =
                expected >= ScoreSeparation.fewestCounted
                ? .counted : expected >= 1 ? .fittedTail : .beyondData
        }
    }

    /// For each question the score that answers must exceed; −∞ where any will do, nil where it is not known.
    private func limits(_ questions: [Question], _ weights: [Int]) -> [Double?] {
        var total = 0
        var scored: [(score: Double, weight: Int)] = []
        for trial in trials where !trial.isPositive {
            let weight = weights[trial.cluster]
            total += weight
            if let score = trial.score, weight > 0 { scored.append((score, weight)) }
        }
        let tail =
            questions.contains { $0.evidence != .counted } ? ScoreTail(falling: scored, total: total) : nil
        return questions.map { question in
            // Where no negative has an answer any threshold keeps a rate that can be counted.
            if question.evidence == .counted { return Self.limit(scored, rate: question.rate, total: total) }
            guard let tail else { return nil }
            return question.rate <= tail.share
                ? tail.score(exceededBy: question.rate)
                : Self.limit(scored, rate: question.rate, total: total)
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

    /// The recall at each of some scores that answers must exceed.
    private func recalls(above limits: [Double?], _ weights: [Int]) -> [Double?] {
        let falling = limits.indices.sorted { (limits[$0] ?? .infinity) > (limits[$1] ?? .infinity) }
        var found = [Int](repeating: 0, count: limits.count)
        var (all, place) = (0, 0)
        for trial in trials where trial.isPositive {
            // Scores only fall from here on, so that what was counted for a limit above them is final.
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

    /// The estimate with an interval no narrower than Wilson's for as many independent trials.
    private func widened(
        _ estimate: ClusteredEstimate, trials: Double, _ bootstrap: ClusterBootstrap
    ) -> ClusteredEstimate {
        guard
            let wilson = Proportion.wilsonInterval(
                rate: estimate.value, trials: trials, confidence: bootstrap.confidence)
        else { return estimate }
        return ClusteredEstimate(
            value: estimate.value,
            interval: Interval(
                lower: min(estimate.interval.lower, wilson.lower),
                upper: max(estimate.interval.upper, wilson.upper)),
            clusters: fewerClusters)
    }
}
