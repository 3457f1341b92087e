import AudioCore
import Corpora
import Degradations
import Foundation
import Metrics
import SystemIO

/// Judges a run by rules: absolute limits, and losses against a baseline.
///
/// Both runs are of the same queries, and a verdict is about the queries that both have. The net loss of a rate fails if it is
/// significantly above the margin of the rule (``PairedLoss``). Each cell, group or recording is tested by itself where a
/// rule says so. The corrections of Holm and Tarone allow for their number. One query can move the threshold of recall at
/// zero false accepts. So a bootstrap of recordings compares that (``FittedRecallDifference``).
public struct Gate: Sendable {
    /// The rules, all of which a run must keep.
    public let rules: GateRules

    /// Judges by `rules`.
    public init(_ rules: GateRules) { self.rules = rules }

    /// Judges `run`.
    ///
    /// A rule is left out, with a note, where no run has a value that it needs.
    /// - Parameter baseline: The run to compare with; may be nil if no rule needs it.
    /// - Throws: ``GateError`` when the two cannot be compared, or every rule is left out. ``ConfigurationError`` for a
    ///   rule that covers no condition of the run.
    public func judge(_ run: ScoredRun, baseline: Baseline?) throws -> GateReport {
        try judge(run, baseline: baseline, only: nil)
    }

    /// - Parameter chosen: Judges only the rules and sets of trials of these findings; nil judges all.
    func judge(_ run: ScoredRun, baseline: Baseline?, only chosen: [GateFinding]?) throws -> GateReport {
        let paired = try PairedRun(run, baseline: baseline)
        var report = GateReport(
            rules: rules.path, run: run.identity, baseline: baseline?.identity, findings: [])
        if let baseline {
            report.notes = Self.differences(run.identity, baseline.identity) + paired.differences
            report.isOfItself = run.identity == baseline.identity && Baseline(run).cells == baseline.cells
        }
        for rule in rules.rules {
            let scopes = chosen.map { $0.filter { $0.line == rule.line }.map(\.scope) }
            if scopes?.isEmpty == true { continue }
            if let baseline, case .answers(let demand) = rule.condition {
                report.findings.append(answers(rule, demand, run.identity, baseline.identity))
                continue
            }
            do {
                let sets = try sets(of: rule, in: paired).filter { scopes?.contains($0.words) ?? true }
                report.findings += try findings(
                    for: rule, sets: sets, in: paired, of: run.identity, against: baseline?.identity)
            } catch let error as LeftOut {
                if error.isOfBaseline, baseline?.format == Baseline.schemaVersion {
                    throw GateError("\(rule.name): \(error.reason)")
                }
                report.notes.append("left out: \(rule.name): \(error.reason)")
            }
        }
        if report.findings.isEmpty, chosen == nil {
            throw GateError("\(rules.path): no rule can be judged; \(report.notes.joined(separator: "; "))")
        }
        return report
    }

    /// What else differs than the build.
    private static func differences(_ now: ScoredRun.Identity, _ before: ScoredRun.Identity) -> [String] {
        [
            ("matcher", now.matcher, before.matcher), ("version", now.version, before.version),
            ("processor", now.processor, before.processor),
        ].filter { $0.1 != $0.2 }.map { "the baseline is of another \($0.0): \($0.2), the run of \($0.1)" }
    }

    /// Why a rule cannot be judged.
    struct LeftOut: Error {
        let reason: String
        /// Whether the baseline lacks what one of today's format has.
        var isOfBaseline = false

        init(reason: String) { self.reason = reason }

        init(baselineWithout name: String) {
            isOfBaseline = true
            reason = "the baseline holds no \(name); record it again with `earshot baseline accept`"
        }
    }

    package struct TrialSet {
        var words: String
        var pairs: [PairedRun.Pair]
    }

    /// The sets of trials of a rule that have what it judges, at least one.
    func sets(of rule: GateRule, in run: PairedRun) throws -> [TrialSet] {
        let cells = run.cells.filter { rule.covers($0.cell) }
        if cells.isEmpty {
            throw ConfigurationError(
                file: rules.path, line: rule.line,
                message: "the rule \"\(rule.name)\" covers no trial of the run; "
                    + "its cells are \(run.cells.map(\.cell.key.words).prefix(8).joined(separator: "; ")) …")
        }
        let pairs = cells.flatMap(\.pairs)
        let sets: [TrialSet] =
            switch rule.scope {
            case .run: [TrialSet(words: scopeWords(rule), pairs: pairs)]
            case .group:
                ConditionGroup.allCases.map { group in
                    TrialSet(
                        words: group.title, pairs: cells.filter { $0.cell.group == group }.flatMap(\.pairs))
                }
            case .cell: cells.map { TrialSet(words: $0.cell.key.words, pairs: $0.pairs) }
            case .recording:
                Dictionary(grouping: pairs, by: \.now.recording).sorted { $0.key < $1.key }
                    .map { TrialSet(words: $0.isEmpty ? "silence" : $0, pairs: $1) }
            }
        let measured = sets.map { set in
            TrialSet(words: set.words, pairs: set.pairs.filter { rule.measure?.counts($0) ?? true })
        }.filter { !$0.pairs.isEmpty }
        if measured.isEmpty {
            throw LeftOut(reason: "no trial has a value of \(rule.measure?.words ?? "it")")
        }
        return measured
    }

    private func scopeWords(_ rule: GateRule) -> String {
        let parts = [rule.degradation, rule.severity, rule.lengthSeconds.map { "\(formatNumber($0)) s" }]
            .compactMap { $0 }
        return parts.isEmpty ? GateFinding.allTrials : parts.joined(separator: " ")
    }

    private func findings(
        for rule: GateRule, sets: [TrialSet], in run: PairedRun, of identity: ScoredRun.Identity,
        against baseline: ScoredRun.Identity?
    ) throws -> [GateFinding] {
        guard let measure = rule.measure else { return [] }
        if let cost = measure.cost { return try costs(rule, measure, cost, sets, identity, baseline) }
        return switch rule.condition {
        case .atLeast(let limit, let isHard):
            limits(rule, measure, sets, in: run, limit: limit, isFloor: true, isHard: isHard)
        case .atMost(let limit, let isHard):
            limits(rule, measure, sets, in: run, limit: limit, isFloor: false, isHard: isHard)
        case .noLossBeyond(let margin, let finds) where measure.isFitted:
            try zeroFalseAcceptLosses(
                rule, measure, sets, in: run, margin: margin.share(ofMistakes: []), finds: finds)
        case .noLossBeyond(let margin, let finds):
            try losses(rule, measure, sets, in: run, margin: margin, finds: finds)
        case .mayGrowBy(let factor): try growths(rule, measure, sets, factor: factor)
        case .answers: []
        }
    }

    private func answers(
        _ rule: GateRule, _ demand: GateRule.FixedAnswers, _ run: ScoredRun.Identity,
        _ baseline: ScoredRun.Identity
    ) -> GateFinding {
        let isSame = run.answersDigest == baseline.answersDigest
        let isAnnounced =
            run.version != baseline.version || run.matcher != baseline.matcher
            || run.settings != baseline.settings
        let isElsewhere = run.processor != baseline.processor || run.libraries != baseline.libraries
        let digests = "\(baseline.answersDigest.prefix(12)) → \(run.answersDigest.prefix(12))"
        let isUnrecorded = isAnnounced && demand == .recorded
        let reason =
            if isUnrecorded {
                "the baseline is of \(baseline.matcher) \(baseline.version), this run of \(run.matcher) \(run.version)"
                    + (run.settings == baseline.settings ? "" : " with other settings")
                    + "; `earshot baseline accept` records it and prints what is won and lost"
            } else if isSame {
                "\(run.matcher) \(run.version) answers fixed queries as before"
            } else if isAnnounced {
                "answers changed (\(digests)) with another matcher, version or settings"
            } else if isElsewhere {
                "answers differ (\(digests)) on another processor or with other libraries, where last digits may"
            } else {
                "\(run.matcher) answers fixed queries differently (\(digests)), but its version is still \(run.version)"
            }
        return GateFinding(
            rule: rule.name, line: rule.line, scope: "fixed queries",
            verdict: !isUnrecorded && (isSame || isAnnounced || isElsewhere) ? .pass : .fail, reason: reason,
            trials: 64)
    }
}

extension Gate {
    /// Judges each set by an absolute limit; those that break it with Holm's correction for their number.
    private func limits(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], in run: PairedRun, limit: Double,
        isFloor: Bool, isHard: Bool
    ) -> [GateFinding] {
        let own = measure.isFitted ? zeroFalseAcceptIntervals(sets, in: run) : []
        var findings = sets.enumerated().map { index, set in
            absolute(
                rule, measure, set, limit: limit, isFloor: isFloor, isHard: isHard,
                interval: own.isEmpty ? nil : own[index])
        }
        if isHard { return findings }
        let probabilities = Holm.adjusted(findings.map { $0.probability ?? 1 })
        for (index, probability) in probabilities.enumerated() where findings[index].probability != nil {
            if findings.count > 1 { findings[index].correctedProbability = probability }
            guard findings[index].verdict == .fail, probability >= rules.significance else { continue }
            findings[index].verdict = .inconclusive
            findings[index].reason +=
                "; \(Self.text(findings[index], isTestable: true, sets: findings.count))"
        }
        return findings
    }

    /// - Parameter interval: that of the rate; nil takes the score interval for clustered trials.
    private func absolute(
        _ rule: GateRule, _ measure: TrialMeasure, _ set: TrialSet, limit: Double, isFloor: Bool,
        isHard: Bool,
        interval: Interval?
    ) -> GateFinding {
        let magnitude = measure.magnitudes.first { name in
            set.pairs.contains { $0.now.result.numbers[name] != nil }
        }
        let values = magnitude.map { magnitude in
            set.pairs.compactMap { pair in
                pair.now.result.numbers[magnitude].map { (pair.now.cluster, $0) }
            }
        }
        var finding = GateFinding(
            rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive, reason: "",
            trials: values?.count ?? set.pairs.count)
        let figure: Double?
        // A median keeps to a limit when at least half of the values do.
        let share: Proportion
        let shareLimit: Double
        if let values {
            figure = Percentile.ofSorted(values.map(\.1).sorted(), at: 0.5)
            share = Proportion(
                clustered: values.map { ($0.0, isFloor ? $0.1 >= limit : $0.1 <= limit) })
            shareLimit = 0.5
        } else {
            share = Proportion(
                clustered: set.pairs.map { ($0.now.cluster, measure.holds($0.now.result)) })
            figure = share.rate
            shareLimit = limit
        }
        guard let figure,
            let interval = interval ?? share.wilsonInterval(confidence: 1 - rules.significance)
        else {
            finding.reason = "\(measure.words) was not measured in any trial"
            return finding
        }
        let kept = isFloor ? figure >= limit : figure <= limit
        let bound = "\(isFloor ? "at least" : "at most") \(measure.text(limit))"
        let words = magnitude.map(measure.words) ?? measure.words
        finding.reason = "\(words) \(measure.text(figure)), required is \(bound)"
        if isHard {
            finding.verdict = kept ? .pass : .fail
            return finding
        }
        // For a median both kinds of limit require a share of at least a half.
        let wantsMore = isFloor || values != nil
        let isWorse = wantsMore ? share.rate ?? 0 < shareLimit : share.rate ?? 0 > shareLimit
        finding.probability = isWorse ? share.probability(of: shareLimit) : 1
        let isSure = wantsMore ? interval.lower >= shareLimit : interval.upper <= shareLimit
        let isBroken = wantsMore ? interval.upper < shareLimit : interval.lower > shareLimit
        finding.verdict = isSure ? .pass : isBroken ? .fail : .inconclusive
        if values == nil { finding.reason += "; interval \(measure.text(interval))" }
        if finding.verdict == .inconclusive {
            finding.trialsNeeded = share.trialsNeeded(
                toDecide: shareLimit, confidence: 1 - rules.significance)
            finding.reason += need(finding.trialsNeeded, have: finding.trials)
        }
        return finding
    }

    package func need(_ needed: Int?, have trials: Int) -> String {
        guard let needed else { return "; the value equals the limit, so no number of trials would decide" }
        let few = "; \(trials.counting("trial is", "trials are")) too few"
        return few + (needed > trials ? ", about \(needed) are needed" : ", a few more are needed")
    }

    package static func text(_ value: Double) -> String {
        if value == 0 { return "0" }
        let digits = max(0, min(12, 2 - Int(bounded: log10(abs(value)).rounded(.down))))
        let scale = pow(10, Double(digits))
        return formatNumber((value * scale).rounded() / scale)
    }

    package static func text(_ interval: Interval) -> String {
        "\(text(interval.lower))–\(text(interval.upper))"
    }
}

extension Gate {
    /// The seed of resamples; constant, so that the verdict is.
    static let seed: UInt64 = 0x6A7E

    /// Judges the geometric mean ratio of a magnitude in each set.
    ///
    /// A growth fails that is significantly above the factor. It passes within the factor, or if the factor to the power of
    /// ``GateRules/usualFinds`` is excluded. A value that only the baseline has is lost, and a net loss fails that is
    /// significantly above ``GateRules/valueMargin``.
    package func growths(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], factor: Double
    ) throws -> [GateFinding] {
        let kept = values(of: measure, in: sets)
        guard let magnitude = try comparable(measure, in: sets.flatMap(\.pairs)) else {
            return sets.indices.map { index in
                var finding = GateFinding(
                    rule: rule.name, line: rule.line, scope: sets[index].words, verdict: .inconclusive,
                    reason: "the baseline has values of \(measure.words), the run has none",
                    trials: kept[index].loss.change.trials)
                add(kept[index], to: &finding, sets: sets.count)
                return finding
            }
        }
        let words = measure.words(of: magnitude)
        // Bonferroni: each interval of a rule is that much wider.
        let compared = sets.count { set in set.pairs.contains { $0.hasBoth(magnitude) } }
        let confidence = 1 - rules.significance / Double(compared)
        return zip(sets, kept).compactMap { set, kept in
            var finding = growth(
                rule, set, of: magnitude, words, resolution: measure.resolution, factor: factor,
                confidence: confidence)
            if kept.loss.change.lost > 0 {
                var whole =
                    finding
                    ?? GateFinding(
                        rule: rule.name, line: rule.line, scope: set.words, verdict: .pass,
                        reason: "\(words) has no value in both runs", trials: 0)
                add(kept, to: &whole, sets: sets.count)
                finding = whole
            }
            return finding
        }
    }

    /// The claims of a set that kept their value, with the corrected probability of the loss.
    private struct KeptValues {
        let loss: Loss
        let corrected: Double?
    }

    private func values(of measure: TrialMeasure, in sets: [TrialSet]) -> [KeptValues] {
        let losses = sets.map { set in
            let pairs = set.pairs.compactMap { pair -> (cluster: String, before: Bool, after: Bool)? in
                guard let before = pair.before,
                    let isMissing = measure.isMissing(in: pair.now.result, before: before),
                    let was = measure.isMissing(in: before, before: pair.now.result)
                else { return nil }
                return (pair.now.cluster, !was, !isMissing)
            }
            return Loss(PairedLoss(pairs), margin: GateRules.valueMargin)
        }
        return zip(losses, Self.adjusted(losses, significance: rules.significance)).map(KeptValues.init)
    }

    private func add(_ kept: KeptValues, to finding: inout GateFinding, sets: Int) {
        let change = kept.loss.change
        guard change.lost > 0 else { return }
        finding.reason +=
            "; \(change.lost.counting("trial")) of \(change.trials) lost "
            + (change.lost == 1 ? "its value" : "their value")
            + (change.won > 0 ? ", \(change.won) got one" : "")
        guard change.loss > kept.loss.margin else { return }
        let isLost = kept.corrected.map { $0 <= rules.significance } ?? false
        if isLost {
            finding.verdict = .fail
        } else if finding.verdict == .pass {
            finding.verdict = .inconclusive
        }
        finding.probability = change.probability(beyond: kept.loss.margin)
        finding.correctedProbability = sets > 1 ? kept.corrected : nil
        finding.reason +=
            ", beyond \(Self.pointsText(kept.loss.margin)) with "
            + Self.text(finding, isTestable: kept.corrected != nil, sets: sets)
    }

    /// The finding on the growth in a set; nil if no trial has the magnitude in both runs.
    private func growth(
        _ rule: GateRule, _ set: TrialSet, of magnitude: String, _ words: String, resolution floor: Double,
        factor: Double, confidence: Double
    ) -> GateFinding? {
        let ratios = set.pairs.compactMap { pair -> (cluster: String, value: Double)? in
            guard let was = pair.before?.numbers[magnitude], let now = pair.now.result.numbers[magnitude]
            else { return nil }
            return (pair.now.cluster, log(max(now, floor) / max(was, floor)))
        }
        if ratios.isEmpty { return nil }
        var finding = GateFinding(
            rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive, reason: "",
            trials: ratios.count)
        if ratios.allSatisfy({ $0.value == 0 }) {
            finding.verdict = .pass
            finding.reason = "\(words) is unchanged in \(ratios.count.counting("trial"))"
            return finding
        }
        guard let mean = ClusterBootstrap.mean(ratios, confidence: confidence, seed: Self.seed) else {
            finding.reason = "\(words) has values of too few recordings in both runs"
            return finding
        }
        let interval = Interval(lower: exp(mean.interval.lower), upper: exp(mean.interval.upper))
        finding.reason =
            "\(words) × \(Self.text(exp(mean.value))) (interval \(Self.text(interval)), "
            + "\(ratios.count) trials), × \(Self.text(factor)) is allowed"
        let largest = pow(factor, GateRules.usualFinds)
        if interval.lower > factor {
            finding.verdict = .fail
        } else if interval.upper < 1 / factor {
            finding.verdict = .improved
        } else if mean.value <= log(factor) || interval.upper <= largest {
            finding.verdict = .pass
        } else {
            finding.reason += "; × \(Self.text(largest)) is not excluded"
        }
        return finding
    }

    /// The first magnitude of a measure that both runs have; nil if the run has none.
    ///
    /// - Throws: ``LeftOut`` if the runs have only different quantities, or the baseline has none.
    private func comparable(_ measure: TrialMeasure, in pairs: [PairedRun.Pair]) throws -> String? {
        if let both = measure.magnitudes.first(where: { name in pairs.contains { $0.hasBoth(name) } }) {
            return both
        }
        let isStated = measure.magnitudes.contains { name in
            pairs.contains { $0.now.result.numbers[name] != nil }
        }
        guard isStated else { return nil }
        throw LeftOut(
            reason:
                "the baseline has no values of \(measure.words) of the same kind as the run; record it again")
    }

    /// A difference of rates in percentage points, with its sign.
    static func points(_ value: Double) -> String {
        value == 0 ? "0" : (value > 0 ? "+" : "−") + text(abs(value) * 100)
    }

    /// A share in percentage points, with the unit.
    package static func pointsText(_ share: Double) -> String { withUnit(text(share * 100)) }

    /// A difference of rates in percentage points, with its sign and the unit.
    static func differenceText(_ value: Double) -> String { withUnit(points(value)) }

    private static func withUnit(_ number: String) -> String {
        number + (["1", "+1", "−1"].contains(number) ? " point" : " points")
    }
}

extension PairedRun.Pair {
    fileprivate func hasBoth(_ magnitude: String) -> Bool {
        now.result.numbers[magnitude] != nil && before?.numbers[magnitude] != nil
    }
}

extension TrialMeasure {
    /// Whether a pair has what the measure judges, in either run.
    fileprivate func counts(_ pair: PairedRun.Pair) -> Bool {
        if isStated {
            return counts(pair.now.result)
                || pair.before.flatMap { isMissing(in: pair.now.result, before: $0) } == true
        }
        guard counts(pair.now.result) else { return false }
        return magnitudes.isEmpty
            || magnitudes.contains { pair.now.result.numbers[$0] != nil || pair.before?.numbers[$0] != nil }
    }
}
