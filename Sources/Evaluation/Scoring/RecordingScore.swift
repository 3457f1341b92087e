import Foundation

/// The figures of the queries that were cut from one enrolled recording.
public struct RecordingScore: Sendable {
    /// The name of the recording in the corpus.
    public let name: String
    /// Its equivalence class.
    public let cluster: String
    /// The figures of its queries.
    public let score: Scorecard
    /// Nil in a run of a version that stored none.
    public let facts: RecordingFacts?

    /// The folder of the recording in the corpus, which is its album or package; empty at the top.
    public var album: String { (name as NSString).deletingLastPathComponent }

    /// Queries that were not found: missed, or given a wrong reference.
    public var misses: Int { score.recall.trials - score.recall.successes }

    /// The recordings of `trials`: those with the most misses first, then the lowest recall.
    package static func all(
        _ trials: [JudgedTrial], highestWrongScore: Double?, facts: [String: RecordingFacts]
    ) -> [RecordingScore] {
        let positives = trials.filter { $0.record.trial.isPositive && $0.outcome != nil }
        return Dictionary(grouping: positives, by: \.record.trial.source).map { name, trials in
            RecordingScore(
                name: name, cluster: trials[0].cluster,
                score: Scorecard(trials, highestWrongScore: highestWrongScore), facts: facts[name])
        }.sorted { one, other in
            (other.misses, one.score.recall.trials, one.name)
                < (one.misses, other.score.recall.trials, other.name)
        }
    }
}
