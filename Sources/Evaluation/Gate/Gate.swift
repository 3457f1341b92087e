import Corpora
import Metrics
import SystemIO

/// Judges a run by rules: absolute limits, and losses against a baseline.
///
/// A verdict needs evidence. A loss is one when the more cautious of two paired tests, exact McNemar and sign
/// flips by recording, is significant after Holm's correction over all that the rule looks at. Where a loss is not
/// significant it passes only if there are trials enough to exclude more than the tolerated one.
package struct Gate: Sendable {
    package let rules: GateRules

    package init(_ rules: GateRules) { self.rules = rules }

    /// Judges `run`.
    ///
    /// - Parameter baseline: what to compare with; nil will do where no rule needs one.
    /// - Throws: ``GateError`` when the two cannot be compared, ``ConfigurationError`` for a rule that looks at
    ///   no trial.
    package func judge(_ run: ScoredRun, baseline: Baseline?) throws -> GateReport {
        let paired = try PairedRun(run, baseline: baseline)
        let all = try rules.rules.flatMap { rule in
            if let baseline, rule.condition == .sameAnswersUnlessVersion {
                return [answers(rule, run.identity, baseline.identity)]
            }
            return try findings(for: rule, sets: sets(of: rule, in: paired))
        }
        return GateReport(
            rules: rules.path, run: run.identity, baseline: baseline?.identity, findings: all)
    }

    package struct TrialSet {
        var words: String
        var pairs: [PairedRun.Pair]
    }

    private func sets(of rule: GateRule, in run: PairedRun) throws -> [TrialSet] {
        let cells = run.cells.filter { rule.covers($0.cell) }
        let sets: [TrialSet] =
            switch rule.scope {
            case .run: [TrialSet(words: scopeWords(rule), pairs: cells.flatMap(\.pairs))]
            case .group:
                ConditionGroup.allCases.map { group in
                    TrialSet(
                        words: group.title, pairs: cells.filter { $0.cell.group == group }.flatMap(\.pairs))
                }
            case .cell: cells.map { TrialSet(words: $0.cell.key.words, pairs: $0.pairs) }
            }
        let measured = sets.map { set in
            TrialSet(words: set.words, pairs: set.pairs.filter { rule.measure?.counts($0.now) ?? true })
        }.filter { !$0.pairs.isEmpty }
        if measured.isEmpty {
            throw ConfigurationError(
                file: rules.path, line: rule.line,
                message: "the rule \"\(rule.name)\" looks at no trial of the run; "
                    + "there are \(run.cells.map(\.cell.key.words).prefix(8).joined(separator: "; ")) …")
        }
        return measured
    }

    private func scopeWords(_ rule: GateRule) -> String {
        let parts = [rule.degradation, rule.severity, rule.lengthSeconds.map { "\(formatNumber($0)) s" }]
            .compactMap { $0 }
        return parts.isEmpty ? GateFinding.allTrials : parts.joined(separator: " ")
    }

    private func findings(for rule: GateRule, sets: [TrialSet]) throws -> [GateFinding] {
        guard let measure = rule.measure else { return [] }
        return switch rule.condition {
        case .atLeast(let limit, let isHard):
            sets.map { absolute(rule, measure, $0, limit: limit, isFloor: true, isHard: isHard) }
        case .atMost(let limit, let isHard):
            sets.map { absolute(rule, measure, $0, limit: limit, isFloor: false, isHard: isHard) }
        case .noLossBeyond(let loss): losses(rule, measure, sets, tolerated: loss)
        case .mayGrowBy(let factor): growths(rule, measure, sets, factor: factor)
        case .sameAnswersUnlessVersion: []
        }
    }

    private func answers(
        _ rule: GateRule, _ run: ScoredRun.Identity, _ baseline: ScoredRun.Identity
    ) -> GateFinding {
        let isSame = run.answersDigest == baseline.answersDigest
        let isAnnounced =
            run.version != baseline.version || run.matcher != baseline.matcher
            || run.settings != baseline.settings
        let isElsewhere = run.processor != baseline.processor || run.libraries != baseline.libraries
        let digests = "\(baseline.answersDigest.prefix(12)) → \(run.answersDigest.prefix(12))"
        let reason =
            if isSame {
                "\(run.matcher) \(run.version) answers fixed queries as before"
            } else if isAnnounced {
                "answers changed (\(digests)) with another matcher, version or settings"
            } else if isElsewhere {
                "answers differ (\(digests)) on another processor or with other libraries, where last digits may"
            } else {
                "\(run.matcher) answers fixed queries otherwise (\(digests)) but is still called version \(run.version)"
            }
        return GateFinding(
            rule: rule.name, line: rule.line, scope: "fixed queries",
            verdict: isSame || isAnnounced || isElsewhere ? .pass : .fail, reason: reason, trials: 64)
    }
}
