/// A chart of lines over a number, each point with the interval that holds the true figure.
struct LineChart: Encodable {
    /// A point.
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

    /// A line.
    struct Series: Encodable {
        let name: String
        let points: [Point]
        /// Whether the line keeps its height up to the next point, as the levels between changes do.
        var isStepped = false
    }

    /// How a number is laid out.
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
    /// Where the vertical axis begins; nil lets it begin by the figures.
    var least: Double? = 0
    /// The end of the vertical axis; nil leaves it to the figures.
    var most: Double?
    let series: [Series]

    private enum CodingKeys: String, CodingKey { case id, xAxis, yAxis, xScale, yScale, least, most, series }

    /// The chart for those who do not see it.
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
