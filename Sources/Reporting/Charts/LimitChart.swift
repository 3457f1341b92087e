// SPDX-License-Identifier: GPL-3.0-or-later

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
