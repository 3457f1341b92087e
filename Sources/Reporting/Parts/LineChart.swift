/// A chart of lines over a number.
///
/// Points may have intervals.
struct LineChart: Encodable {
    struct Point: Encodable {
        let x: Double
        let y: Double
        let lower: Double?
        let upper: Double?

        init(x: Double, y: Double, lower: Double? = nil, upper: Double? = nil) {
            self.x = x
            self.y = y
            self.lower = lower
            self.upper = upper
        }
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
