import Foundation
import Metrics
import SystemIO

/// What a matcher's threshold could be, with the figures of each choice, from the answers of one run.
///
/// The answers are enough, so any matcher has one that states scores of its answers below its threshold, too.
package struct ThresholdTable: Sendable {
    package enum Purpose: Hashable, Sendable {
        /// The matcher's own decision, whatever it decides by.
        case own
        case goal(ThresholdGoal)
        /// No choice: one of many thresholds of the run.
        case any
    }

    package struct Row: Sendable {
        package let purpose: Purpose
        /// The least accepted score; nil accepts nothing, or is not known of the matcher's own decision.
        package let threshold: Double?
        /// The lowest and the highest threshold that parts of the recordings choose.
        package let foldThresholds: Interval?
        package let point: OperatingPoint
        /// Negatives that the threshold accepts of all, those that chose it included.
        package let ownFalseAccepts: Proportion
        /// Whether each trial is decided at a threshold that other recordings chose.
        package let isCrossFitted: Bool

        fileprivate init(_ choice: ThresholdChoice) {
            purpose = .goal(choice.goal)
            threshold = choice.threshold
            foldThresholds = choice.foldThresholds
            point = choice.crossFitted ?? choice.own
            ownFalseAccepts = choice.own.falseAccepts
            isCrossFitted = choice.crossFitted != nil
        }

        fileprivate init(_ purpose: Purpose, at threshold: Double?, _ point: OperatingPoint) {
            self.purpose = purpose
            self.threshold = threshold
            self.point = point
            foldThresholds = nil
            ownFalseAccepts = point.falseAccepts
            isCrossFitted = false
        }
    }

    /// What the negatives of a run show of a wanted rate of false accepts.
    package struct Evidence: Hashable, Sendable {
        package let wanted: Double
        package let confidence: Double
        /// Whether the rate is to hold for as many other negatives, not on average.
        package let isBound: Bool
        /// False accepts among the negatives at the threshold.
        package let falseAccepts: Proportion
        /// The rate that is not exceeded with one-sided `confidence`.
        package let bound: Double

        package init(
            wanted: Double, confidence: Double, isBound: Bool, falseAccepts: Proportion, bound: Double
        ) {
            self.wanted = wanted
            self.confidence = confidence
            self.isBound = isBound
            self.falseAccepts = falseAccepts
            self.bound = bound
        }

        /// The fewest independent negatives that show the wanted rate, if none is accepted.
        ///
        /// By the rule of three, or where their bound for as many others is the rate.
        package var negativesNeeded: Double {
            guard isBound else { return (log(1 - confidence) / log1p(-wanted)).rounded(.up) }
            let quantile = NormalDistribution.quantile(confidence)
            return (2 * quantile * quantile * (1 - wanted) / wanted).rounded(.up)
        }

        /// Whether the bound is kept, or there are as many negatives as are needed.
        ///
        /// At a threshold that is chosen for an average the rate is near the wanted one, however many there are.
        package var isShown: Bool {
            isBound ? bound <= wanted : Double(falseAccepts.trials) >= negativesNeeded
        }
    }

    /// The matcher's own decision, the rates of false accepts by falling rate, the wanted goal, and the least cost.
    package let rows: [Row]
    private let fitted: CrossFittedTrials
    package let prices: DecisionPrices
    package let positives: Int
    package let negatives: Int
    /// The number of recordings that queries come from.
    package let recordings: Int
    package let negativeRecordings: Int
    /// Whether all answers have the same score.
    package let isOneScore: Bool

    /// The rates of false accepts that every table has.
    package static let usualRates = [0.1, 0.01, 0.001, 0]
    private static let mostSteps = 100

    /// Scores the trials that are evidence; nil without any.
    ///
    /// - Parameter wanted: a goal beside those of ``usualRates`` and the least cost.
    package init?(
        _ trials: [JudgedTrial], wanted: ThresholdGoal? = nil, prices: DecisionPrices = DecisionPrices(),
        seed: UInt64
    ) {
        let run = JudgedTrial.distinct(trials.filter { $0.evidence != nil })
        guard !run.isEmpty else { return nil }
        let scored = run.map { trial in
            let truths = Set(trial.record.truthReferences)
            return ThresholdTrial(
                cluster: trial.cluster, isPositive: trial.record.trial.isPositive,
                candidates: (trial.record.error == nil ? trial.record.candidates : [])
                    .map { ($0.score, truths.contains($0.referenceID)) })
        }
        let own = Row(.own, at: nil, OperatingPoint(run.map(\.decided), prices: prices))
        let fitted = CrossFittedTrials(scored, prices: prices, seed: seed)
        var rates = Set(Self.usualRates)
        if case .falseAccepts(let rate) = wanted { rates.insert(rate) }
        var goals = rates.sorted(by: >).map(ThresholdGoal.falseAccepts)
        if let wanted, !goals.contains(wanted), wanted != .leastCost { goals.append(wanted) }
        goals.append(.leastCost)
        rows =
            [own]
            + goals.compactMap { ThresholdChoice($0, of: fitted) }.map { choice in
                Row(choice)
            }
        self.fitted = fitted
        self.prices = prices
        positives = fitted.sweep.positives
        negatives = fitted.sweep.negatives
        recordings = Set(run.map(\.cluster)).count
        negativeRecordings = Set(run.filter { !$0.record.trial.isPositive }.map(\.cluster)).count
        isOneScore = fitted.sweep.steps.count == 1
    }

    /// Thresholds over the whole range, the highest first, each with its figures on all trials.
    package var sweep: [Row] {
        fitted.sweep.thinned(to: Self.mostSteps).map { step in
            let decided = fitted.trials.map { $0.decided(at: step.threshold) }
            return Row(.any, at: step.threshold, OperatingPoint(decided, prices: prices))
        }
    }

    package func row(for purpose: Purpose) -> Row? { rows.first { $0.purpose == purpose } }

    /// What the negatives show at the threshold for a wanted rate above 0; nil without that row.
    package func evidence(for goal: ThresholdGoal) -> Evidence? {
        guard let row = row(for: .goal(goal)) else { return nil }
        switch goal {
        case .falseAccepts(about: let wanted):
            guard wanted > 0, let bound = row.point.falseAccepts.upperBound() else { return nil }
            return Evidence(
                wanted: wanted, confidence: 0.95, isBound: false, falseAccepts: row.point.falseAccepts,
                bound: bound)
        case .boundedFalseAccepts(let wanted, let confidence):
            let accepts = row.ownFalseAccepts
            return accepts.upperBoundOfOthers(confidence: confidence).map {
                Evidence(
                    wanted: wanted, confidence: confidence, isBound: true, falseAccepts: accepts, bound: $0)
            }
        case .leastCost: return nil
        }
    }
}

extension JudgedTrial {
    /// Its end by the matcher's own decision.
    fileprivate var decided: DecidedTrial {
        DecidedTrial(
            cluster: cluster, isPositive: record.trial.isPositive,
            claim: claim.map { record.truthReferences.contains($0.referenceID) }, accepted: accepted.count,
            rightAccepted: accepted.count - wrongAnswers)
    }

    /// The trials of the named conditions: a degradation, with its severity, or a whole cell as `clean, 5 s`.
    ///
    /// - Throws: ``MeasurementError`` with the known conditions for a name that none has.
    package static func ofConditions(_ names: [String], among trials: [JudgedTrial]) throws -> [JudgedTrial] {
        if names.isEmpty { return trials }
        func words(of trial: JudgedTrial) -> [String] {
            let key = CellScore.Key(trial.record)
            return [key.degradation, "\(key.degradation) \(key.severity)", key.words]
        }
        let known = Set(trials.map { CellScore.Key($0.record) })
        for name in names
        where !known.contains(where: {
            [$0.degradation, "\($0.degradation) \($0.severity)", $0.words].contains(name)
        }) {
            let degradations = Set(known.map(\.degradation)).sorted()
            let near = degradations.suggestion(for: name)
            throw MeasurementError(
                "no condition of the run is called \(name)"
                    + (near.isEmpty ? "; there are \(degradations.joined(separator: ", "))" : near))
        }
        return trials.filter { !Set(words(of: $0)).isDisjoint(with: names) }
    }
}
