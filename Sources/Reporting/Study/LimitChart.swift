import Evaluation
import Metrics

/// The share of queries still found, severity by severity, drawn as SVG.
struct LimitChart {
    let spoken: String
    let curve: String
    let band: String
    let columns: [Tick]
    let rows: [Tick]
    let holes: [Mark]

    /// A labelled line.
    struct Tick {
        let place: String
        let label: String
    }

    /// A hole of one query.
    struct Mark {
        let start: String
        let width: String
    }

    private static let (left, top, width, height) = (44.0, 8.0, 580.0, 170.0)

    init(_ axis: AxisDistribution) {
        let rungs = axis.axis.ladder.rungs
        let last = Double(max(1, rungs.count - 1))
        func x(_ rung: Double) -> String { NumberText.coordinate(Self.left + Self.width * rung / last) }
        func y(_ share: Double) -> String {
            NumberText.coordinate(Self.top + Self.height * (1 - share))
        }
        let shares = axis.found.map { $0.rate ?? 0 }
        curve = shares.enumerated().map { "\(x(Double($0.offset))),\(y($0.element))" }
            .joined(separator: " ")
        let intervals = axis.found.map { $0.wilsonInterval() ?? Interval(lower: 0, upper: 1) }
        let upper = intervals.enumerated().map { "\(x(Double($0.offset))),\(y($0.element.upper))" }
        let lower = intervals.enumerated().map { "\(x(Double($0.offset))),\(y($0.element.lower))" }
        band = (upper + lower.reversed()).joined(separator: " ")
        let count = min(6, rungs.count - 1)
        columns = (0...max(1, count)).map { number in
            let rung = (last * Double(number) / Double(max(1, count))).rounded()
            return Tick(place: x(rung), label: NumberText.severity(rungs[Int(rung)].label))
        }
        rows = [0, 0.5, 1].map { Tick(place: y($0), label: "\(Int($0 * 100)) %") }
        holes = axis.limits.flatMap { limit in
            limit.finding.holes.map { hole in
                let start = max(0, Double(hole.lowerBound) - 0.4)
                let end = min(last, Double(hole.upperBound) + 0.4)
                return Mark(
                    start: x(start), width: NumberText.coordinate(Self.width * (end - start) / last))
            }
        }
        spoken =
            "Share of queries still found along \(axis.axis.name). "
            + axis.quantiles.map { "\(Int($0.share * 100)) % lost by \(axis.label($0.rung))" }
            .joined(separator: "; ") + "."
    }
}

extension NumberText {
    /// A place in a drawing: a point and two digits, whatever the language.
    static func coordinate(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
