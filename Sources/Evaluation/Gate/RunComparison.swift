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

    /// Why one run lost a query that the other answered rightly.
    package struct Loss: Hashable, Sendable {
        package var cause: LossCause
        /// The part of the score in which the right reference lacks most; nil where no explanation says so.
        package var part: String?
    }

    package let identities: [ScoredRun.Identity]
    package let compared: ComparedCells
    /// Recall at zero false accepts of the second run against the first.
    package let zeroFalseAccepts: FittedRecallDifference
    package let onlyFirst: [String]
    package let onlySecond: [String]
    /// How many queries the second run alone lost and won, by why the one or the other lost them.
    package let losses: [(loss: Loss, lost: Int, won: Int)]
    /// The trials that differ most, first those with different outcomes.
    package let mostDifferent: [Changed]

    package static let mostKept = 10

    /// Compares `second` with `first`.
    ///
    /// - Parameter explanations: Those of both runs, as far as they have some, by the name of the trial.
    /// - Throws: ``GateError`` when they are not of the same trials.
    public init(
        first: (records: [TrialRecord], facts: RunFacts, folder: String),
        second: (records: [TrialRecord], facts: RunFacts, folder: String),
        explanations: (first: [String: MatchExplanation], second: [String: MatchExplanation]) = ([:], [:])
    ) throws {
        let before = try ScoredRun(records: first.records, facts: first.facts, folder: first.folder)
        let after = try ScoredRun(records: second.records, facts: second.facts, folder: second.folder)
        identities = [before.identity, after.identity]
        let paired = try PairedRun(after, baseline: Baseline(before))
        compared = ComparedCells(paired)
        zeroFalseAccepts = FittedRecallDifference(paired.scores(), seed: Gate.seed)
        let positives = paired.cells.flatMap(\.pairs).filter { $0.now.isPositive && $0.before != nil }
        onlyFirst = positives.filter { $0.before?.outcome == .correct && $0.now.result.outcome != .correct }
            .map(\.now.id)
        onlySecond = positives.filter { $0.before?.outcome != .correct && $0.now.result.outcome == .correct }
            .map(\.now.id)
        let earlier = Self.judged(first.records, first.facts)
        let later = second.records.map { JudgedTrial($0, threshold: second.facts.scoreThreshold) }
        mostDifferent = Self.mostDifferent(earlier, later)
        losses = Self.counted(
            Self.losses(
                of: onlyFirst, Self.judged(second.records, second.facts), explanations.second,
                explanations.first),
            Self.losses(of: onlySecond, earlier, explanations.first, explanations.second))
    }

    /// The trials by their names.
    private static func judged(_ records: [TrialRecord], _ facts: RunFacts) -> [String: JudgedTrial] {
        Dictionary(
            records.map { ($0.trial.id, JudgedTrial($0, threshold: facts.scoreThreshold)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Why a run lost these trials.
    private static func losses(
        of names: [String], _ trials: [String: JudgedTrial], _ explanations: [String: MatchExplanation],
        _ found: [String: MatchExplanation]
    ) -> [Loss] {
        names.compactMap { name in
            guard let trial = trials[name], let cause = trial.lossCause else { return nil }
            return Loss(
                cause: cause,
                part: explanations[name]?.lackingPart(of: trial.record.truthReferences, found: found[name]))
        }
    }

    /// The most frequent first.
    private static func counted(_ lost: [Loss], _ won: [Loss]) -> [(loss: Loss, lost: Int, won: Int)] {
        var counts: [Loss: (lost: Int, won: Int)] = [:]
        for loss in lost { counts[loss, default: (0, 0)].lost += 1 }
        for loss in won { counts[loss, default: (0, 0)].won += 1 }
        return counts.map { (loss: $0, lost: $1.lost, won: $1.won) }.sorted { one, other in
            let (a, b) = (one.lost + one.won, other.lost + other.won)
            return (b, one.loss.cause.rawValue, one.loss.part ?? "")
                < (a, other.loss.cause.rawValue, other.loss.part ?? "")
        }
    }

    private static func mostDifferent(
        _ earlier: [String: JudgedTrial], _ second: [JudgedTrial]
    ) -> [Changed] {
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
