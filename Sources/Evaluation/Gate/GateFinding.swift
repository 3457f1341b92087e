import Metrics

/// What the evidence says of a rule or of a run; it is inconclusive with too few trials.
public enum GateVerdict: String, Codable, Sendable, CaseIterable {
    case fail
    case improved
    case inconclusive
    case pass

    package var exitStatus: ExitStatus {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .inconclusive: .inconclusive
        case .improved: .improved
        }
    }
}

/// The verdict of one rule on one set of trials.
public struct GateFinding: Codable, Hashable, Sendable {
    /// The rule's name.
    public var rule: String
    /// The rule's line in its file.
    public var line: Int
    /// Which trials, in words: `all trials`, a group, or a cell.
    public var scope: String
    /// The verdict.
    public var verdict: GateVerdict
    /// The figures that decided, in words.
    public var reason: String
    /// The number of trials.
    public var trials: Int
    /// The number of trials that would suffice; nil if these do, or if no number would.
    public var trialsNeeded: Int?
    /// The probability of its own test.
    public var probability: Double?
    /// The same, corrected for the other sets of trials of the rule; nil if there are none, or if so few changed trials
    /// cannot be significant.
    public var correctedProbability: Double?

    package static let allTrials = "all trials"
    /// Whether a short list shows it: it did not pass, or it covers all trials.
    public var isNotable: Bool { verdict != .pass || scope == Self.allTrials }
}

/// The findings of a gate on one run.
public struct GateReport: Codable, Sendable {
    /// The path of the rules' file.
    public var rules: String
    package var run: ScoredRun.Identity
    /// The run of the baseline, if a rule needed it.
    package var baseline: ScoredRun.Identity?
    /// In the order of the rules.
    public var findings: [GateFinding]
    /// What was left out and why, and which rules have too few trials, in words.
    public var notes: [String] = []
    /// What the trials cannot find, for the first line; nil if they are enough.
    public var warning: String?
    /// Whether the baseline has the results of this run, so that nothing was compared.
    package var isOfItself: Bool?

    /// The first of fail, improved, inconclusive and pass that a finding has; inconclusive without findings.
    public var verdict: GateVerdict {
        GateVerdict.allCases.first { verdict in findings.contains { $0.verdict == verdict } } ?? .inconclusive
    }

    package func count(_ verdict: GateVerdict) -> Int { findings.count { $0.verdict == verdict } }
}
