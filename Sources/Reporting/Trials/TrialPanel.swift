// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation

/// All trials, each of which opens.
struct TrialPanel: ReportPanel {
    init(_ model: ReportModel) {}

    func section(_ model: ReportModel) throws -> FigureSection? {
        guard !model.trials.isEmpty else { return nil }
        let failed = model.trials.count { $0.outcome?.isRight == false }
        return FigureSection(
            id: "trials", title: "Trials",
            text: "All \(model.trials.count.text) trials. \(Self.summary(model.shown))",
            link: "Trials (\(failed.text) failed)", folds: [.outcomes(model)],
            trials: [try TrialsContent(model)])
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
            ? " \(shown.missing.text) more were requested"
                + (shown.remark.map { ": \($0)" } ?? " and are missing.") : ""
        return
            "Open one for all its figures. \(count.text) have sound and spectrogram, marked ♪: the worst, and "
            + "a random sample of the others. The worst are wrong answers, highest score first, then misses, nearest to "
            + "the threshold first." + missing
    }
}

extension TrialsContent {
    fileprivate init(_ model: ReportModel) throws {
        let shown = model.shown
        columns = try ScriptJSON.text(TrialColumns.object(model))
        details = try model.trials.enumerated().compactMap { place, trial in
            let name = trial.record.trial.id
            guard shown.embedded.contains(name), let detail = shown.details[name] else { return nil }
            return (place, try ScriptJSON.text(TrialDetailData.object(detail, of: trial)))
        }
        hasFiles = shown.details.count > shown.embedded.count
    }
}
