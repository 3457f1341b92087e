import Evaluation

/// The trials of a run that a report shows in full, with all that was kept of them.
package struct ShownTrials: Sendable {
    /// What is shown, by the trial's name.
    let details: [String: TrialDetail]
    /// The names of those that stand in the page itself; the others lie beside it.
    let embedded: Set<String>
    /// How many were asked for and are not there.
    let missing: Int
    /// Why they are not there; nil where nobody tried.
    let remark: String?

    /// Shows nothing.
    package init() {
        details = [:]
        embedded = []
        missing = 0
        remark = nil
    }

    /// Shows `count` trials, as ``TrialChoice`` chooses them, as far as they are at hand.
    ///
    /// - Parameters:
    ///   - trials: all trials of the run.
    ///   - seed: that of the run.
    ///   - remark: why details may be missing.
    ///   - detail: the detail of a trial, if it was kept.
    package init(
        _ count: Int, of trials: [JudgedTrial], seed: UInt64, remark: String? = nil,
        detail: (String) throws -> TrialDetail?
    ) rethrows {
        let wanted = TrialChoice(count, of: trials, seed: seed).trials.map(\.record.trialID)
        var details: [String: TrialDetail] = [:]
        for name in wanted { details[name] = try detail(name) }
        self.details = details
        embedded = Set(
            TrialChoice(min(count, TrialChoice.usualCount), of: trials, seed: seed).trials
                .map(\.record.trialID).filter { details[$0] != nil })
        missing = wanted.count - details.count
        self.remark = remark
    }

    /// The score from which the matcher accepts, where it said so.
    var threshold: Double? { details.values.lazy.compactMap { $0.explanation?.threshold }.first }
}
