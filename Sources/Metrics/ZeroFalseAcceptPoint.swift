/// The scores that decide one trial at any threshold.
public struct ScoredTrial: Hashable, Sendable {
    /// Whether some enrolled reference contains the query.
    public let isPositive: Bool
    /// The highest threshold at which a right reference would be claimed; nil when at none.
    public let rightScore: Double?
    /// The highest threshold at which a wrong reference would be claimed; nil when at none.
    public let wrongScore: Double?

    /// Makes a trial; a score that is not a number counts as none.
    public init(isPositive: Bool, rightScore: Double?, wrongScore: Double?) {
        self.isPositive = isPositive
        self.rightScore = rightScore.flatMap { $0.isNaN ? nil : $0 }
        self.wrongScore = wrongScore.flatMap { $0.isNaN ? nil : $0 }
    }

    /// Makes a trial with one answer; `score` is nil when there was none.
    public init(score: Double?, isRight: Bool, isPositive: Bool) {
        self.init(
            isPositive: isPositive, rightScore: isRight ? score : nil, wrongScore: isRight ? nil : score)
    }

    /// Makes a trial from candidates, best first, of which the first at or above a threshold is claimed.
    ///
    /// A matcher may rank by something else than the score; then a wrong candidate with a high
    /// score is claimed at high thresholds although a right one with a lower score stands before it.
    public init(isPositive: Bool, candidates: some Sequence<(score: Double, isRight: Bool)>) {
        var ceiling = -Double.infinity
        var right: Double?
        var wrong: Double?
        // Only a candidate that beats all before it is ever the first at or above some threshold.
        for (score, isRight) in candidates where score > ceiling {
            ceiling = score
            if isRight { right = score } else { wrong = score }
        }
        self.init(isPositive: isPositive, rightScore: right, wrongScore: wrong)
    }

    /// Whether a right reference is claimed with a score strictly above `score`; nil means any score.
    public func isRight(above score: Double?) -> Bool {
        rightScore.map { $0 > (score ?? -.infinity) } ?? false
    }
}

/// The lowest threshold of a run at which nothing wrong is claimed, and the recall that is left there.
///
/// It describes how well scores separate, knowing the answers; it is no rate to promise. More
/// negatives can only raise the threshold, so it is printed with their number and compared
/// between runs of one plan only.
public struct ZeroFalseAcceptPoint: Codable, Hashable, Sendable {
    /// The highest score of a wrong claim, just above which the threshold lies.
    ///
    /// Nil when there was no wrong claim, so that any threshold serves.
    public let highestWrongScore: Double?
    /// Positives that are claimed rightly with a score strictly above ``highestWrongScore``.
    ///
    /// A right answer that ties with the highest wrong one is lost: no threshold parts the two.
    public let recall: Proportion
    /// How many negatives the run had.
    public let negatives: Int

    /// Finds the threshold over a whole run.
    public init(_ trials: some Collection<ScoredTrial>) {
        let highest = trials.compactMap(\.wrongScore).max()
        highestWrongScore = highest
        let positives = trials.filter(\.isPositive)
        recall = Proportion(positives.count { $0.isRight(above: highest) }, of: positives.count)
        negatives = trials.count - positives.count
    }
}
