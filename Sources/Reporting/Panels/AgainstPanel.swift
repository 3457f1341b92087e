// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation

/// The verdict against a baseline, its reasons, and the conditions that changed most.
struct AgainstPanel: ReportPanel {
    private static let mostReasons = 4
    private static let mostChanges = 6

    init(_ model: ReportModel) {}

    func section(_ model: ReportModel) -> FigureSection? {
        guard let comparison = model.against else { return nil }
        let report = comparison.report
        let earlier = report.baseline.map {
            "\($0.matcher) \($0.version), commit \(ProvenanceContent.short($0.commit))"
        }
        let overall = ChangeRow(comparison.changes.overall, scale: 1)
        let positives = comparison.changes.overall.positives
        let told = report.findings.filter { $0.verdict == report.verdict && $0.verdict != .pass }
        let more = told.count - Self.mostReasons
        let reasons =
            told.prefix(Self.mostReasons).map { "\($0.rule), \($0.scope): \($0.reason)" }
            + (more > 0 ? ["and \(more.text("more finding")); the gate lists all"] : [])
        let changed = comparison.changes.mostChanged
        let unchanged = (comparison.changes.cells.count - changed.count).text
        return FigureSection(
            id: "against", title: "",
            text:
                "Findings by the rules \(report.rules): \(report.counts). Recall over all trials differs by "
                + "\(overall.difference) points (\(overall.interval)) from \(earlier ?? "the baseline"): "
                + "\(positives.onlyAfter.text("trial")) gained, \(overall.onlyFirst) lost.",
            label: "Against the baseline", judgement: [Judgement(comparison)],
            remarks: reasons + report.notes
                + (changed.isEmpty ? ["Every trial has the same outcome as in the baseline."] : []),
            changesTitle: "What changed most",
            changes: ChangeRow.all(Array(changed.prefix(Self.mostChanges))),
            changesNote:
                "The first run is the baseline. \(unchanged) conditions have the same outcomes. "
                + "Bold differences are significant."
        )
    }
}

extension Judgement {
    init(_ comparison: BaselineComparison) {
        let verdict = comparison.report.verdict
        let words =
            switch verdict {
            case .fail: "Worse than allowed"
            case .improved: "Better than the baseline"
            case .inconclusive: "Perhaps worse than allowed"
            case .pass: "As good as the baseline"
            }
        self.init(kind: verdict.rawValue, words: words, baseline: comparison.name)
    }
}
