import Foundation
import Metrics
import SystemIO

extension Gate {
    /// Judges a cost by passes over the timed queries, because the speed of a machine belongs to the moment.
    ///
    /// A growth compares passes of both runs that took turns on one machine (``PassComparison``). A limit takes the passes
    /// of the run.
    ///
    /// - Throws: ``LeftOut`` where the passes cannot tell, with what to do.
    func costs(
        _ rule: GateRule, _ measure: TrialMeasure, _ cost: TrialCost, _ sets: [TrialSet],
        _ run: ScoredRun.Identity, _ baseline: ScoredRun.Identity?
    ) throws -> [GateFinding] {
        // Bonferroni: each interval of a rule is that much wider.
        let confidence = 1 - rules.significance / Double(sets.count)
        switch rule.condition {
        case .mayGrowBy(let factor):
            guard let baseline else { return [] }
            try requireOneMachine(run.machine, baseline.machine)
            return try sets.map { set in
                let (before, after) = (
                    passes(of: set.pairs.map(\.before), cost, from: baseline.passStarts),
                    passes(of: set.pairs.map(\.now.result), cost, from: run.passStarts)
                )
                guard let growth = PassComparison(before: before, after: after, confidence: confidence) else {
                    throw LeftOut(reason: tooFewRounds(before, after))
                }
                return finding(rule, measure, set, growth, factor: factor, queries: after)
            }
        case .atMost(let limit, let isHard), .atLeast(let limit, let isHard):
            let isFloor = if case .atLeast = rule.condition { true } else { false }
            return try sets.map { set in
                let passes = passes(of: set.pairs.map(\.now.result), cost, from: run.passStarts)
                guard passes.count >= PassComparison.fewestRounds else {
                    throw LeftOut(
                        reason: "time was measured in \(passes.count.counting("pass", "passes")), and "
                            + "\(PassComparison.fewestRounds) are needed. Evaluate with --latency-passes "
                            + "\(PassComparison.fewestRounds)")
                }
                return finding(
                    rule, measure, set, passes, confidence, limit: limit, isFloor: isFloor, isHard: isHard)
            }
        case .noLossBeyond, .answers: return []
        }
    }

    private func requireOneMachine(_ now: RunFacts.Machine, _ before: RunFacts.Machine) throws {
        guard !now.isAlike(before) || now.logicalCores != before.logicalCores else { return }
        func words(_ machine: RunFacts.Machine) -> String {
            "\(machine.processorType), \(machine.logicalCores.counting("core"))"
        }
        throw LeftOut(
            reason: "times of different machines are not compared: \(words(now)) against \(words(before))")
    }

    private func tooFewRounds(_ before: [PassComparison.Pass], _ after: [PassComparison.Pass]) -> String {
        let rounds = PassComparison.rounds(before, after).count
        let missing =
            before.isEmpty || after.isEmpty
            ? "\(after.isEmpty ? "the run" : "the baseline") has no timed passes"
            : "both programs took turns in \(rounds.counting("round"))"
        return
            "\(missing), and \(PassComparison.fewestRounds) rounds are needed. For N from 1 to 15, evaluate with "
            + "`--latency-passes N`, first the program of the baseline, then that of the run. Then record the baseline"
    }

    /// The passes that timed at least half as many queries as the fullest one.
    private func passes(
        of results: [TrialResult?], _ cost: TrialCost, from starts: [Double]?
    ) -> [PassComparison.Pass] {
        let all = (starts ?? []).enumerated().map { number, start in
            PassComparison.Pass(
                startedAt: start, costs: results.map { $0?.numbers[cost.name(ofPass: number)] })
        }
        let counts = all.map { $0.costs.count { $0 != nil } }
        let most = counts.max() ?? 0
        return zip(all, counts).filter { $1 > 0 && 2 * $1 >= most }.map(\.0)
    }

    private func finding(
        _ rule: GateRule, _ measure: TrialMeasure, _ set: TrialSet, _ growth: PassComparison, factor: Double,
        queries passes: [PassComparison.Pass]
    ) -> GateFinding {
        let queries = passes.map { $0.costs.count { $0 != nil } }.max() ?? 0
        var finding = GateFinding(
            rule: rule.name, line: rule.line, scope: set.words, verdict: .pass,
            reason: "\(measure.words) × \(Self.text(growth.ratio)) (interval \(Self.text(growth.interval)), "
                + "\(growth.rounds.counting("round")) of \(queries.counting("query", "queries"))), "
                + "× \(Self.text(factor)) is allowed", trials: queries)
        // Half the width of the interval, as a factor.
        let width = (growth.interval.upper / growth.interval.lower).squareRoot()
        if width > max(Self.widestFactor, factor) {
            // Where noise decides, one interval in twenty excludes that nothing changed.
            finding.verdict = .inconclusive
            finding.reason += "; the machine was too busy to tell, so use more rounds or a quieter one"
        } else if growth.interval.lower > factor {
            finding.verdict = .fail
        } else if growth.interval.upper < 1 / factor {
            finding.verdict = .improved
        } else if growth.ratio > factor {
            finding.verdict = .inconclusive
            finding.reason += "; more rounds are needed"
        }
        return finding
    }

    /// An interval that reaches further to each side raises no alarm.
    private static let widestFactor = 1.2

    /// Judges the median of each pass by a limit.
    private func finding(
        _ rule: GateRule, _ measure: TrialMeasure, _ set: TrialSet, _ passes: [PassComparison.Pass],
        _ confidence: Double, limit: Double, isFloor: Bool, isHard: Bool
    ) -> GateFinding {
        let queries = passes.map { $0.costs.count { $0 != nil } }.min() ?? 0
        var finding = GateFinding(
            rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive,
            reason: "\(measure.words) was measured in \(queries.counting("trial")); "
                + "\(LatencyByKind.fewestTrials) are needed", trials: queries)
        let medians = passes.compactMap { Percentile.of($0.costs.compactMap(\.self), at: 0.5) }.map {
            log($0)
        }
        guard queries >= LatencyByKind.fewestTrials,
            let level = PassComparison.mean(medians, confidence: confidence)
        else { return finding }
        let interval = [level.interval.lower, level.interval.upper].map { exp($0) }
        finding.reason =
            "\(measure.words) \(measure.text(exp(level.value))) (interval \(measure.text(interval[0])) to "
            + "\(measure.text(interval[1])), \(passes.count.counting("pass", "passes"))), required is "
            + "\(isFloor ? "at least" : "at most") \(measure.text(limit))"
        func isKept(_ value: Double) -> Bool { isFloor ? value >= limit : value <= limit }
        if isHard || isKept(interval[0]) == isKept(interval[1]) {
            finding.verdict = isKept(exp(level.value)) ? .pass : .fail
        } else {
            finding.reason += "; more passes are needed"
        }
        return finding
    }
}
