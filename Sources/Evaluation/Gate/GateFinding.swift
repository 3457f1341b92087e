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
    /// How many would be enough, where these are not; nil where they are, or where no number would be.
    package var trialsNeeded: Int?
    /// The probability by which it was judged, corrected for the other sets of trials of the rule.
    package var probability: Double?

    package static let allTrials = "all trials"
    /// Whether to be shown among few: what did not pass, and what is said of all trials.
    package var isNotable: Bool { verdict != .pass || scope == Self.allTrials }
}

package struct GateReport: Codable, Sendable {
    package var rules: String
    package var run: ScoredRun.Identity
    /// Who is compared with, where a rule needed that.
    package var baseline: ScoredRun.Identity?
    /// All findings, in the order of the rules and of the plan.
    package var findings: [GateFinding]

    package var verdict: GateVerdict {
        GateVerdict.allCases.first { verdict in findings.contains { $0.verdict == verdict } } ?? .inconclusive
    }

    package func count(_ verdict: GateVerdict) -> Int { findings.count { $0.verdict == verdict } }
}
