import AudioCore

/// Chooses the trials of a run that a report shows in full: the worst, and a sample of the others.
///
/// The worst are answers that name a wrong recording, highest score first, with or without an enrolled right one.
/// Misses follow, those first whose right reference came nearest to the threshold. Misses without the right reference
/// among their candidates come last. The seed of the run draws the sample from all other trials. Trials that failed,
/// or whose format is not offered, have nothing to show.
///
/// The choice from a shard holds all of that shard's trials in the choice from the whole run.
package struct TrialChoice: Sendable {
    package let worst: [JudgedTrial]
    /// A sample of the others, in the order they are drawn.
    package let sample: [JudgedTrial]

    /// What a page holds at most; details of more are files beside it.
    package static let pageCount = 36
    /// What a run shows by itself: explaining a trial takes as long as five cached ones.
    package static let firstCount = 3

    /// Chooses at most `count` trials, two thirds of them from the worst if possible.
    package init(_ count: Int, of trials: [JudgedTrial], seed: UInt64) {
        let shown = trials.filter { $0.outcome != nil && $0.record.error == nil }
        let failing = shown.filter { $0.outcome?.isRight == false }
            .map { (rank: Self.rank($0), trial: $0) }.sorted { $0.rank < $1.rank }.map(\.trial)
        worst = Array(failing.prefix((2 * max(0, count) + 2) / 3))
        let taken = Set(worst.map(\.record.trial.id))
        let drawn = shown.filter { !taken.contains($0.record.trial.id) }
            .map { (draw: StableHash.of("detail", "\(seed)", $0.record.trial.id), trial: $0) }
            .sorted { ($0.draw, $0.trial.record.trial.id) < ($1.draw, $1.trial.record.trial.id) }
        sample = drawn.prefix(max(0, count - worst.count)).map(\.trial)
    }

    package var trials: [JudgedTrial] { worst + sample }

    private static func rank(_ trial: JudgedTrial) -> (Int, Double, Int) {
        if let claim = trial.claim { return (0, -claim.score, trial.record.trial.index) }
        let right = trial.rightRank.map { trial.record.candidates[$0 - 1].score }
        return (1, -(right ?? -.infinity), trial.record.trial.index)
    }
}
