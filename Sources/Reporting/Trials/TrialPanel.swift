// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation

/// The table of all trials with the details in the page.
struct TrialsContent {
    let count: String
    let columns: String
    /// The details in the page by their place in the order of the plan.
    let details: [(place: Int, json: String)]
    let summary: String
    /// Whether the page loads details from files beside it.
    let hasFiles: Bool

    init(_ model: ReportModel) throws {
        count = NumberText.count(model.trials.count)
        columns = try ScriptJSON.text(TrialColumns.object(model))
        let shown = model.shown
        details = try model.trials.enumerated().compactMap { place, trial in
            let name = trial.record.trial.id
            guard shown.embedded.contains(name), let detail = shown.details[name] else { return nil }
            return (place, try ScriptJSON.text(TrialDetailData.object(detail, of: trial)))
        }
        hasFiles = shown.details.count > shown.embedded.count
        summary = Self.summary(shown)
    }

    private static func summary(_ shown: ShownTrials) -> String {
        let count = shown.details.count
        guard count > 0 else {
            return "Open one for all its figures."
                + (shown.remark.map { " None has sound: \($0)" }
                    ?? " None has sound, as the report has no details.")
        }
        let missing =
            shown.missing > 0
            ? " \(NumberText.count(shown.missing)) more were requested"
                + (shown.remark.map { ": \($0)" } ?? " and are missing.") : ""
        return
            "Open one for all its figures. \(NumberText.count(count)) have sound and spectrogram, marked ♪: the worst, and "
            + "a random sample of the others. The worst are wrong answers, highest score first, then misses, nearest to "
            + "the threshold first." + missing
    }
}

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

    /// Shows `count` trials of ``TrialChoice``.
    ///
    /// - Parameters:
    ///   - remark: why details may be missing.
    ///   - detail: the stored detail of a trial, if any.
    package init(
        _ count: Int, of trials: [JudgedTrial], seed: UInt64, remark: String? = nil,
        detail: (String) throws -> TrialDetail?
    ) rethrows {
        let wanted = TrialChoice(count, of: trials, seed: seed).trials.map(\.record.trial.id)
        var details: [String: TrialDetail] = [:]
        for name in wanted { details[name] = try detail(name) }
        self.details = details
        embedded = Set(
            TrialChoice(min(count, TrialChoice.usualCount), of: trials, seed: seed).trials
                .map(\.record.trial.id).filter { details[$0] != nil })
        missing = wanted.count - details.count
        self.remark = remark
    }

    /// The score from which the matcher accepts, if it states one.
    var threshold: Double? { details.values.lazy.compactMap { $0.explanation?.threshold }.first }
}
