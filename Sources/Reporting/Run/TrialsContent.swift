import Evaluation

/// The table of all trials, and those that are shown in full.
struct TrialsContent {
    /// A trial whose detail stands in the page.
    struct Detail {
        /// Its place in the order of the plan.
        let place: Int
        let json: String
    }

    let count: String
    let columns: String
    let details: [Detail]
    /// What can be opened, in a sentence or two.
    let summary: String
    /// Whether the page loads details that lie beside it.
    let hasFiles: Bool

    init(_ model: ReportModel) throws {
        count = NumberText.count(model.trials.count)
        columns = try ScriptJSON.text(TrialColumns(model))
        let shown = model.shown
        details = try model.trials.enumerated().compactMap { place, trial in
            let name = trial.record.trialID
            guard shown.embedded.contains(name), let detail = shown.details[name] else { return nil }
            return Detail(place: place, json: try ScriptJSON.text(TrialDetailData(detail, of: trial)))
        }
        hasFiles = shown.details.count > shown.embedded.count
        summary = Self.summary(shown)
    }

    private static func summary(_ shown: ShownTrials) -> String {
        let count = shown.details.count
        guard count > 0 else {
            return "Open one for all its figures."
                + (shown.remark.map { " None can be heard: \($0)" }
                    ?? " None can be heard, as the report was made without details.")
        }
        let missing =
            shown.missing > 0
            ? " \(NumberText.count(shown.missing)) more were asked for"
                + (shown.remark.map { ": \($0)" } ?? " and are not at hand.") : ""
        return
            "Open one for all its figures. \(NumberText.count(count)) can be heard and seen as well, marked ♪: the worst, and "
            + "some of the others, drawn by the seed. Worst are wrong answers, the surest first, then misses, the nearest "
            + "to the threshold first." + missing
    }
}
