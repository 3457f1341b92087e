// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// A family that crosses encodings with sample rates or channel layouts.
package struct FormatMatrix: Sendable {
    package enum Axis: Sendable {
        case sampleRate
        case layout
    }

    /// One encoding, with one layout of channels where the columns are sample rates.
    package struct Row: Sendable {
        package let encoding: String
        /// The name of the layout; empty where the chain has none or the columns are layouts.
        package let layout: String
        /// The figures in each column; nil where the plan has no such cell.
        package let scores: [Scorecard?]
    }

    package let degradation: String
    package let axis: Axis
    /// The columns: rates rising, or layouts in the order of the plan.
    package let columns: [String]
    package let rows: [Row]

    /// Finds the matrix in the cells of one family; nil unless two encodings or more are crossed
    /// with two rates or more, or with two layouts or more.
    init?(_ cells: [CellScore]) {
        let points = cells.compactMap(Point.init)
        guard let first = cells.first, points.count == cells.count else { return nil }
        let rates = Set(points.compactMap(\.rate))
        let layouts = Self.unique(points.map(\.layout))
        guard Set(points.map(\.encoding)).count >= 2, rates.count >= 2 || layouts.count >= 2 else {
            return nil
        }
        let isByRate = rates.count >= 2
        axis = isByRate ? .sampleRate : .layout
        columns = isByRate ? rates.sorted().map(String.init) : layouts
        degradation = first.key.degradation

        struct Head: Hashable {
            let encoding: String
            let layout: String
        }
        var scores: [Head: [String: Scorecard]] = [:]
        for (point, cell) in zip(points, cells) {
            let head = Head(encoding: point.encoding, layout: isByRate ? point.layout : "")
            scores[head, default: [:]][isByRate ? point.rate.map(String.init) ?? "" : point.layout] =
                cell.score
        }
        let heads = Self.unique(points.map { Head(encoding: $0.encoding, layout: isByRate ? $0.layout : "") })
        let columns = columns
        rows = heads.map { head in
            Row(encoding: head.encoding, layout: head.layout, scores: columns.map { scores[head]?[$0] })
        }
    }

    private struct Point {
        let encoding: String
        let rate: Int?
        let layout: String

        init?(_ cell: CellScore) {
            guard let encoding = cell.chain.parameter("encoding", of: "format") else { return nil }
            self.encoding = encoding
            rate = cell.chain.parameter("sampleRateHertz", of: "resample").flatMap { Int($0) }
            layout = cell.chain.parameter("channels", of: "layout") ?? ""
        }
    }

    private static func unique<Element: Hashable>(_ list: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return list.filter { seen.insert($0).inserted }
    }
}

/// A family that crosses encodings with sample rates or layouts, as a table.
struct MatrixContent {
    struct Column {
        let text: String
    }

    struct Entry {
        let text: String
        let counts: String
        let heat: String
    }

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
