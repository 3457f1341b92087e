import Evaluation
import Metrics

/// The failed trials, each with the command that makes its query again.
struct FailureContent {
    let rows: [[String: Any]]
    let count: String
    let isCut: Bool
    let shown: String

    /// A longer table is cut; `trials.csv` has all rows.
    private static let mostRows = 1000

    init(_ model: ReportModel) {
        let failures = model.failures
        let reason = TrialReason(model)
        let places = Dictionary(
            model.trials.enumerated().map { ($1.record.trial.id, $0) }, uniquingKeysWith: { $1 })
        rows = failures.prefix(Self.mostRows).map { trial in
            Self.row(
                trial, place: places[trial.record.trial.id] ?? 0, reason: reason.text(trial),
                commands: model.commands)
        }
        count = NumberText.count(failures.count)
        isCut = failures.count > rows.count
        shown = NumberText.count(rows.count)
    }

    private static func row(
        _ trial: JudgedTrial, place: Int, reason: String, commands: RunCommands
    ) -> [String: Any] {
        let record = trial.record
        let best = trial.claim ?? (record.error == nil ? record.candidates.first : nil)
        return [
            "outcome": trial.outcome.map(OutcomeContent.name) ?? "",
            "kind": trial.outcome?.rawValue ?? "",
            "trial": record.trial.id,
            "place": place,
            "expected": record.trial.isPositive
                ? record.truthReferences.joined(separator: ", ") : "no reference",
            "answer": best?.referenceID ?? "",
            "hasAnswer": best != nil,
            "score": NumberText.optional(best?.score) { NumberText.fixed($0, digits: 1) },
            "reason": reason,
            "command": commands.writeQuery(record.trial.id),
        ]
    }
}
