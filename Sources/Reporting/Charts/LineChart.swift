// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics
import Mustache

/// A chart of lines over a number, whose points may have intervals.
struct LineChart: Encodable {
    struct Point: Encodable {
        let x: Double
        let y: Double
        var lower: Double?
        var upper: Double?
    }

    struct Series: Encodable {
        let name: String
        let points: [Point]
        /// Draws a step instead of a slope to the next point.
        var isStepped = false
    }

    enum Scale: String, Encodable {
        case linear
        case logarithmic
    }

    let id: String
    let title: String
    let caption: String
    let xAxis: String
    let yAxis: String
    var xScale = Scale.linear
    var yScale = Scale.linear
    /// The least value of the vertical axis; nil takes that of the figures.
    var least: Double? = 0
    /// The suggested end of the vertical axis; nil takes that of the figures.
    var most: Double?
    let series: [Series]

    private enum CodingKeys: String, CodingKey { case id, xAxis, yAxis, xScale, yScale, least, most, series }

    /// The chart as a sentence for screen readers.
    var spoken: String {
        func words(_ point: Point) -> String {
            "\(NumberText.significant(point.y, digits: 3)) at \(NumberText.significant(point.x, digits: 3))"
        }
        let ends = series.compactMap { line -> String? in
            guard let first = line.points.first, let last = line.points.last else { return nil }
            return line.points.count == 1
                ? "\(line.name): \(words(first))" : "\(line.name): from \(words(first)) to \(words(last))"
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
}

extension LineChart: MustacheParent {
    func child(named name: String) -> Any? {
        ["id": id, "title": title, "caption": caption, "spoken": spoken][name]
    }
}

/// A measured recall with its 95 % interval.
struct RecallPoint: Encodable {
    let x: Double
    let label: String?
    /// The row of its condition, if it is of one.
    let anchor: String?
    let recall: Double
    let lower: Double
    let upper: Double
    let count: Int
    let of: Int

    /// Nil without trials.
    init?(x: Double, label: String? = nil, anchor: String? = nil, _ recall: Proportion) {
        guard let rate = recall.rate, let interval = recall.wilsonInterval() else { return nil }
        self.x = x
        self.label = label
        self.anchor = anchor
        self.recall = rate
        lower = interval.lower
        upper = interval.upper
        count = recall.successes
        of = recall.trials
    }
}

/// The share of queries still found, severity by severity, drawn as SVG.
struct LimitChart {
    let id: String
    let title: String
    let spoken: String
    let curve: String
    let band: String
    let columns: [(place: String, label: String)]
    let rows: [(place: String, label: String)]
    /// Ranges of severities at which one query is lost, although it is found at a worse one.
    let holes: [(start: String, width: String)]

    private static let (left, top, width, height) = (44.0, 8.0, 580.0, 170.0)

    /// - Parameters:
    ///   - labels: the severities, the mildest first.
    ///   - shares: a share with the ends of its interval for each severity.
    ///   - holes: numbers of severities.
    init(
        id: String, title: String, spoken: String, labels: [String],
        shares: [(rate: Double, lower: Double, upper: Double)], holes: [ClosedRange<Int>]
    ) {
        self.id = id
        self.title = title
        self.spoken = spoken
        let last = Double(max(1, labels.count - 1))
        // A point and two digits, whatever the language.
        func coordinate(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
        func x(_ rung: Double) -> String { coordinate(Self.left + Self.width * rung / last) }
        func y(_ share: Double) -> String { coordinate(Self.top + Self.height * (1 - share)) }
        func points(_ values: [Double]) -> [String] {
            values.enumerated().map { "\(x(Double($0))),\(y($1))" }
        }
        curve = points(shares.map(\.rate)).joined(separator: " ")
        band = (points(shares.map(\.upper)) + points(shares.map(\.lower)).reversed()).joined(separator: " ")
        // Labels that do not touch: a character is seven units wide at most.
        let widest = 7 * Double(labels.map(\.count).max() ?? 0) + 12
        let count = min(6, labels.count - 1, max(1, Int(Self.width / widest)))
        columns = (0...max(1, count)).map { number in
            let rung = (last * Double(number) / Double(max(1, count))).rounded()
            return (x(rung), labels[min(Int(rung), labels.count - 1)])
        }
        rows = [0, 0.5, 1].map { (y($0), "\(Int($0 * 100)) %") }
        self.holes = holes.map { hole in
            let start = max(0, Double(hole.lowerBound) - 0.4)
            let end = min(last, Double(hole.upperBound) + 0.4)
            return (x(start), coordinate(Self.width * (end - start) / last))
        }
    }
}
