import Foundation
import Metrics

extension Gate {
    /// The seed of sign flips; the verdict must not depend on who asks.
    private static let seed: UInt64 = 0x6A7E

    /// Judges a rate against the same trials of the baseline.
    package func losses(
        _ rule: GateRule, _ measure: GateMeasure, _ sets: [TrialSet], tolerated: Double
    ) -> [GateFinding] {
        let sign = measure.isBetterHigh ? 1.0 : -1.0
        let tested = sets.map { set in
            let pairs = set.pairs.compactMap { pair -> (cluster: String, before: Bool, after: Bool)? in
                guard let before = pair.before, before.outcome != nil else { return nil }
                let (was, now) = (measure.holds(before), measure.holds(pair.now.result))
                // Success is what ought to be more.
                return (
                    pair.now.cluster, measure.isBetterHigh ? was : !was, measure.isBetterHigh ? now : !now
                )
            }
            return (set, pairs, PairedEvidence(pairs, seed: Self.seed))
        }
        let probabilities = Holm.adjusted(tested.map(\.2.probability))
        return zip(tested, probabilities).map { test, probability in
            let (set, pairs, _) = test
            let change = PairedDifference(pairs)
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive, reason: "",
                trials: pairs.count, probability: probability)
            guard let difference = change.difference,
                let interval = change.interval(confidence: 1 - rules.significance)
            else {
                finding.reason = "no trial to compare"
                return finding
            }
            let (won, lost) = (change.gained, change.lost)
            let ends = [sign * interval.lower, sign * interval.upper].sorted().map(Self.signed)
            finding.reason =
                "\(measure.rawValue) \(Self.signed(sign * difference)) (interval \(ends[0]) to \(ends[1]); "
                + "won \(won), lost \(lost) of \(pairs.count); p \(Self.text(probability)))"
            if probability < rules.significance {
                finding.verdict = difference < 0 ? .fail : .improved
            } else if interval.lower >= -tolerated {
                finding.verdict = .pass
            } else {
                finding.trialsNeeded = change.trialsNeeded(
                    toExclude: tolerated, confidence: 1 - rules.significance)
                finding.reason += need(finding.trialsNeeded, have: pairs.count)
            }
            return finding
        }
    }

    /// Judges a magnitude by the ratio to the same trials of the baseline.
    package func growths(
        _ rule: GateRule, _ measure: GateMeasure, _ sets: [TrialSet], factor: Double
    ) -> [GateFinding] {
        guard let magnitude = measure.magnitude else { return [] }
        // Bonferroni: each interval of a rule is that much wider.
        let confidence = 1 - rules.significance / Double(sets.count)
        return sets.map { set in
            let ratios = set.pairs.compactMap { pair -> (cluster: String, value: Double)? in
                guard let was = pair.before?.magnitudes[magnitude],
                    let now = pair.now.result.magnitudes[magnitude]
                else { return nil }
                let floor = magnitude.resolution
                return (pair.now.cluster, log(max(now, floor) / max(was, floor)))
            }
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive, reason: "",
                trials: ratios.count)
            guard
                let mean = ClusterBootstrap.mean(ratios, confidence: confidence, seed: Self.seed)
            else {
                finding.reason =
                    "\(measure.rawValue) was measured before and now in too few trials to compare"
                return finding
            }
            let interval = Interval(lower: exp(mean.interval.lower), upper: exp(mean.interval.upper))
            finding.reason =
                "\(measure.rawValue) × \(Self.text(exp(mean.value))) (interval \(Self.text(interval)), "
                + "\(ratios.count) trials), × \(Self.text(factor)) is allowed"
            if interval.lower > factor {
                finding.verdict = .fail
            } else if interval.upper < 1 / factor {
                finding.verdict = .improved
            } else if interval.upper <= factor {
                finding.verdict = .pass
            } else {
                let room = log(factor) - mean.value
                let half = mean.interval.upper - mean.value
                // Intervals narrow with the square root of the number of trials.
                finding.trialsNeeded =
                    room != 0 ? Int((Double(ratios.count) * pow(half / room, 2)).rounded(.up)) : nil
                finding.reason += need(finding.trialsNeeded, have: ratios.count)
            }
            return finding
        }
    }

    private static func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + text(value) }
}

extension TrialResult.Magnitude {
    fileprivate var resolution: Double {
        switch self {
        case .offsetErrorSeconds: 1e-5
        case .frequencySkewError, .timeSkewError: 1e-6
        case .latencyRatio: 1e-3
        }
    }
}

/// The two paired tests of a change, of which the more cautious counts.
package struct PairedEvidence: Sendable {
    /// Exact McNemar, which takes trials for independent.
    package let mcNemar: Double
    package let signFlip: Double

    package var probability: Double { max(mcNemar, signFlip) }

    package init(_ pairs: [(cluster: String, before: Bool, after: Bool)], seed: UInt64) {
        mcNemar = PairedComparison(pairs.map { ($0.before, $0.after) }).exactProbability
        signFlip =
            SignFlipTest(
                pairs.map { ($0.cluster, ($0.after ? 1.0 : 0) - ($0.before ? 1.0 : 0)) }, seed: seed
            ).probability
    }
}
