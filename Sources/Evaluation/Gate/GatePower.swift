import AudioCore
import Degradations
import Foundation
import Metrics

/// The losses that rules find on a panel of queries, known before a matcher answers one.
///
/// A change loses some queries for good. Each other query is lost or won by chance, with a probability called churn.
package struct GatePower: Sendable {
    /// A rule about the loss of a rate.
    package struct Row: Sendable {
        package let rule: String
        package let sets: Int
        /// The number of trials of the smallest set.
        package let trials: Int
        package let finds: Double
        /// The lost trials of that set that fail in 90 % of runs, by churn; nil where no number does.
        package let found: [Int?]
        /// The same if each trial is lost by chance: the true loss in trials, at the usual churn; nil where none does.
        package let foundAtRandom: Int?

        /// ``foundAtRandom`` in words.
        package var atRandom: String { foundAtRandom.map { GatePower.share($0, of: trials) } ?? "none" }

        /// Whether it finds at the usual churn what the rule states.
        package var isEnough: Bool {
            found[GatePower.usualChurn].map { Double($0) <= finds * Double(trials) } ?? false
        }
    }

    /// The shares of all trials that are lost, and the same that are won, by chance.
    package static let churns = [0, 0.01, 0.02]
    /// The index of the one that false alarms are stated for.
    private static let usualChurn = 1
    private static let power = 0.9

    package let rows: [Row]
    /// A bound of the probability that a run fails, though nothing is lost but by the usual churn.
    package let falseAlarm: Double

    /// Finds what `rules` find in a run.
    package init(_ rules: GateRules, run: ScoredRun) throws { try self.init(rules, panel: run.cells) }

    /// Finds what `rules` will find in runs of a plan.
    package init(_ rules: GateRules, plan: Plan) throws { try self.init(rules, panel: plan.panel) }

    private init(_ rules: GateRules, panel: [ScoredRun.Cell]) throws {
        let run = PairedRun(unpaired: panel)
        var rows: [Row] = []
        var alarms = 0.0
        for rule in rules.rules {
            guard let measure = rule.measure, !measure.isFitted,
                case .noLossBeyond(let margin, let finds) = rule.condition
            else { continue }
            let found: [Gate.TrialSet]
            do { found = try Gate(rules).sets(of: rule, in: run) } catch is Gate.LeftOut { continue }
            let sets = found.map { set in
                // A threshold of the baseline lets few mistakes pass.
                let mistakes = set.pairs.map {
                    !measure.isCarried && measure.holds($0.now.result) != measure.isBetterHigh
                }
                return SetSize(trials: set.pairs.count, margin: margin.share(ofMistakes: mistakes))
            }.sorted { ($0.trials, $0.margin) < ($1.trials, $1.margin) }
            let levels = Self.churns.map {
                Self.level(sets, churn: $0, significance: rules.significance)
            }
            let detectors = levels.map { LossDetector(sets[0], level: $0) }
            let usual = (detectors[Self.usualChurn], Self.churns[Self.usualChurn])
            rows.append(
                Row(
                    rule: rule.name, sets: sets.count, trials: sets[0].trials,
                    finds: GateRules.finds(finds, margin: sets[0].margin),
                    found: zip(Self.churns, detectors).map { churn, detector in
                        detector.least { detector.power(losing: $0, churn: churn) >= Self.power }
                    },
                    foundAtRandom: usual.0.least {
                        usual.0.power(atRandom: $0, churn: usual.1) >= Self.power
                    }))
            for (size, count) in Dictionary(grouping: sets, by: \.self).mapValues(\.count) {
                let detector = LossDetector(size, level: levels[Self.usualChurn])
                alarms += Double(count) * detector.power(losing: 0, churn: Self.churns[Self.usualChurn])
            }
        }
        self.rows = rows
        falseAlarm = min(1, alarms)
    }

    /// A set of trials, by what decides its losses.
    struct SetSize: Hashable {
        let trials: Int
        let margin: Double
    }

    /// The significance of one set among several with the number of tests that Tarone's correction is likely to count.
    private static func level(_ sets: [SetSize], churn: Double, significance: Double) -> Double {
        if sets.count == 1 { return significance }
        let counts = Dictionary(grouping: sets, by: \.self).mapValues(\.count)
        var tests = 1
        while tests < sets.count {
            let level = significance / Double(tests)
            let others = counts.reduce(0.0) { sum, set in
                let (trials, margin) = (set.key.trials, set.key.margin)
                let least = (0...trials).first {
                    PairedLoss(lost: $0, won: 0, of: trials).probability(beyond: margin) <= level
                }
                let changed = BinomialDistribution(trials: trials, rate: min(1, 2 * churn))
                return sum + Double(set.value) * (least.map(changed.atLeast) ?? 0)
            }
            if 1 + others <= Double(tests) + 0.5 { break }
            tests += 1
        }
        return significance / Double(tests)
    }

    /// What the first rule finds, if its trials are enough, and a sentence on all rules that have too few.
    package var notes: [String] {
        let first = rows.prefix(1).filter(\.isEnough).compactMap { row in
            row.found[Self.usualChurn].map { found in
                "\(row.rule): a loss of \(Self.share(found, of: row.trials)) is found in 90 % of runs, "
                    + "if 1 % of the trials are lost and 1 % won by chance. If chance decides which trials are lost, "
                    + "the true loss must be \(row.atRandom)"
            }
        }
        let weak = rows.filter { !$0.isEnough }.map { row in
            let found = row.found[Self.usualChurn].map {
                "\(Gate.text(Double($0) / Double(row.trials) * 100)) points, not \(Gate.text(row.finds * 100))"
            }
            return "\(row.rule) (\(row.trials.counting("trial finds", "trials find")) \(found ?? "none"))"
        }
        guard !weak.isEmpty else { return first }
        return first + [
            "too few trials to find the losses of \(weak.count.counting("rule")): \(weak.joined(separator: "; ")). "
                + "Take more queries, or state a larger `finds`"
        ]
    }

    /// What the first rule cannot find, for the first line of a report; nil if its trials are enough.
    package var warning: String? {
        guard let row = rows.first, !row.isEnough else { return nil }
        let found = row.found[Self.usualChurn].map {
            "find a loss of \(Gate.pointsText(Double($0) / Double(row.trials)))"
        }
        return "\(row.trials.counting("trial")) \(found ?? "find no loss"), not \(Gate.text(row.finds * 100))"
    }

    package static func share(_ lost: Int, of trials: Int) -> String {
        "\(Gate.text(Double(lost) / Double(trials) * 100)) points (\(lost) of \(trials))"
    }

    /// The probability of a false alarm in a number of runs.
    package func falseAlarm(runs: Int) -> Double { 1 - pow(1 - falseAlarm, Double(runs)) }
}

/// Which numbers of lost and won trials fail.
private struct LossDetector {
    let trials: Int
    /// The least number of lost trials that fails, by the number won.
    private let leastLost: [Int]

    init(_ set: GatePower.SetSize, level: Double) {
        let (trials, margin) = (set.trials, set.margin)
        self.trials = trials
        let largest = (GatePower.churns.max() ?? 0) * Double(trials)
        let won = min(trials, Int(bounded: largest + 6 * (largest.squareRoot() + 1)))
        var lost = Int(bounded: margin * Double(trials))
        leastLost = (0...won).map { won in
            while lost + won <= trials,
                PairedLoss(lost: lost, won: won, of: trials).probability(beyond: margin) > level
            { lost += 1 }
            return lost
        }
    }

    /// The probability of a fail if `lost` trials are lost for good.
    func power(losing lost: Int, churn: Double) -> Double {
        let wins = BinomialDistribution(trials: trials, rate: churn)
        let others = BinomialDistribution(trials: trials - lost, rate: churn)
        return leastLost.enumerated().reduce(0) { sum, least in
            guard least.element + least.offset <= trials else { return sum }
            return sum + wins.probability(of: least.offset) * others.atLeast(least.element - lost)
        }
    }

    /// The probability of a fail if each trial is lost by chance, `lost` more of them than are won in the mean.
    func power(atRandom lost: Int, churn: Double) -> Double {
        let rate = min(1, (Double(lost) / Double(max(1, trials)) + churn) / (1 - churn))
        let wins = BinomialDistribution(trials: trials, rate: churn)
        return leastLost.enumerated().reduce(0) { sum, least in
            guard least.element + least.offset <= trials else { return sum }
            let losses = BinomialDistribution(trials: trials - least.offset, rate: rate)
            return sum + wins.probability(of: least.offset) * losses.atLeast(least.element)
        }
    }

    /// The least number of lost trials for which a monotonic condition holds; nil if none does.
    func least(_ isFound: (Int) -> Bool) -> Int? {
        var (low, high) = (0, trials)
        guard isFound(high) else { return nil }
        while low < high {
            let middle = (low + high) / 2
            if isFound(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension GateReport {
    /// Says what the trials of a run can find.
    package mutating func add(_ power: GatePower) {
        notes += power.notes
        warning = power.warning
    }
}

extension Plan {
    /// The cells with trials as a faultless matcher would answer them.
    fileprivate var panel: [ScoredRun.Cell] {
        var order: [Cell] = []
        let members = Dictionary(grouping: trials, by: \.cell)
        for trial in trials where order.last != trial.cell { order.append(trial.cell) }
        return order.map { cell in
            let trials = members[cell] ?? []
            return ScoredRun.Cell(
                key: CellScore.Key(
                    degradation: cell.degradation, severity: cell.severity, lengthSeconds: cell.lengthSeconds),
                group: ConditionGroup(
                    trials.first?.knownChain ?? DegradationChain(),
                    hasPositives: trials.contains(where: \.isPositive)),
                trials: trials.compactMap { trial in
                    guard var result = TrialResult(character: trial.isPositive ? "C" : "r") else {
                        return nil
                    }
                    for measure in TrialMeasure.all where measure.isMark && trial.isPositive {
                        result.numbers[measure.name] = 1
                    }
                    let recording = trial.source ?? ""
                    return ScoredRun.Trial(
                        id: trial.id, cluster: recording, recording: recording, isPositive: trial.isPositive,
                        result: result)
                })
        }
    }
}
