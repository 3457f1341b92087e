/// Latency of found and of unknown queries apart.
///
/// A query that is found early takes a fraction of the time of one that is searched to the end. One median over both
/// would depend on their shares in the plan. Positives that were not found are in neither summary.
public struct LatencyByKind: Codable, Hashable, Sendable {
    /// Positives with a right answer; nil with fewer than ``fewestTrials`` of them.
    public let found: LatencySummary?
    /// Negatives; nil with fewer than ``fewestTrials`` of them.
    public let unknown: LatencySummary?

    /// The fewest timed queries of one kind that have a summary.
    public static let fewestTrials = 30

    /// - Parameter time: in milliseconds; nil if it was not measured.
    package init(
        _ trials: [JudgedTrial], of time: (TrialRecord.Latency) -> Double? = { $0.milliseconds }
    ) {
        func summary(_ isOfKind: (JudgedTrial) -> Bool) -> LatencySummary? {
            let summary = LatencySummary(
                trials.filter(isOfKind).compactMap { $0.record.latency.flatMap(time) })
            return summary.flatMap { $0.count >= Self.fewestTrials ? $0 : nil }
        }
        found = summary { $0.outcome == .correct }
        unknown = summary { !$0.record.trial.isPositive && $0.record.error == nil }
    }
}
