import Metrics
import SystemIO

extension Gate {
    /// The interval of recall at zero false accepts of each set, with the threshold found again in each resample.
    func zeroFalseAcceptIntervals(_ sets: [TrialSet], in run: PairedRun) -> [Interval?] {
        var setsOfTrial: [String: [Int]] = [:]
        for (number, set) in sets.enumerated() {
            for pair in set.pairs { setsOfTrial[pair.now.id, default: []].append(number) }
        }
        let trials = run.cells.flatMap(\.pairs).map(\.now).filter(\.result.isEvidence)
        return ZeroFalseAcceptPoint.intervals(
            of: trials.map {
                ($0.cluster, $0.result.scores(isPositive: $0.isPositive), setsOfTrial[$0.id] ?? [])
            }, sets: sets.count,
            ClusterBootstrap(confidence: 1 - rules.significance, resamples: 999, seed: Self.seed))
    }

    /// Judges losses in recall at zero false accepts.
    ///
    /// The threshold of each run is found again in each resample of recordings (``FittedRecallDifference``).
    /// - Throws: ``LeftOut`` for a baseline of a version that stored no scores.
    func zeroFalseAcceptLosses(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], in run: PairedRun, margin: Double,
        finds: Double?
    ) throws -> [GateFinding] {
        let before = run.cells.flatMap(\.pairs).compactMap(\.before)
        if before.contains(where: { $0.isRightAboveWrong && $0.rightScore == nil }) {
            throw LeftOut(baselineWithout: "scores")
        }
        // Bonferroni: each interval of a rule is that much wider.
        let confidence = 1 - 2 * rules.significance / Double(sets.count)
        return sets.map { set in
            let counted = Set(set.pairs.map(\.now.id))
            let change = FittedRecallDifference(
                run.scores { counted.contains($0.id) }, confidence: confidence, seed: Self.seed)
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: set.words, verdict: .pass,
                reason: "\(measure.words) unchanged in \(change.trials.counting("trial"))",
                trials: change.trials,
                probability: change.probability)
            guard change.lost + change.gained > 0 else { return finding }
            guard let difference = change.difference, let interval = change.interval else {
                finding.verdict = .inconclusive
                finding.reason = "too few recordings to compare \(measure.words)"
                return finding
            }
            finding.reason =
                "\(measure.words) \(Self.differenceText(difference)) (won \(change.gained), lost \(change.lost) of "
                + "\(change.trials), each run at its own threshold); other recordings "
                + "\(Self.points(interval.lower)) to \(Self.points(interval.upper))"
            if interval.upper < -margin {
                finding.verdict = .fail
            } else if interval.lower > 0 {
                finding.verdict = .improved
            } else if difference < -margin, interval.lower < -GateRules.finds(finds, margin: margin) {
                finding.verdict = .inconclusive
            }
            return finding
        }
    }
}
