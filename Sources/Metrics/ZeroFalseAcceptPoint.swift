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
/// only between runs of one plan, with ``ZeroFalseAcceptDifference``.
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
