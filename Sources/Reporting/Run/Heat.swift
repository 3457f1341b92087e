import Evaluation
import Metrics

/// The seven steps of ink by which a recall is shaded: none for 100 %, full below 50 %.
///
/// The ink grows evenly darker, so it works in grey and with any colour vision. The number is always beside it.
struct HeatStep {
    let level: Int
    let label: String

    private static let floors = [1.0, 0.97, 0.93, 0.85, 0.7, 0.5]

    static let legend: [HeatStep] =
        [HeatStep(level: 0, label: "100 %")]
        + (1..<floors.count).map { level in
            HeatStep(level: level, label: "\(Int((floors[level] * 100).rounded())) % or more")
        } + [HeatStep(level: floors.count, label: "less")]

    /// The step of a rate; nil where there is none.
    static func level(_ proportion: Proportion) -> Int? {
        proportion.rate.map { rate in floors.firstIndex { rate >= $0 } ?? floors.count }
    }
}

/// A cell whose whole interval is below the recall of the run.
struct WeakCell {
    let anchor: String
    let title: String
    let recall: String
    let interval: String
    let counts: String

    init(_ cell: CellScore, anchors: [CellScore.Key: String]) {
        let recall = cell.score.recall
        anchor = anchors[cell.key] ?? ""
        title = cell.title
        self.recall = NumberText.rate(recall)
        interval = NumberText.interval(recall)
        counts = "\(recall.successes) of \(recall.trials)"
    }
}

/// A degradation with its severities side by side.
///
/// Degradations with one cell share the row of their group.
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
            var order: [String] = []
            var members: [String: [CellScore]] = [:]
            for cell in group.cells where cell.score.outcomes.positives > 0 || cell.score.isNotOffered {
                if members[cell.key.degradation] == nil { order.append(cell.key.degradation) }
                members[cell.key.degradation, default: []].append(cell)
            }
            let single = order.filter { members[$0]?.count == 1 }
            let pooled = single.count > 1 ? Set(single) : []
            rows += order.filter { !pooled.contains($0) }.map { name in
                let cells = members[name] ?? []
                let lengths = Set(cells.map(\.key.lengthSeconds))
                return GlanceRow(
                    name: name,
                    chips: cells.map { chip($0, label: label($0, lengths.count > 1), anchors: anchors) })
            }
            if !pooled.isEmpty {
                let cells = order.filter(pooled.contains).flatMap { members[$0] ?? [] }
                rows.append(
                    GlanceRow(
                        name: group.group.title,
                        chips: cells.map { chip($0, label: pooledLabel($0), anchors: anchors) }))
            }
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
            heat: HeatStep.level(recall).map { "heat\($0)" } ?? "absent",
            spoken: "\(cell.title): "
                + (recall.rate == nil
                    ? "not offered"
                    : "recall \(NumberText.rate(recall)), \(recall.successes) of \(recall.trials)"))
    }
}
