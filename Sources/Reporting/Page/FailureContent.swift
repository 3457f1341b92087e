import Evaluation
import Metrics

/// The trials that did not end as they should, each with how to make it again.
struct FailureContent {
    /// One trial.
    struct Row {
        let outcome: String
        let kind: String
        let trial: String
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

    /// Beyond this many nobody reads on; `trials.csv` has them all.
    private static let mostRows = 1000

    init(_ model: ReportModel) {
        let failures = model.failures
        rows = failures.prefix(Self.mostRows).map { Self.row($0, plan: model.facts.planArguments) }
        hasRows = !rows.isEmpty
        count = NumberText.count(failures.count)
        isCut = failures.count > rows.count
        shown = NumberText.count(rows.count)
    }

    private static func row(_ trial: JudgedTrial, plan: String) -> Row {
        let record = trial.record
        let best = trial.claim ?? (record.error == nil ? record.candidates.first : nil)
        return Row(
            outcome: trial.outcome.map(OutcomeContent.name) ?? "", kind: trial.outcome?.rawValue ?? "",
            trial: record.trialID,
            expected: record.isPositive ? record.truthReferences.joined(separator: ", ") : "no reference",
            answer: best?.referenceID ?? "", hasAnswer: best != nil,
            score: Figure(best?.score) { NumberText.fixed($0, digits: 1) }, reason: reason(trial),
            command:
                "earshot degrade \(plan) --trial \(ShellWord.quoted(record.trialID)) --output replay")
    }

    private static func reason(_ trial: JudgedTrial) -> String {
        let record = trial.record
        if let error = record.error { return "Error: \(error)" }
        let others = record.candidates.count
        switch trial.outcome {
        case .falseAccept: return "Claimed, though no reference holds the query."
        case .wrongReference:
            return trial.rightRank.map { "The right reference came \(ordinal($0)) of \(others) candidates." }
                ?? "The right reference is not among the \(others) candidates."
        default:
            if record.candidates.isEmpty { return "No candidate at all." }
            guard let rank = trial.rightRank else {
                return
                    "Nothing reached the threshold; the right reference is not among the \(others) candidates."
            }
            return rank == 1
                ? "The right reference came first, below the threshold."
                : "Nothing reached the threshold; the right reference came \(ordinal(rank))."
        }
    }

    private static func ordinal(_ rank: Int) -> String {
        switch rank {
        case 1: "first"
        case 2: "second"
        case 3: "third"
        default: "\(rank)th"
        }
    }
}
