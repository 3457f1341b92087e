import Evaluation
import Metrics

/// A family that crosses encodings with sample rates or layouts, as a table.
struct MatrixContent {
    /// A column head.
    struct Column {
        let text: String
    }

    /// One crossing.
    struct Entry {
        let text: String
        let counts: String
        let heat: String
    }

    /// An encoding with a layout.
    struct Row {
        let encoding: String
        let layout: String
        let entries: [Entry]
    }

    let name: String
    let caption: String
    let hasLayouts: Bool
    let columns: [Column]
    let rows: [Row]

    init(_ matrix: FormatMatrix) {
        name = matrix.degradation
        caption =
            matrix.axis == .sampleRate
            ? "recall by encoding and sample rate in hertz" : "recall by encoding and layout of channels"
        hasLayouts = matrix.rows.contains { !$0.layout.isEmpty }
        columns = matrix.columns.map { name in Column(text: Int(name).map { NumberText.count($0) } ?? name) }
        rows = matrix.rows.map { row in
            Row(encoding: row.encoding, layout: row.layout, entries: row.scores.map(Self.entry))
        }
    }

    private static func entry(_ score: Scorecard?) -> Entry {
        guard let score else { return Entry(text: "not tried", counts: "", heat: "absent") }
        if score.isNotOffered { return Entry(text: "not offered", counts: "", heat: "absent") }
        let recall = score.recall
        return Entry(
            text: NumberText.rate(recall),
            counts: recall.trials > 0 ? "\(recall.successes) of \(recall.trials)" : "",
            heat: HeatStep.level(recall).map { "heat\($0)" } ?? "absent")
    }
}
