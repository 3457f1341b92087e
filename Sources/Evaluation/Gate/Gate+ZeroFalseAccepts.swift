import Metrics

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
    /// - Throws: ``GateError`` for a baseline of a version that stored no scores.
    func zeroFalseAcceptLosses(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], in run: PairedRun, tolerated: Double
    ) throws -> [GateFinding] {
        let before = run.cells.flatMap(\.pairs).compactMap(\.before)
        if before.contains(where: { $0.isRightAboveWrong && $0.rightScore == nil }) {
            throw GateError(baselineWithout: "scores", for: rule)
        }
        let changes = sets.map { set in
            let counted = Set(set.pairs.map(\.now.id))
            return FittedRecallDifference(
                run.scores { counted.contains($0.id) }, confidence: 1 - rules.significance, seed: Self.seed)
        }
        return zip(zip(sets, changes), Holm.adjusted(changes.map(\.probability))).map { test, probability in
            let (set, change) = test
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive,
                reason: "too few recordings to compare", trials: change.trials, probability: probability)
            guard let difference = change.difference, let interval = change.interval else { return finding }
            finding.reason =
                "\(measure.words) \(Self.points(difference)) points (interval "
                + "\(Self.points(interval.lower)) to \(Self.points(interval.upper)); won \(change.gained), lost \(change.lost) of \(change.trials), each run at "
                + "its own threshold; p \(Self.text(probability)) by bootstrap of recordings)"
            if probability < rules.significance {
                finding.verdict = difference < 0 ? .fail : .improved
            } else if change.excludes(loss: tolerated) {
                finding.verdict = .pass
            } else {
                finding.reason +=
                    "; too few recordings to exclude a loss of \(Self.text(tolerated * 100)) points"
            }
            return finding
        }
    }
}
