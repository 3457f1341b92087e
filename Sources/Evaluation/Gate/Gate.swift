import AudioCore
import Corpora
import Degradations
import Foundation
import Metrics
import SystemIO

/// Judges a run by rules: absolute limits, and losses against a baseline.
///
/// A verdict needs evidence. Two paired tests, exact McNemar and sign flips by recording, judge a loss; the more
/// cautious one counts. One query can move the threshold of recall at zero false accepts. So a bootstrap of recordings
/// compares that (``FittedRecallDifference``). A loss fails if it is significant after Holm's correction over all
/// sets of the rule. Otherwise the rule passes only with enough trials to exclude more than the tolerated loss.
public struct Gate: Sendable {
    /// The rules, all of which a run must keep.
    public let rules: GateRules

    /// Judges by `rules`.
    public init(_ rules: GateRules) { self.rules = rules }

    /// Judges `run`.
    ///
    /// - Parameter baseline: The run to compare with; may be nil if no rule needs it.
    /// - Throws: ``GateError`` when the two cannot be compared, ``ConfigurationError`` for a rule that covers no
    ///   trial.
    public func judge(_ run: ScoredRun, baseline: Baseline?) throws -> GateReport {
        let paired = try PairedRun(run, baseline: baseline)
        var notes: [String] = []
        let all = try rules.rules.flatMap { rule -> [GateFinding] in
            if let baseline, rule.condition == .sameAnswersUnlessVersion {
                return [answers(rule, run.identity, baseline.identity)]
            }
            let sets = try sets(of: rule, in: paired)
            if let measure = rule.measure, let cost = measure.cost {
                do {
                    return try costs(rule, measure, cost, sets, run.identity, baseline?.identity)
                } catch let error as LeftOut {
                    notes.append("left out: \(rule.name): \(error.reason)")
                    return []
                }
            }
            if let measure = rule.measure, measure.isFitted,
                case .noLossBeyond(let loss) = rule.condition
            {
                return try zeroFalseAcceptLosses(rule, measure, sets, in: paired, tolerated: loss)
            }
            return try findings(for: rule, sets: sets, in: paired)
        }
        if all.isEmpty {
            throw GateError("\(rules.path): no rule can be judged; \(notes.joined(separator: "; "))")
        }
        return GateReport(
            rules: rules.path, run: run.identity, baseline: baseline?.identity, findings: all, notes: notes)
    }

    /// Why a rule cannot be judged.
    struct LeftOut: Error {
        let reason: String
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
            TrialSet(
                words: set.words, pairs: set.pairs.filter { rule.measure?.counts($0.now.result) ?? true })
        }.filter { !$0.pairs.isEmpty }
        if measured.isEmpty {
            throw ConfigurationError(
                file: rules.path, line: rule.line,
                message: "the rule \"\(rule.name)\" covers no trial of the run; "
                    + "its cells are \(run.cells.map(\.cell.key.words).prefix(8).joined(separator: "; ")) …")
        }
        return measured
    }

    private func scopeWords(_ rule: GateRule) -> String {
        let parts = [rule.degradation, rule.severity, rule.lengthSeconds.map { "\(formatNumber($0)) s" }]
            .compactMap { $0 }
        return parts.isEmpty ? GateFinding.allTrials : parts.joined(separator: " ")
    }

    private func findings(for rule: GateRule, sets: [TrialSet], in run: PairedRun) throws -> [GateFinding] {
        guard let measure = rule.measure else { return [] }
        return switch rule.condition {
        case .atLeast(let limit, let isHard):
            limits(rule, measure, sets, in: run, limit: limit, isFloor: true, isHard: isHard)
        case .atMost(let limit, let isHard):
            limits(rule, measure, sets, in: run, limit: limit, isFloor: false, isHard: isHard)
        case .noLossBeyond(let loss): try losses(rule, measure, sets, tolerated: loss)
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
                "\(run.matcher) answers fixed queries differently (\(digests)), but its version is still \(run.version)"
            }
        return GateFinding(
            rule: rule.name, line: rule.line, scope: "fixed queries",
            verdict: isSame || isAnnounced || isElsewhere ? .pass : .fail, reason: reason, trials: 64)
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
            findings[index].probability = probability
            guard findings[index].verdict == .fail, probability >= rules.significance else { continue }
            findings[index].verdict = .inconclusive
            findings[index].reason +=
                "; p \(Self.text(probability)), corrected for \(findings.count) sets of trials"
        }
        return findings
    }

    /// - Parameter interval: that of the rate; nil takes the score interval for clustered trials.
    private func absolute(
        _ rule: GateRule, _ measure: TrialMeasure, _ set: TrialSet, limit: Double, isFloor: Bool,
        isHard: Bool,
        interval: Interval?
    ) -> GateFinding {
        let values = measure.magnitude.map { magnitude in
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
        finding.reason = "\(measure.words) \(measure.text(figure)), required is \(bound)"
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
        needed.map { "; \(trials) trials are too few, about \($0) are needed" }
            ?? "; the value equals the limit, so no number of trials would decide"
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
    /// The seed of sign flips and resamples; constant, so that the verdict is.
    static let seed: UInt64 = 0x6A7E

    /// - Throws: ``GateError`` for a baseline of a version that did not store the measure.
    package func losses(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], tolerated: Double
    ) throws -> [GateFinding] {
        if measure.isMark, sets.flatMap(\.pairs).allSatisfy({ $0.before?.numbers[measure.name] == nil }) {
            throw GateError(baselineWithout: measure.name, for: rule)
        }
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
            let ends = [sign * interval.lower, sign * interval.upper].sorted().map(Self.points)
            finding.reason =
                "\(measure.words) \(Self.points(sign * difference)) points (interval \(ends[0]) to \(ends[1]); "
                + "won \(won), lost \(lost) of \(pairs.count); p \(Self.text(probability)))"
            if probability < rules.significance {
                finding.verdict = difference < 0 ? .fail : .improved
            } else if change.excludes(loss: tolerated, confidence: 1 - rules.significance) {
                finding.verdict = .pass
            } else {
                finding.trialsNeeded = change.trialsNeeded(
                    toExclude: tolerated, confidence: 1 - rules.significance)
                finding.reason += need(finding.trialsNeeded, have: pairs.count)
            }
            return finding
        }
    }

    package func growths(
        _ rule: GateRule, _ measure: TrialMeasure, _ sets: [TrialSet], factor: Double
    ) -> [GateFinding] {
        guard let magnitude = measure.magnitude else { return [] }
        // Bonferroni: each interval of a rule is that much wider.
        let confidence = 1 - rules.significance / Double(sets.count)
        return sets.map { set in
            let ratios = set.pairs.compactMap { pair -> (cluster: String, value: Double)? in
                guard let was = pair.before?.numbers[magnitude],
                    let now = pair.now.result.numbers[magnitude]
                else { return nil }
                let floor = measure.resolution
                return (pair.now.cluster, log(max(now, floor) / max(was, floor)))
            }
            var finding = GateFinding(
                rule: rule.name, line: rule.line, scope: set.words, verdict: .inconclusive, reason: "",
                trials: ratios.count)
            guard
                let mean = ClusterBootstrap.mean(ratios, confidence: confidence, seed: Self.seed)
            else {
                finding.reason =
                    "\(measure.words) has values in too few trials of both runs"
                return finding
            }
            let interval = Interval(lower: exp(mean.interval.lower), upper: exp(mean.interval.upper))
            finding.reason =
                "\(measure.words) × \(Self.text(exp(mean.value))) (interval \(Self.text(interval)), "
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
                    room != 0 ? Int(bounded: (Double(ratios.count) * pow(half / room, 2)).rounded(.up)) : nil
                finding.reason += need(finding.trialsNeeded, have: ratios.count)
            }
            return finding
        }
    }

    /// A difference of rates in percentage points, with its sign.
    static func points(_ value: Double) -> String {
        value == 0 ? "0" : (value > 0 ? "+" : "−") + text(abs(value) * 100)
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
