import Matchers
import Metrics

/// Two runs of the same trials side by side: what each alone got right, cell by cell.
public struct RunComparison: Sendable {
    package struct Changed: Sendable {
        package var trialID: String
        /// How it ended under the first and the second.
        package var outcomes: [Outcome]
        package var best: [Candidate?]
        package var rightScores: [Double?]
        package var distance: Double
    }

    package let identities: [ScoredRun.Identity]
    package let compared: ComparedCells
    /// Recall at zero false accepts of the second run against the first.
    package let zeroFalseAccepts: FittedRecallDifference
    package let onlyFirst: [String]
    package let onlySecond: [String]
    /// The trials that differ most, first those with different outcomes.
    package let mostDifferent: [Changed]

    package static let mostKept = 10

    /// Compares `second` with `first`.
    ///
    /// - Throws: ``GateError`` when they are not of the same trials.
    public init(
        first: (records: [TrialRecord], facts: RunFacts, folder: String),
        second: (records: [TrialRecord], facts: RunFacts, folder: String)
    ) throws {
        let before = try ScoredRun(records: first.records, facts: first.facts, folder: first.folder)
        let after = try ScoredRun(records: second.records, facts: second.facts, folder: second.folder)
        identities = [before.identity, after.identity]
        let paired = try PairedRun(after, baseline: Baseline(before))
        compared = ComparedCells(paired)
        zeroFalseAccepts = FittedRecallDifference(paired.scores(), seed: Gate.seed)
        let positives = paired.cells.flatMap(\.pairs).filter(\.now.isPositive)
        onlyFirst = positives.filter { $0.before?.outcome == .correct && $0.now.result.outcome != .correct }
            .map(\.now.id)
        onlySecond = positives.filter { $0.before?.outcome != .correct && $0.now.result.outcome == .correct }
            .map(\.now.id)
        mostDifferent = Self.mostDifferent(
            first.records.map { JudgedTrial($0, threshold: first.facts.scoreThreshold) },
            second.records.map { JudgedTrial($0, threshold: second.facts.scoreThreshold) })
    }

    private static func mostDifferent(_ first: [JudgedTrial], _ second: [JudgedTrial]) -> [Changed] {
        let earlier = Dictionary(
            first.map { ($0.record.trial.id, $0) }, uniquingKeysWith: { first, _ in first })
        let changes = second.compactMap { now -> Changed? in
            guard let was = earlier[now.record.trial.id], let old = was.outcome, let new = now.outcome
            else { return nil }
            let distance = abs(now.margin - was.margin)
            guard distance > 0 || old != new else { return nil }
            return Changed(
                trialID: now.record.trial.id, outcomes: [old, new],
                best: [was.record.candidates.first, now.record.candidates.first],
                rightScores: [was.scores.rightScore, now.scores.rightScore], distance: distance)
        }
        let ordered = changes.sorted { one, other in
            let (a, b) = (one.outcomes[0] != one.outcomes[1], other.outcomes[0] != other.outcomes[1])
            if a != b { return a }
            return (other.distance, one.trialID) < (one.distance, other.trialID)
        }
        return Array(ordered.prefix(mostKept))
    }
}

extension JudgedTrial {
    /// The best right score minus the best wrong one; a missing score is 0.
    fileprivate var margin: Double {
        let margin = (scores.rightScore ?? 0) - (scores.wrongScore ?? 0)
        return margin.isFinite ? margin : 0
    }
}
