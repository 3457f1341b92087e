import Evaluation

package enum FailingTrials {
    /// At most `count` failing trials, the worst first.
    ///
    /// The worst are answers that name the wrong recording, highest score first. Misses follow, those first in which
    /// the right recording has the lowest score. Failed trials say nothing about the contestant and are left out.
    package static func worst(_ count: Int, of records: [TrialRecord]) -> [TrialRecord] {
        let failing = records.filter { $0.error == nil }.map { JudgedTrial($0, threshold: nil) }
            .filter { $0.outcome?.isRight == false }
        return failing.sorted { rank($0) < rank($1) }.prefix(count).map(\.record)
    }

    /// At most `count` of the trials at which queries were lost for good along an axis, the mildest first.
    ///
    /// The rung on the axis decides which is milder.
    package static func worst(_ count: Int, of result: FrontierResult) -> [TrialRecord] {
        let lost = result.limits.compactMap { limit -> (place: Double, record: TrialRecord)? in
            guard let rung = limit.finding.firstLost, let record = limit.trials[rung]?.record,
                record.error == nil
            else { return nil }
            return (Double(rung) / Double(limit.finding.rungs - 1), record)
        }
        return lost.sorted { ($0.place, $0.record.trial.index) < ($1.place, $1.record.trial.index) }.prefix(
            count
        )
        .map(\.record)
    }

    private static func rank(_ trial: JudgedTrial) -> (Int, Double, Int) {
        if let claim = trial.claim { return (0, -claim.score, trial.record.trial.index) }
        let right = trial.rightRank.map { trial.record.candidates[$0 - 1].score }
        return (1, right ?? -.infinity, trial.record.trial.index)
    }
}
