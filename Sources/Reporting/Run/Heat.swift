import Evaluation
import Metrics

/// The seven steps of ink by which a recall is shaded: none for 100 %, full below 50 %.
///
/// The ink grows evenly darker, so it works in grey and with any colour vision. The number is always beside it.
enum HeatStep {
    private static let floors = [1.0, 0.97, 0.93, 0.85, 0.7, 0.5]

    static let legend: [(level: Int, label: String)] =
        [(0, "100 %")]
        + (1..<floors.count).map { ($0, "\(Int((floors[$0] * 100).rounded())) % or more") }
        + [(floors.count, "less")]

    /// The class of a rate; `absent` without trials.
    static func style(of proportion: Proportion) -> String {
        guard let rate = proportion.rate else { return "absent" }
        return "heat\(floors.firstIndex { rate >= $0 } ?? floors.count)"
    }
}

/// A degradation with its severities side by side; those with one cell share the row of their group.
struct GlanceRow {
    struct Chip {
        let anchor: String
        let label: String
        let value: String
        let heat: String
        let spoken: String
    }

    let name: String
    let chips: [Chip]

    static func all(_ model: ReportModel, anchors: [CellScore.Key: String]) -> [GlanceRow] {
        var rows: [GlanceRow] = []
        for group in model.groups where group.group != .matrix {
            let families = group.cells.filter { $0.score.outcomes.positives > 0 || $0.score.isNotOffered }
                .grouped(by: \.key.degradation)
            let single = families.filter { $0.elements.count == 1 }
            let isPooled = single.count > 1
            rows += families.filter { !isPooled || $0.elements.count > 1 }.map { name, cells in
                let lengths = Set(cells.map(\.key.lengthSeconds))
                return GlanceRow(
                    name: name,
                    chips: cells.map { chip($0, label: label($0, lengths.count > 1), anchors: anchors) })
            }
            guard isPooled else { continue }
            let chips = single.flatMap(\.elements)
                .map { chip($0, label: pooledLabel($0), anchors: anchors) }
            rows.append(GlanceRow(name: group.group.title, chips: chips))
        }
        return rows
    }

    private static func label(_ cell: CellScore, _ namesLength: Bool) -> String {
        let severity = NumberText.severity(cell.key.severity)
        return severity.isEmpty || namesLength
            ? NumberText.condition(severity: cell.key.severity, lengthSeconds: cell.key.lengthSeconds)
            : severity
    }

    private static func pooledLabel(_ cell: CellScore) -> String {
        [cell.key.degradation, NumberText.severity(cell.key.severity)].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    private static func chip(_ cell: CellScore, label: String, anchors: [CellScore.Key: String]) -> Chip {
        let recall = cell.score.recall
        let value = recall.rate.map { NumberText.percent($0, trials: 0) } ?? "not offered"
        return Chip(
            anchor: anchors[cell.key] ?? "", label: label, value: value,
            heat: HeatStep.style(of: recall),
            spoken: "\(cell.title): "
                + (recall.rate == nil
                    ? "not offered"
                    : "recall \(NumberText.rate(recall)), \(recall.successes) of \(recall.trials)"))
    }
}
