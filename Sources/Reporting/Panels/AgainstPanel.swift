import Evaluation

/// The verdict against a baseline, its reasons, and the conditions that changed most.
struct AgainstContent {
    let baseline: String
    let verdict: String
    let kind: String
    let summary: String
    let reasons: [String]
    let changes: [ChangeRow]
    let unchanged: String

    private static let mostReasons = 4
    private static let mostChanges = 6

    init(_ comparison: BaselineComparison) {
        let report = comparison.report
        baseline = comparison.name
        kind = report.verdict.rawValue
        verdict =
            switch report.verdict {
            case .fail: "Worse than allowed"
            case .improved: "Better than the baseline"
            case .inconclusive: "Too few trials to decide"
            case .pass: "As good as the baseline"
            }
        let counts = GateVerdict.allCases.filter { report.count($0) > 0 }
            .map { "\(report.count($0)) \($0.rawValue)" }.joined(separator: ", ")
        let earlier = report.baseline.map {
            "\($0.matcher) \($0.version), commit \(ProvenanceContent.short($0.commit))"
        }
        let overall = ChangeRow(comparison.changes.overall, scale: 1)
        let positives = comparison.changes.overall.positives
        summary =
            "Findings by the rules \(report.rules): \(counts). Recall over all trials differs by "
            + "\(overall.difference) points (\(overall.interval)) from \(earlier ?? "the baseline"): "
            + "\(NumberText.count(positives.onlyAfter, "trial")) gained, \(overall.onlyFirst) lost."
        let told = report.findings.filter { $0.verdict == report.verdict && $0.verdict != .pass }
        let more = told.count - Self.mostReasons
        reasons =
            told.prefix(Self.mostReasons).map { "\($0.rule), \($0.scope): \($0.reason)" }
            + (more > 0 ? ["and \(NumberText.count(more, "more finding")); the gate lists all"] : [])
        let changed = comparison.changes.mostChanged
        changes = ChangeRow.all(Array(changed.prefix(Self.mostChanges)))
        unchanged = NumberText.count(comparison.changes.cells.count - changed.count)
    }
}
