import Evaluation

/// Where the processor's time of a run went.
package struct StageShares: Codable, Hashable, Sendable {
    /// Trials per processor second; what it took to enrol is not in it.
    package let trialsPerSecond: Double
    /// The share of each stage by its name: queries, matching, judging, storing; 0…1, together 1.
    package let shares: [String: Double]

    /// Reads a run's facts; nil where no time was measured, as of a run of which all was remembered.
    package init?(_ facts: RunFacts) {
        guard let seconds = facts.stageSeconds, let trials = facts.stageTrialCount, trials > 0 else {
            return nil
        }
        let total = seconds.values.sorted().reduce(0, +)
        guard total > 0 else { return nil }
        trialsPerSecond = Double(trials) / total
        shares = seconds.mapValues { $0 / total }
    }

    /// In words: `9.1 trials per processor second: queries 84 %, matching 15 %, …`.
    var words: String {
        let parts = shares.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key) \(NumberText.percent($0.value, trials: 100))" }
        return "\(NumberText.fixed(trialsPerSecond, digits: 1)) trials per processor second: "
            + parts.joined(separator: ", ")
    }
}
