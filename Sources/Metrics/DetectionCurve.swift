/// The miss rate and the false-accept rate at every threshold on a matcher's score.
///
/// The two rates form the receiver operating characteristic: J. A. Swets, Science 240, 1988. On normal-deviate
/// axes they form the detection error trade-off, a straight line where the scores of both classes are normal:
/// Martin and others, "The DET curve in assessment of detection task performance", Eurospeech 1997.
///
/// A wrong answer to a positive counts as a miss. A right answer counts at every threshold up to its
/// score, even if the matcher ranks a wrong answer with a lower score before it.
package struct DetectionCurve: Codable, Hashable, Sendable {
    package struct Point: Codable, Hashable, Sendable {
        /// The lowest claimed score; nil if nothing is claimed.
        package let threshold: Double?
        /// The share of negatives that are accepted, 0…1.
        package let falseAcceptRate: Double
        /// The share of positives without a right claim, 0…1.
        package let missRate: Double
    }

    /// The corners of the curve, by falling threshold.
    ///
    /// The first claims nothing: its false-accept rate is 0 and its miss rate is 1. The last is at the lowest score.
    /// Queries without any answer keep it from a false-accept rate of 1 and a miss rate of 0.
    package let points: [Point]
    /// The number of positives, at least 1.
    package let positives: Int
    /// The number of negatives, at least 1.
    package let negatives: Int

    /// Makes the curve of trials in any order; nil without positives or without negatives.
    package init?(_ trials: some Sequence<ScoredTrial>) {
        self.init(ranked: RankedTrial.falling(trials.map { (0, $0) }))
    }

    init?(ranked trials: [RankedTrial]) {
        guard let sweep = Sweep(trials, weights: nil) else { return nil }
        var points = [Point(threshold: nil, falseAcceptRate: 0, missRate: 1)]
        for point in sweep {
            if points.count > 1, Self.isStraight(points[points.count - 2], points[points.count - 1], point) {
                points.removeLast()
            }
            points.append(point)
        }
        self.points = points
        positives = sweep.positives
        negatives = sweep.negatives
    }

    /// Whether three points are parallel to an axis, so that the middle one is no corner.
    private static func isStraight(_ a: Point, _ b: Point, _ c: Point) -> Bool {
        (a.falseAcceptRate == b.falseAcceptRate && b.falseAcceptRate == c.falseAcceptRate)
            || (a.missRate == b.missRate && b.missRate == c.missRate)
    }

    /// The rate at which the miss rate equals the false-accept rate.
    ///
    /// Interpolates linearly between two corners. Nil if the rates do not meet, because too many negatives have no
    /// answer.
    package var equalErrorRate: Double? { Self.equalErrorRate(points.dropFirst()) }

    /// The same for the points after the first, read only as far as needed.
    static func equalErrorRate(_ points: some Sequence<Point>) -> Double? {
        var last = (falseAcceptRate: 0.0, missRate: 1.0)
        for point in points {
            if point.falseAcceptRate >= point.missRate {
                let gap = last.missRate - last.falseAcceptRate
                let step = gap + point.falseAcceptRate - point.missRate
                return last.falseAcceptRate + (point.falseAcceptRate - last.falseAcceptRate) * gap / step
            }
            last = (point.falseAcceptRate, point.missRate)
        }
        return nil
    }
}

/// A trial, reduced to the one score that decides it.
struct RankedTrial {
    /// The score of the right answer to a positive and of the highest answer to a negative; nil without one.
    let score: Double?
    let isPositive: Bool
    let cluster: Int

    /// Sorts trials by falling score, those without a score last.
    static func falling(_ trials: some Sequence<(cluster: Int, scores: ScoredTrial)>) -> [RankedTrial] {
        trials.map { cluster, scores in
            RankedTrial(
                score: scores.isPositive ? scores.rightScore : scores.wrongScore,
                isPositive: scores.isPositive, cluster: cluster)
        }.sorted { ($0.score ?? -.infinity, $0.cluster) > ($1.score ?? -.infinity, $1.cluster) }
    }
}

extension DetectionCurve {
    /// Steps through the thresholds, from the highest score downwards.
    struct Sweep: Sequence, IteratorProtocol {
        /// The weight of all positives, above 0.
        let positives: Int
        /// The weight of all negatives, above 0.
        let negatives: Int
        private let trials: [RankedTrial]
        private let weights: [Int]?
        private var place = 0
        private var found = 0
        private var accepted = 0

        /// Takes trials in falling order; without weights each counts once.
        init?(_ trials: [RankedTrial], weights: [Int]?) {
            var counts = (positives: 0, negatives: 0)
            for trial in trials {
                let weight = weights?[trial.cluster] ?? 1
                if trial.isPositive { counts.positives += weight } else { counts.negatives += weight }
            }
            guard counts.positives > 0, counts.negatives > 0 else { return nil }
            (positives, negatives) = counts
            self.trials = trials
            self.weights = weights
        }

        mutating func next() -> Point? {
            guard place < trials.count, let score = trials[place].score else { return nil }
            // One threshold decides all trials of one score.
            while place < trials.count, trials[place].score == score {
                let weight = weights?[trials[place].cluster] ?? 1
                if trials[place].isPositive { found += weight } else { accepted += weight }
                place += 1
            }
            return Point(
                threshold: score, falseAcceptRate: Double(accepted) / Double(negatives),
                missRate: 1 - Double(found) / Double(positives))
        }
    }
}
