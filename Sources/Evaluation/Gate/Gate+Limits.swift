import Foundation
import Metrics
import SystemIO

extension Gate {
    package func absolute(
        _ rule: GateRule, _ measure: GateMeasure, _ set: TrialSet, limit: Double, isFloor: Bool, isHard: Bool
    ) -> GateFinding {
        let values = measure.magnitude.map { magnitude in
            set.pairs.compactMap { pair in
                pair.now.result.magnitudes[magnitude].map { (pair.now.cluster, $0) }
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
        guard let figure, let interval = share.wilsonInterval(confidence: 1 - rules.significance) else {
            finding.reason = "\(measure.rawValue) was not measured in any trial"
            return finding
        }
        let kept = isFloor ? figure >= limit : figure <= limit
        let bound = "\(isFloor ? "at least" : "at most") \(Self.text(limit))"
        finding.reason = "\(measure.rawValue) \(Self.text(figure)), \(bound) is asked"
        if isHard {
            finding.verdict = kept ? .pass : .fail
            return finding
        }
        // For a median both kinds of limit ask for a share of at least a half.
        let wantsMore = isFloor || values != nil
        let isSure = wantsMore ? interval.lower >= shareLimit : interval.upper <= shareLimit
        let isBroken = wantsMore ? interval.upper < shareLimit : interval.lower > shareLimit
        finding.verdict = isSure ? .pass : isBroken ? .fail : .inconclusive
        if values == nil { finding.reason += "; interval \(Self.text(interval))" }
        if finding.verdict == .inconclusive {
            finding.trialsNeeded = share.trialsNeeded(
                toDecide: shareLimit, confidence: 1 - rules.significance)
            finding.reason += need(finding.trialsNeeded, have: finding.trials)
        }
        return finding
    }

    package func need(_ needed: Int?, have trials: Int) -> String {
        needed.map { "; \(trials) trials are too few to tell, about \($0) would do" }
            ?? "; no number of trials would tell, it lies at the limit"
    }

    package static func text(_ value: Double) -> String {
        if value == 0 { return "0" }
        let digits = max(0, min(12, 2 - Int(log10(abs(value)).rounded(.down))))
        let scale = pow(10, Double(digits))
        return formatNumber((value * scale).rounded() / scale)
    }

    package static func text(_ interval: Interval) -> String {
        "\(text(interval.lower))–\(text(interval.upper))"
    }
}
