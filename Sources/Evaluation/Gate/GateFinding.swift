import Metrics

package enum GateVerdict: String, Codable, Sendable, CaseIterable {
    case fail
    case improved
    case inconclusive
    case pass

    package var exitCode: Int32 {
        switch self {
        case .pass: 0
        case .fail: 2
        case .inconclusive: 3
        case .improved: 4
        }
    }
}

package struct GateFinding: Codable, Hashable, Sendable {
    package var rule: String
    package var line: Int
    /// Which trials, in words: `all trials`, a group, or a cell.
    package var scope: String
    package var verdict: GateVerdict
    package var reason: String
    package var trials: Int
    /// The number of trials that would suffice; nil if these do, or if no number would.
    package var trialsNeeded: Int?
    /// The probability by which it was judged, corrected for the other sets of trials of the rule.
    package var probability: Double?

    package static let allTrials = "all trials"
    /// Whether a short list shows it: it did not pass, or it covers all trials.
    package var isNotable: Bool { verdict != .pass || scope == Self.allTrials }
}

package struct GateReport: Codable, Sendable {
    package var rules: String
    package var run: ScoredRun.Identity
    /// The run of the baseline, if a rule needed it.
    package var baseline: ScoredRun.Identity?
    package var findings: [GateFinding]

    package var verdict: GateVerdict {
        GateVerdict.allCases.first { verdict in findings.contains { $0.verdict == verdict } } ?? .inconclusive
    }

    package func count(_ verdict: GateVerdict) -> Int { findings.count { $0.verdict == verdict } }
}
