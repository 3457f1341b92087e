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
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], in run: PairedRun,
        margin: GateRule.LossMargin, finds: Double?
    ) throws -> [GateFinding] {
        if measure.isMark, sets.flatMap(\.pairs).allSatisfy({ $0.before?.numbers[measure.name] == nil }) {
            throw LeftOut(baselineWithout: measure.name)
        }
        let threshold = measure.isCarried ? try run.baselineThreshold() : nil
        let compared = sets.map {
            (words: $0.words, pairs: measure.successes(of: $0.pairs, above: threshold))
        }
        .filter { !$0.pairs.isEmpty }
        if compared.isEmpty { throw LeftOut(reason: "no trial was offered in both runs") }
        let changes = compared.map { set in
            Loss(PairedLoss(set.pairs), margin: margin.share(ofMistakes: set.pairs.map { !$0.before }))
        }
        let significance = rules.significance
        let lost = Self.adjusted(changes, significance: significance)
        // A set among many shows a gain as it shows a loss: beyond the margin.
        let won = Self.adjusted(
            changes.map { Loss($0.change.reversed, margin: rule.scope == .run ? 0 : $0.margin) },
            significance: significance * Self.gainSignificance)
        return changes.indices.map { index in
            let (change, margin) = (changes[index].change, changes[index].margin)
            let own = change.probability(beyond: margin)
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: compared[index].words, verdict: .pass, reason: "",
                trials: change.trials, probability: own,
                correctedProbability: changes.count > 1 ? lost[index] : nil)
            if let lost = lost[index], lost <= significance {
                finding.verdict = .fail
            } else if let won = won[index], won <= significance * Self.gainSignificance {
                finding.verdict = .improved
            } else if change.loss > margin {
                let largest = GateRules.finds(finds, margin: margin)
                let isDecided =
                    rule.scope == .run
                    ? change.probability(below: largest) <= significance : own > significance
                finding.verdict = isDecided ? .pass : .inconclusive
            }
            finding.reason = reason(
                measure, changes[index], finding, isTestable: lost[index] != nil, sets: changes.count)
            if rule.scope == .run, change.lost + change.won > 0 {
                let sign = measure.isBetterHigh ? 1.0 : -1.0
                finding.reason += Self.intervals(
                    change, PairedDifference(compared[index].pairs), sign: sign, significance)
            }
            return finding
        }
    }

    /// A change of a set, and the net loss that is allowed there.
    struct Loss {
        let change: PairedLoss
        let margin: Double

        init(_ change: PairedLoss, margin: Double) {
            self.change = change
            self.margin = margin
        }
    }

    /// The corrected probabilities; nil for a change that no correction can make significant.
    static func adjusted(_ losses: [Loss], significance: Double) -> [Double?] {
        Holm.adjusted(
            losses.map { $0.change.probability(beyond: $0.margin) },
            least: losses.map { $0.change.leastProbability(beyond: $0.margin) }, significance: significance)
    }

    private func reason(
        _ measure: TrialMeasure, _ loss: Loss, _ finding: GateFinding, isTestable: Bool, sets: Int
    ) -> String {
        let (change, margin) = (loss.change, Self.pointsText(loss.margin))
        if change.lost + change.won == 0 {
            return "\(measure.words) unchanged in \(change.trials.counting("trial"))"
        }
        let sign = measure.isBetterHigh ? -1.0 : 1.0
        let figures =
            "\(measure.words) \(Self.differenceText(sign * change.loss)) "
            + "(won \(change.won), lost \(change.lost) of \(change.trials))"
        let probability = Self.text(finding, isTestable: isTestable, sets: sets)
        return switch finding.verdict {
        case .fail: "\(figures), beyond \(margin) with \(probability)"
        case .inconclusive: "\(figures), perhaps beyond \(margin): \(probability)"
        case .improved: "\(figures), more than chance"
        case .pass:
            change.loss <= 0
                ? figures
                : change.loss <= loss.margin
                    ? "\(figures), within the margin of \(margin)"
                    : "\(figures), not significantly beyond \(margin): \(probability)"
        }
    }

    /// The own probability of a finding, and the corrected one.
    ///
    /// - Parameter isTestable: Whether as many changed trials can be significant.
    static func text(_ finding: GateFinding, isTestable: Bool, sets: Int) -> String {
        func text(_ value: Double) -> String { value < 0.0001 ? "below 0.0001" : Self.text(value) }
        let own = "p \(text(finding.probability ?? 1))"
        if !isTestable { return own + ", which so few changed trials cannot make significant" }
        guard sets > 1, let corrected = finding.correctedProbability else { return own }
        return own + ", corrected for \(sets) sets of trials \(text(corrected))"
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
    ///
    /// A trial without its value, which it has in the baseline, is no success.
    fileprivate func successes(
        of pairs: [PairedRun.Pair], above threshold: Double?
    ) -> [(cluster: String, before: Bool, after: Bool)] {
        pairs.compactMap { pair in
            guard let before = pair.before, before.outcome != nil else { return nil }
            var isMissing = false
            if isStated, !(counts(before) && counts(pair.now.result)) {
                isMissing = self.isMissing(in: pair.now.result, before: before) ?? false
                guard isMissing else { return nil }
            }
            let (was, now) = (holds(before, above: threshold), holds(pair.now.result, above: threshold))
            return (
                pair.now.cluster, isBetterHigh ? was : !was, !isMissing && (isBetterHigh ? now : !now)
            )
        }
    }
}

extension PairedRun {
    /// The share of negatives that the scores of the baseline accept at its threshold.
    private static let falseAcceptsAtThreshold = 0.01

    /// The score that an answer must exceed, so that at most 1 % of the negatives of the baseline are accepted; nil for
    /// any score.
    ///
    /// Without negatives all trials count.
    /// - Throws: ``Gate/LeftOut`` for a baseline of a version that stored no scores.
    package func baselineThreshold() throws -> Double? {
        let pairs = cells.flatMap(\.pairs).filter { $0.before?.isEvidence == true && !$0.now.result.isRepeat }
        if pairs.contains(where: { $0.before?.isRightAboveWrong == true && $0.before?.rightScore == nil }) {
            throw Gate.LeftOut(baselineWithout: "scores")
        }
        let negatives = pairs.filter { !$0.now.isPositive }
        let counted = (negatives.isEmpty ? pairs : negatives).compactMap(\.before)
        let accepted = Int(bounded: Self.falseAcceptsAtThreshold * Double(counted.count))
        let falling = counted.compactMap(\.wrongScore).sorted(by: >)
        return falling.dropFirst(accepted).first
    }
}
