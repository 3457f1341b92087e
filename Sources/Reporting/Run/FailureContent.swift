import Evaluation
import Metrics

/// The failed trials, each with the command that makes its query again.
struct FailureContent {
    struct Row {
        let outcome: String
        let kind: String
        let trial: String
        /// Its place in the table of all trials.
        let place: Int
        let expected: String
        let answer: String
        let hasAnswer: Bool
        let score: Figure
        let reason: String
        let command: String
    }

    let rows: [Row]
    let hasRows: Bool
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
        hasRows = !rows.isEmpty
        count = NumberText.count(failures.count)
        isCut = failures.count > rows.count
        shown = NumberText.count(rows.count)
    }

    private static func row(_ trial: JudgedTrial, place: Int, reason: String, commands: RunCommands)
        -> Row
    {
        let record = trial.record
        let best = trial.claim ?? (record.error == nil ? record.candidates.first : nil)
        return Row(
            outcome: trial.outcome.map(OutcomeContent.name) ?? "", kind: trial.outcome?.rawValue ?? "",
            trial: record.trial.id, place: place,
            expected: record.trial.isPositive
                ? record.truthReferences.joined(separator: ", ") : "no reference",
            answer: best?.referenceID ?? "", hasAnswer: best != nil,
            score: Figure(best?.score) { NumberText.fixed($0, digits: 1) }, reason: reason,
            command: commands.writeQuery(record.trial.id))
    }
}
