// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation

/// The trials of a run that a report shows in full.
package struct ShownTrials: Sendable {
    /// Details by the name of the trial.
    let details: [String: TrialDetail]
    /// The trials whose details are in the page; those of others are files beside it.
    let embedded: Set<String>
    let missing: Int
    /// Why they are missing.
    let remark: String?

    package init() { (details, embedded, missing, remark) = ([:], [], 0, nil) }

    /// Shows `count` trials of ``TrialChoice``, as far as their details are stored.
    ///
    /// - Parameters:
    ///   - required: How many of them are missing if they are not.
    ///   - remark: why details may be missing.
    ///   - detail: the stored detail of a trial, if any.
    package init(
        _ count: Int, required: Int? = nil, of trials: [JudgedTrial], seed: UInt64, remark: String? = nil,
        detail: (String) throws -> TrialDetail?
    ) rethrows {
        let wanted = TrialChoice(count, of: trials, seed: seed).trials.map(\.record.trial.id)
        var details: [String: TrialDetail] = [:]
        for name in wanted { details[name] = try detail(name) }
        self.details = details
        embedded = Set(
            TrialChoice(min(count, TrialChoice.pageCount), of: trials, seed: seed).trials
                .map(\.record.trial.id).filter { details[$0] != nil })
        let required = TrialChoice(required ?? count, of: trials, seed: seed).trials
        missing = required.count { details[$0.record.trial.id] == nil }
        self.remark = remark
    }

    /// The score from which the matcher accepts, if it states one.
    var threshold: Double? { details.values.lazy.compactMap { $0.explanation?.threshold }.first }
}
