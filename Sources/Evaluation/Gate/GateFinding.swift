import Metrics

/// What came of a rule, or of all.
package enum GateVerdict: String, Codable, Sendable, CaseIterable {
    /// Surely worse than allowed.
    case fail
    /// Surely better than the baseline, which should be recorded.
    case improved
    /// Too few trials to tell.
    case inconclusive
    /// As it should be.
    case pass

    /// The exit code of a process that found it.
    package var exitCode: Int32 {
        switch self {
        case .pass: 0
        case .fail: 2
        case .inconclusive: 3
        case .improved: 4
        }
    }
}

/// What came of one rule on one set of trials.
package struct GateFinding: Codable, Hashable, Sendable {
    /// The name of the rule.
    package var rule: String
    /// The line of its file.
    package var line: Int
    /// Which trials, in words: `all trials`, a group, or a cell.
    package var scope: String
    /// What came out.
    package var verdict: GateVerdict
    /// Why, in one sentence with the figures.
    package var reason: String
    /// How many trials it rests on.
    package var trials: Int
    /// How many would be enough, where these are not; nil where they are, or where no number would be.
    package var trialsNeeded: Int?
    /// The probability by which it was judged, corrected for the other sets of trials of the rule.
    package var probability: Double?

    /// The scope of a rule that looks at all trials.
    package static let allTrials = "all trials"
    /// Whether to be shown among few: what did not pass, and what is said of all trials.
    package var isNotable: Bool { verdict != .pass || scope == Self.allTrials }
}

/// What a gate found.
package struct GateReport: Codable, Sendable {
    /// The file of the rules.
    package var rules: String
    /// Who was measured.
    package var run: ScoredRun.Identity
    /// Who is compared with, where a rule needed that.
    package var baseline: ScoredRun.Identity?
    /// All findings, in the order of the rules and of the plan.
    package var findings: [GateFinding]

    /// The worst finding: a fail, then an improvement, then too few trials.
    package var verdict: GateVerdict {
        GateVerdict.allCases.first { verdict in findings.contains { $0.verdict == verdict } } ?? .inconclusive
    }

    /// How many findings have a verdict.
    package func count(_ verdict: GateVerdict) -> Int { findings.count { $0.verdict == verdict } }
}
