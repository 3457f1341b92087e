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
        let ends = series.compactMap { line in
            line.points.first.flatMap { first in
                line.points.last.map { last in
                    "\(line.name): from \(NumberText.significant(first.y, digits: 3)) at "
                        + "\(NumberText.significant(first.x, digits: 3)) to "
                        + "\(NumberText.significant(last.y, digits: 3)) at "
                        + NumberText.significant(last.x, digits: 3)
                }
            }
        }
        return
            "\(title), \(yAxis) over \(xAxis). \(ends.joined(separator: "; ")). The CSV file holds every point."
    }
}
