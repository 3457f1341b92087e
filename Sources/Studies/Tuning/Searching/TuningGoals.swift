import Metrics

/// What a search wants of settings, and what they may cost at most.
package struct TuningGoals: Codable, Hashable, Sendable {
    /// A figure of settings that can be wanted or limited.
    package enum Figure: String, Codable, CaseIterable, Sendable {
        /// The share of the positives that are found at the threshold that the limit of false accepts allows.
        case recall
        /// The share of negatives that are accepted; none unless it is limited.
        case falseAccepts
        /// The median processor time of a query.
        case milliseconds
        /// The size of the index by the length of the references.
        case megabytesPerHour
    }

    /// The greatest value that settings may have.
    package struct Limit: Codable, Hashable, Sendable {
        package let figure: Figure
        package let most: Double

        package init(_ figure: Figure, atMost most: Double) {
            self.figure = figure
            self.most = most
        }
    }

    /// The first decides; several give a front.
    package let wanted: [Figure]
    package let limits: [Limit]

    /// - Throws: ``TuningError`` for a goal that has no best, or a limit that cannot be one.
    package init(wanted: [Figure] = [.recall], limits: [Limit]) throws {
        guard wanted.contains(.recall) else {
            throw TuningError("recall is no goal; without it the best settings would find nothing")
        }
        guard !wanted.contains(.falseAccepts) else {
            throw TuningError("falseAccepts is no goal but a limit: --at-most falseAccepts=0.001")
        }
        guard Set(wanted).count == wanted.count else { throw TuningError("a goal is named twice") }
        guard Set(limits.map(\.figure)).count == limits.count else {
            throw TuningError("a limit is named twice")
        }
        for limit in limits {
            guard limit.figure != .recall else {
                throw TuningError("recall has no limit that settings may have at most")
            }
            let isShare = limit.figure == .falseAccepts
            guard limit.most >= 0, limit.most < (isShare ? 1 : .infinity), isShare || limit.most > 0 else {
                throw TuningError(
                    "the limit \(limit.figure.rawValue)=\(limit.most) cannot be one; expected "
                        + (isShare ? "a share from 0 to below 1" : "a number above 0"))
            }
        }
        self.wanted = wanted
        self.limits = limits
    }

    private init() { (wanted, limits) = ([.recall], []) }

    /// Recall with nothing wrong claimed, at any cost.
    package static let standard = TuningGoals()

    /// The share of negatives that may be accepted; nil allows no wrong answer at all.
    package var falseAcceptShare: Double? {
        limits.first { $0.figure == .falseAccepts && $0.most > 0 }?.most
    }

    /// The confidence with which the share of other negatives is at most the limit.
    package static let confidence = 0.95

    /// How far settings are beyond the limits, as a share of the limit that is exceeded most; 0 within all.
    ///
    /// Each threshold keeps the limit of false accepts, so that it decides nothing here.
    package func excess(of objectives: Objectives) -> Double {
        limits.filter { $0.figure != .falseAccepts }.reduce(0) { most, limit in
            let value = objectives.value(of: limit.figure) ?? .infinity
            return max(most, value / limit.most - 1)
        }
    }

    /// Whether the first settings are better: nearer to the limits, then by the goals in order, then in first places and size.
    package func prefers(_ one: Objectives, to other: Objectives) -> Bool {
        let (mine, others) = (excess(of: one), excess(of: other))
        if mine != others { return mine < others }
        for goal in wanted {
            let (mine, others) = (one.loss(in: goal), other.loss(in: goal))
            if mine != others { return mine < others }
        }
        if one.rightTopShare != other.rightTopShare { return one.rightTopShare > other.rightTopShare }
        return (one.indexBytes ?? 0) < (other.indexBytes ?? 0)
    }

    /// Whether the first settings are better in one goal and worse in none, among settings within the limits.
    ///
    /// With one goal the costs count as goals, too.
    package func dominates(_ one: Objectives, _ other: Objectives) -> Bool {
        guard excess(of: one) == 0 else { return false }
        if excess(of: other) > 0 { return true }
        let figures = wanted.count > 1 ? wanted : [.recall, .milliseconds, .megabytesPerHour]
        let (mine, others) = (figures.map(one.loss), figures.map(other.loss))
        return mine != others && zip(mine, others).allSatisfy { $0 <= $1 }
    }
}

/// What settings reach in some trials.
package struct Objectives: Codable, Hashable, Sendable {
    package let positives: Int
    package let negatives: Int
    /// Recall at the threshold of the goal.
    ///
    /// With a limit of false accepts that is the lowest whose bound for other negatives is
    /// within the limit, else the lowest with nothing wrong claimed in these trials (`ZeroFalseAcceptPoint`).
    package let recall: Double
    /// Claims score above this at that threshold; nil claims every answer.
    package let above: Double?
    /// The negatives accepted there.
    package let falseAccepts: Proportion
    /// The share that as many negatives of other recordings exceed with a probability of 5 % at most.
    package let falseAcceptBound: Double?
    /// Recall at the lowest threshold with nothing wrong claimed.
    package let recallAtZeroFalseAccepts: Double
    /// The share of positives in which no wrong reference scores as high as a right one.
    package let rightTopShare: Double
    package let highestWrongScore: Double?
    package let indexBytes: Int?
    package let megabytesPerHour: Double?
    package let medianMilliseconds: Double

    init(
        _ trials: [(cluster: String, scores: ScoredTrial)], milliseconds: [Double], indexBytes: Int?,
        referenceSeconds: Double, goals: TuningGoals
    ) {
        let point = ZeroFalseAcceptPoint(trials.map(\.scores))
        positives = point.recall.trials
        negatives = point.negatives
        recallAtZeroFalseAccepts = point.recall.rate ?? 0
        highestWrongScore = point.highestWrongScore
        let above =
            goals.falseAcceptShare.map { Self.threshold(trials, falseAccepts: $0) } ?? point.highestWrongScore
        self.above = above
        recall = Double(trials.count { $0.scores.isRight(above: above) }) / Double(max(1, positives))
        falseAccepts = Proportion(
            clustered: trials.filter { !$0.scores.isPositive }.map {
                (cluster: $0.cluster, success: $0.scores.wrongScore.map { $0 > above ?? -.infinity } ?? false)
            })
        falseAcceptBound = falseAccepts.upperBoundOfOthers(confidence: TuningGoals.confidence)
        let first = trials.count { trial in
            trial.scores.isPositive
                && (trial.scores.rightScore ?? -.infinity) > (trial.scores.wrongScore ?? -.infinity)
        }
        rightTopShare = Double(first) / Double(max(1, positives))
        self.indexBytes = indexBytes
        megabytesPerHour = indexBytes.flatMap {
            referenceSeconds > 0 ? Double($0) / 1e6 / referenceSeconds * 3600 : nil
        }
        medianMilliseconds = Percentile.of(milliseconds, at: 0.5) ?? 0
    }

    /// The score above which answers are claimed, so that as many other negatives exceed `share` seldom.
    ///
    /// Where that is too much for these negatives to show, none of them is accepted.
    private static func threshold(
        _ trials: [(cluster: String, scores: ScoredTrial)], falseAccepts share: Double
    ) -> Double? {
        let negatives = trials.filter { !$0.scores.isPositive }
        let sweep = ThresholdSweep(
            negatives.map { trial in
                ThresholdTrial(
                    cluster: trial.cluster, isPositive: false,
                    candidates: trial.scores.wrongScore.map { [(score: $0, isRight: false)] } ?? [])
            })
        let goal = ThresholdGoal.boundedFalseAccepts(atMost: share, confidence: TuningGoals.confidence)
        guard case .step(let step)? = sweep.choice(for: goal, DecisionPrices()) else {
            return negatives.compactMap(\.scores.wrongScore).max()
        }
        return step.above == -.infinity ? nil : step.above
    }

    /// The figure; nil where it is not known.
    package func value(of figure: TuningGoals.Figure) -> Double? {
        switch figure {
        case .recall: recall
        case .falseAccepts: falseAccepts.rate
        case .milliseconds: medianMilliseconds
        case .megabytesPerHour: megabytesPerHour
        }
    }

    /// The figure, so that less is better.
    fileprivate func loss(in figure: TuningGoals.Figure) -> Double {
        guard figure != .recall else { return -recall }
        return value(of: figure) ?? .infinity
    }
}
