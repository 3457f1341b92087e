import Metrics
import SystemIO

extension Gate {
    /// The significance of a gain over that of a loss.
    ///
    /// A gain asks for a new baseline. Changes in both directions should seldom ask for one.
    private static let gainSignificance = 0.1

    /// Judges the net loss of a rate in each set.
    ///
    /// A loss fails that is significantly above the margin. A single set passes if its loss is within the margin, or a loss
    /// of `finds` is excluded. One of many passes unless it would fail by itself.
    /// - Throws: ``LeftOut`` for a baseline of a version that did not store the measure.
    func losses(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], margin: Double, finds: Double
    ) throws -> [GateFinding] {
        if measure.isMark, sets.flatMap(\.pairs).allSatisfy({ $0.before?.numbers[measure.name] == nil }) {
            throw LeftOut(baselineWithout: measure.name)
        }
        let compared = sets.map { (words: $0.words, pairs: measure.successes(of: $0.pairs)) }
            .filter { !$0.pairs.isEmpty }
        if compared.isEmpty { throw LeftOut(reason: "no trial was offered in both runs") }
        let changes = compared.map { PairedLoss($0.pairs) }
        let significance = rules.significance
        let lost = Self.adjusted(changes, beyond: margin, significance: significance)
        // A set among many shows a gain as it shows a loss: beyond the margin.
        let won = Self.adjusted(
            changes.map(\.reversed), beyond: rule.scope == .run ? 0 : margin,
            significance: significance * Self.gainSignificance)
        return changes.indices.map { index in
            let change = changes[index]
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: compared[index].words, verdict: .pass, reason: "",
                trials: change.trials, probability: lost[index])
            if lost[index] <= significance {
                finding.verdict = .fail
            } else if won[index] <= significance * Self.gainSignificance {
                finding.verdict = .improved
            } else if change.loss > margin {
                let isDecided =
                    rule.scope == .run
                    ? change.probability(below: finds) <= significance
                    : change.probability(beyond: margin) > significance
                finding.verdict = isDecided ? .pass : .inconclusive
            }
            finding.reason = reason(measure, change, finding, margin: margin, sets: changes.count)
            if rule.scope == .run, change.lost + change.won > 0 {
                let sign = measure.isBetterHigh ? 1.0 : -1.0
                finding.reason += Self.intervals(
                    change, PairedDifference(compared[index].pairs), sign: sign, significance)
            }
            return finding
        }
    }

    private static func adjusted(_ changes: [PairedLoss], beyond margin: Double, significance: Double)
        -> [Double]
    {
        Holm.adjusted(
            changes.map { $0.probability(beyond: margin) },
            least: changes.map { $0.leastProbability(beyond: margin) }, significance: significance)
    }

    private func reason(
        _ measure: TrialMeasure, _ change: PairedLoss, _ finding: GateFinding, margin: Double, sets: Int
    ) -> String {
        if change.lost + change.won == 0 {
            return "\(measure.words) unchanged in \(change.trials.counting("trial"))"
        }
        let sign = measure.isBetterHigh ? -1.0 : 1.0
        let figures =
            "\(measure.words) \(Self.differenceText(sign * change.loss)) "
            + "(won \(change.won), lost \(change.lost) of \(change.trials))"
        let value = finding.probability ?? 1
        let probability = value < 0.0001 ? "below 0.0001" : Self.text(value)
        let corrected = sets > 1 ? ", corrected for \(sets) sets of trials" : ""
        return switch finding.verdict {
        case .fail: "\(figures), beyond \(Self.pointsText(margin)) with p \(probability)\(corrected)"
        case .inconclusive:
            "\(figures), perhaps beyond \(Self.pointsText(margin)): p \(probability)\(corrected)"
        case .improved: "\(figures), more than chance"
        case .pass:
            switch change.loss {
            case ...0: figures
            case ...margin: "\(figures), within the margin of \(Self.pointsText(margin))"
            default: "\(figures), not significantly beyond \(Self.pointsText(margin))"
            }
        }
    }

    /// The interval of the same test, and that for other recordings.
    private static func intervals(
        _ change: PairedLoss, _ difference: PairedDifference, sign: Double, _ significance: Double
    ) -> String {
        func range(_ ends: [Double]) -> String {
            let ends = ends.map { sign * $0 }.sorted().map(points)
            return "\(ends[0]) to \(ends[1])"
        }
        let own = change.interval(significance: significance).map {
            "; these queries \(range([-$0.lower, -$0.upper]))"
        }
        let others = difference.interval(confidence: 1 - 2 * significance).map {
            ", other recordings \(range([$0.lower, $0.upper]))"
        }
        return (own ?? "") + (others ?? "") + " (\(text((1 - 2 * significance) * 100)) % intervals)"
    }
}

extension TrialMeasure {
    /// The pairs of a rate that both runs have; success is what ought to be more.
    fileprivate func successes(
        of pairs: [PairedRun.Pair]
    ) -> [(cluster: String, before: Bool, after: Bool)] {
        pairs.compactMap { pair in
            guard let before = pair.before, before.outcome != nil else { return nil }
            let (was, now) = (holds(before), holds(pair.now.result))
            return (pair.now.cluster, isBetterHigh ? was : !was, isBetterHigh ? now : !now)
        }
    }
}
