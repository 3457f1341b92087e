// SPDX-License-Identifier: GPL-3.0-or-later
import Degradations
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
        let layouts = points.grouped(by: \.layout).map(\.key)
        guard Set(points.map(\.encoding)).count >= 2, rates.count >= 2 || layouts.count >= 2 else {
            return nil
        }
        let isByRate = rates.count >= 2
        axis = isByRate ? .sampleRate : .layout
        columns = isByRate ? rates.sorted().map(String.init) : layouts
        degradation = first.key.degradation
        let columns = columns
        rows = zip(points, cells).grouped { point, _ in
            [point.encoding, isByRate ? point.layout : ""]
        }.map { head, members in
            let scores = Dictionary(
                members.map { (isByRate ? $0.rate.map(String.init) ?? "" : $0.layout, $1.score) },
                uniquingKeysWith: { $1 })
            return Row(encoding: head[0], layout: head[1], scores: columns.map { scores[$0] })
        }
    }

    private struct Point {
        let encoding: String
        let rate: Int?
        let layout: String

        init?(_ cell: CellScore) {
            guard let format = cell.chain.last(Format.self) else { return nil }
            encoding = format.encoding
            rate = cell.chain.last(Resample.self)?.sampleRateHertz
            layout = cell.chain.last(Layout.self)?.channels.rawValue ?? ""
        }
    }
}
