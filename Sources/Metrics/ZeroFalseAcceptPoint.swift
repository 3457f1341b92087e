/// The scores that decide one trial at any threshold.
package struct ScoredTrial: Hashable, Sendable {
    /// Whether some enrolled reference contains the query.
    package let isPositive: Bool
    /// The highest threshold at which a right reference is claimed; nil if at none.
    package let rightScore: Double?
    /// The highest threshold at which a wrong reference is claimed; nil if at none.
    package let wrongScore: Double?

    /// Makes a trial; NaN counts as nil.
    package init(isPositive: Bool, rightScore: Double?, wrongScore: Double?) {
        self.isPositive = isPositive
        self.rightScore = rightScore.flatMap { $0.isNaN ? nil : $0 }
        self.wrongScore = wrongScore.flatMap { $0.isNaN ? nil : $0 }
    }

    /// Makes a trial with one answer; `score` is nil without an answer.
    package init(score: Double?, isRight: Bool, isPositive: Bool) {
        self.init(
            isPositive: isPositive, rightScore: isRight ? score : nil, wrongScore: isRight ? nil : score)
    }

    /// Makes a trial of candidates, best first.
    ///
    /// The first one at or above a threshold is claimed.
    ///
    /// The matcher may rank by something else than the score. A high threshold then claims a wrong candidate with a
    /// high score instead of a right one that ranks before it with a lower score.
    package init(isPositive: Bool, candidates: some Sequence<(score: Double, isRight: Bool)>) {
        var ceiling = -Double.infinity
        var right: Double?
        var wrong: Double?
        // Only a candidate above all before it can be the first at or above some threshold.
        for (score, isRight) in candidates where score > ceiling {
            ceiling = score
            if isRight { right = score } else { wrong = score }
        }
        self.init(isPositive: isPositive, rightScore: right, wrongScore: wrong)
    }

    /// Whether a right reference is claimed with a score above `score`; nil means any score.
    package func isRight(above score: Double?) -> Bool {
        rightScore.map { $0 > (score ?? -.infinity) } ?? false
    }
}

/// The lowest threshold of a run without a wrong claim, and the recall there.
///
/// It describes how well the scores of a run separate. It does not predict a rate, because the threshold is chosen
/// with the answers known. More negatives can only raise the threshold. Print it with their number, and compare it
/// only between runs of one plan, with ``FittedRecallDifference``.
package struct ZeroFalseAcceptPoint: Codable, Hashable, Sendable {
    /// The highest score of a wrong claim, just below the threshold; nil without a wrong claim.
    package let highestWrongScore: Double?
    /// Positives with a right claim above ``highestWrongScore``; a tie with a wrong claim is lost.
    package let recall: Proportion
    package let negatives: Int

    package init(_ trials: some Collection<ScoredTrial>) {
        let highest = trials.compactMap(\.wrongScore).max()
        highestWrongScore = highest
        let positives = trials.filter(\.isPositive)
        recall = Proportion(positives.count { $0.isRight(above: highest) }, of: positives.count)
        negatives = trials.count - positives.count
    }
}

extension ZeroFalseAcceptPoint {
    /// The intervals of the recall of several sets of positives, with the threshold found again in each resample.
    ///
    /// An interval is by bootstrap of clusters, and at least as wide as Wilson's at the threshold of the run. It is nil
    /// for a set without positives.
    ///
    /// - Parameter trials: all trials of the run; each positive belongs to the sets with these numbers.
    package static func intervals(
        of trials: [(cluster: String, scores: ScoredTrial, sets: [Int])], sets: Int,
        _ bootstrap: ClusterBootstrap
    ) -> [Interval?] {
        let groups = Dictionary(grouping: trials, by: \.cluster).sorted { $0.key < $1.key }.map(\.value)
        let highest = groups.map { $0.compactMap(\.scores.wrongScore).max() ?? -.infinity }
        let positives = groups.map { group in
            group.filter(\.scores.isPositive).map { ($0.scores.rightScore ?? -.infinity, $0.sets) }
        }
        let estimates = bootstrap.estimates(clusters: groups.count) { weights in
            var threshold = -Double.infinity
            for (index, weight) in weights.enumerated() where weight > 0 {
                threshold = max(threshold, highest[index])
            }
            var found = [Int](repeating: 0, count: sets)
            var all = found
            for (index, weight) in weights.enumerated() where weight > 0 {
                for (score, own) in positives[index] {
                    for set in own {
                        all[set] += weight
                        if score > threshold { found[set] += weight }
                    }
                }
            }
            return zip(found, all).map { $1 > 0 ? Double($0) / Double($1) : nil }
        }
        let point = trials.compactMap(\.scores.wrongScore).max()
        return estimates.enumerated().map { set, estimate in
            let own = Proportion(
                clustered: trials.filter { $0.scores.isPositive && $0.sets.contains(set) }
                    .map { ($0.cluster, $0.scores.isRight(above: point)) })
            let least = own.wilsonInterval(confidence: bootstrap.confidence)
            guard let estimate, let least else { return least }
            return Interval(
                lower: min(estimate.interval.lower, least.lower),
                upper: max(estimate.interval.upper, least.upper))
        }
    }
}
