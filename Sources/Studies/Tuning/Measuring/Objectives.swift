import Metrics

package struct Objectives: Codable, Hashable, Sendable {
    package let positives: Int
    package let negatives: Int
    /// Recall at the lowest threshold with nothing wrong claimed in these trials (`ZeroFalseAcceptPoint`).
    package let recallAtZeroFalseAccepts: Double
    /// The share of positives in which no wrong reference scores as high as a right one.
    package let rightTopShare: Double
    /// The highest score of a wrong claim; nil when there was none.
    package let highestWrongScore: Double?
    package let indexBytes: Int?
    /// The median processor time of a query, in milliseconds; differs from run to run.
    package let medianMilliseconds: Double

    init(_ trials: [ScoredTrial], milliseconds: [Double], indexBytes: Int?) {
        let point = ZeroFalseAcceptPoint(trials)
        positives = point.recall.trials
        negatives = point.negatives
        recallAtZeroFalseAccepts = point.recall.rate ?? 0
        highestWrongScore = point.highestWrongScore
        let first = trials.count { trial in
            trial.isPositive && (trial.rightScore ?? -.infinity) > (trial.wrongScore ?? -.infinity)
        }
        rightTopShare = point.recall.trials > 0 ? Double(first) / Double(point.recall.trials) : 0
        self.indexBytes = indexBytes
        medianMilliseconds = Percentile.of(milliseconds, at: 0.5) ?? 0
    }

    /// Whether it is better in recall, then right references in first place, then a smaller index.
    ///
    /// None depends on the machine.
    func isBetter(than other: Objectives) -> Bool {
        if recallAtZeroFalseAccepts != other.recallAtZeroFalseAccepts {
            return recallAtZeroFalseAccepts > other.recallAtZeroFalseAccepts
        }
        if rightTopShare != other.rightTopShare { return rightTopShare > other.rightTopShare }
        return (indexBytes ?? 0) < (other.indexBytes ?? 0)
    }

    /// Whether it is better in recall, processor time or index size, and worse in none.
    func dominates(_ other: Objectives) -> Bool {
        let mine = [-recallAtZeroFalseAccepts, medianMilliseconds, Double(indexBytes ?? 0)]
        let others = [
            -other.recallAtZeroFalseAccepts, other.medianMilliseconds, Double(other.indexBytes ?? 0),
        ]
        return mine != others && zip(mine, others).allSatisfy { $0 <= $1 }
    }
}
