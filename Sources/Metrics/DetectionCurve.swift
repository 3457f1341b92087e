/// What a matcher would miss, and what it would accept falsely, at every threshold on its score.
///
/// The two rates against each other are the receiver operating characteristic (J. A. Swets,
/// Science 240, 1988), and on normal-deviate axes the detection error trade-off of Martin and
/// others, "The DET curve in assessment of detection task performance", Eurospeech 1997, where
/// scores that are normal in both classes give a straight line.
///
/// A wrong answer to a positive counts as a miss. A right answer counts at every threshold up to its
/// score, also where a matcher that ranks by something else puts a lower wrong score before it.
public struct DetectionCurve: Codable, Hashable, Sendable {
    /// A threshold and what it leads to.
    public struct Point: Codable, Hashable, Sendable {
        /// The score from which an answer is claimed; nil where nothing is claimed at all.
        public let threshold: Double?
        /// The share of negatives that are accepted, 0…1.
        public let falseAcceptRate: Double
        /// The share of positives without a right claim, 0…1.
        public let missRate: Double
    }

    /// The corners of the curve, from the threshold that claims nothing downwards.
    ///
    /// The first has a false-accept rate of 0 and a miss rate of 1. The last stands at the lowest
    /// score; where some queries have no answer at all, it reaches neither a false-accept rate of 1
    /// nor a miss rate of 0.
    public let points: [Point]
    /// How many positives there are; at least 1.
    public let positives: Int
    /// How many negatives there are; at least 1.
    public let negatives: Int

    /// Makes the curve of some trials in any order; nil without positives or without negatives.
    public init?(_ trials: some Sequence<ScoredTrial>) {
        self.init(ranked: RankedTrial.falling(trials.map { (0, $0) }))
    }

    /// Makes the curve of trials in falling order of their scores.
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

    /// Whether a curve that goes through three points runs along an axis, so that the middle one is no corner.
    private static func isStraight(_ a: Point, _ b: Point, _ c: Point) -> Bool {
        (a.falseAcceptRate == b.falseAcceptRate && b.falseAcceptRate == c.falseAcceptRate)
            || (a.missRate == b.missRate && b.missRate == c.missRate)
    }

    /// The rate at which as large a share of positives is missed as of negatives is accepted.
    ///
    /// Between two corners the curve is taken as straight, as if the claims of one score were drawn by
    /// lot. Nil where the rates do not meet, as too many negatives have no answer at any threshold.
    public var equalErrorRate: Double? { Self.equalErrorRate(points.dropFirst()) }

    /// The same for points below the threshold that claims nothing, as far as they are needed.
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

/// A trial that is decided at its score.
struct RankedTrial {
    /// The score of the right answer to a positive and of the highest answer to a negative; nil without one.
    let score: Double?
    /// Whether some enrolled reference contains the query.
    let isPositive: Bool
    /// The number of the cluster it belongs to.
    let cluster: Int

    /// Sorts trials by falling scores, those without a score last.
    static func falling(_ trials: some Sequence<(cluster: Int, scores: ScoredTrial)>) -> [RankedTrial] {
        trials.map { cluster, scores in
            RankedTrial(
                score: scores.isPositive ? scores.rightScore : scores.wrongScore,
                isPositive: scores.isPositive, cluster: cluster)
        }.sorted { ($0.score ?? -.infinity, $0.cluster) > ($1.score ?? -.infinity, $1.cluster) }
    }
}

extension DetectionCurve {
    /// The thresholds from the highest score downwards, one at a time.
    struct Sweep: Sequence, IteratorProtocol {
        /// The weight of all positives; above 0.
        let positives: Int
        /// The weight of all negatives; above 0.
        let negatives: Int
        private let trials: [RankedTrial]
        private let weights: [Int]?
        private var place = 0
        private var found = 0
        private var accepted = 0

        /// Sweeps over trials in falling order, each counted as often as its cluster weighs, once without weights.
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

        /// The next lower score that some trial has, and what a threshold there leads to.
        mutating func next() -> Point? {
            guard place < trials.count, let score = trials[place].score else { return nil }
            // Trials of one score are decided together.
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
