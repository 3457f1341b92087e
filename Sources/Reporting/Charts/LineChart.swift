// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Metrics
import Mustache

/// A chart of lines over a number, whose points may have intervals and lead to trials.
struct LineChart: Encodable {
    struct Point: Encodable {
        let x: Double
        let y: Double
        var lower: Double?
        var upper: Double?
        /// The title of the point's tooltip; nil takes the name of its series.
        var title: String?
        /// The words of the tooltip; nil takes those of the chart, or the figures.
        var note: String?
        /// The row of the condition that a click lists the trials of.
        var condition: String?
        /// The place of the trial that a click opens.
        var trial: Int?
    }

    struct Series: Encodable {
        enum Style: String, Encodable {
            /// Draws a line through the points.
            case line
            /// Draws a line without points.
            case curve
            /// Draws a dashed step instead of a slope to the next point.
            case stepped
            case points
            /// Draws a thin line without points.
            case fit
            /// Draws a dashed line without colour to compare with.
            case guide
            /// Draws one large point.
            case mark
        }

        /// A series without a name is not in the legend.
        var name: String?
        let points: [Point]
        var style = Style.line
        /// The number of its colour; nil takes its place among the series.
        var ink: Int?
    }

    /// A mark on an axis.
    struct Tick: Encodable {
        let at: Double
        let label: String
    }

    enum Scale: String, Encodable {
        case linear
        case logarithmic
    }

    enum Intervals: String, Encodable {
        case band
        case whiskers
    }

    enum Legend: String, Encodable {
        case above
        case below
        case none
    }

    let id: String
    let title: String
    let caption: String
    /// The name and unit of the axis; may be empty.
    let xAxis: String
    let yAxis: String
    var xScale = Scale.linear
    var yScale = Scale.linear
    /// Nil takes the marks of the figures.
    var xTicks: [Tick]?
    var yTicks: [Tick]?
    /// The ends of the axis; nil takes those of the figures.
    var xRange: [Double]?
    var yRange: [Double]?
    /// The least value of the vertical axis; nil takes that of the figures.
    var least: Double? = 0
    /// The suggested end of the vertical axis; nil takes that of the figures.
    var most: Double?
    var intervals = Intervals.band
    var legend = Legend.above
    /// Draws lines at the marks of both axes, not only of the vertical one.
    var hasGrid = false
    /// The words of every tooltip, with `{x}` and `{y}` for the figures.
    var note: String?
    let series: [Series]
    /// The chart as a sentence for screen readers; nil takes the ends of its series.
    var words: String?

    private enum CodingKeys: String, CodingKey {
        case id, xAxis, yAxis, xScale, yScale, xTicks, yTicks, xRange, yRange, least, most, intervals, legend
        case hasGrid, note, series
    }

    private var spoken: String {
        if let words = self.words { return words }
        func told(_ point: Point) -> String {
            "\(NumberText.significant(point.y, digits: 3)) at \(NumberText.significant(point.x, digits: 3))"
        }
        let ends = series.compactMap { line -> String? in
            guard let first = line.points.first, let last = line.points.last else { return nil }
            let name = line.name ?? ""
            return line.points.count == 1
                ? "\(name): \(told(first))" : "\(name): from \(told(first)) to \(told(last))"
        }
        return
            "\(title), \(yAxis) over \(xAxis). \(ends.joined(separator: "; ")). The CSV file holds every point."
    }
}

extension LineChart.Point {
    /// A share in percent with its 95 % interval; nil without trials.
    init?(x: Double, percent share: Proportion) {
        guard let rate = share.rate, let range = share.wilsonInterval() else { return nil }
        self.init(x: x, y: rate * 100, lower: range.lower * 100, upper: range.upper * 100)
    }

    /// The recall of a condition, with words for its tooltip; nil without trials.
    init?(x: Double, recall: Proportion, prefix: String, title: String? = nil, condition: String?) {
        self.init(x: x, percent: recall)
        let parts = [y, lower ?? y, upper ?? y].map { String(format: "%.1f", $0) }
        note =
            "\(prefix) \(parts[0]) % (\(parts[1])–\(parts[2]) %), \(recall.successes) of \(recall.trials)"
        self.title = title
        self.condition = condition
    }
}

extension LineChart.Series {
    /// A line through shares with their intervals; rows without trials have no point.
    init<Row>(_ name: String, _ rows: [Row], x: (Row) -> Double, percent share: (Row) -> Proportion) {
        self.init(name: name, points: rows.compactMap { .init(x: x($0), percent: share($0)) })
    }
}

extension LineChart.Tick {
    /// Marks with their numbers as labels.
    static func numbers(_ values: [Double]) -> [LineChart.Tick] {
        values.map { LineChart.Tick(at: $0, label: NumberText.plain($0)) }
    }
}

extension LineChart: MustacheParent {
    func child(named name: String) -> Any? {
        ["id": id, "title": title, "caption": caption, "spoken": spoken][name]
    }
}
