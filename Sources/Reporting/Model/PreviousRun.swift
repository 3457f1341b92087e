import Evaluation
import Metrics

/// The run of the same trials before this one, in the same store, and what changed since.
package struct PreviousRun: Sendable {
    private let facts: RunFacts
    private let changes: ComparedCells

    /// Compares a run with the latest of `others` that began before it and has the same trials; nil without one.
    ///
    /// - Parameter records: The trials of one of `others`.
    package init?(
        of records: [TrialRecord], _ facts: RunFacts, among others: [RunFacts], folder: String,
        records recordsOf: (RunFacts) throws -> [TrialRecord]
    ) throws {
        let earlier = others.filter {
            $0.startedAt < facts.startedAt && $0.panelDigest == facts.panelDigest
                && $0.corpusDigest == facts.corpusDigest && $0.half == facts.half && $0.seed == facts.seed
                && $0.shard == nil
        }
        guard facts.shard == nil, let before = earlier.max(by: { $0.startedAt < $1.startedAt }) else {
            return nil
        }
        let first = try ScoredRun(records: recordsOf(before), facts: before, folder: folder)
        let second = try ScoredRun(records: records, facts: facts, folder: folder)
        // Other queries under the same names are no comparison.
        guard let paired = try? PairedRun(second, baseline: Baseline(first)) else { return nil }
        self.facts = before
        changes = ComparedCells(paired)
    }

    /// What changed, in a sentence or two.
    var words: String {
        let matcher = facts.matcher
        let name =
            "the previous run (\(matcher.name) \(matcher.version), commit "
            + "\(ProvenanceContent.short(facts.commit)), \(facts.startedAt.prefix(10)))"
        let all = changes.overall
        guard let worst = changes.mostChanged.first else { return "Every outcome is as in \(name)." }
        let range = all.difference.interval().map { " (\(NumberText.points($0)))" } ?? ""
        let difference = NumberText.points(all.difference.difference)
        var words =
            "Against \(name): recall \(difference) points\(range), \(all.positives.onlyAfter.text) "
            + "gained, \(all.positives.onlyBefore.text) lost"
        if all.negatives.onlyBefore > 0 { words += ", \(all.negatives.onlyBefore.text("new false accept"))" }
        let most = worst.difference.difference.map { " \(NumberText.points($0)) points" } ?? ""
        return words + ". Most changed: \(worst.words)\(most)."
    }
}
