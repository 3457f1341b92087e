import Evaluation
import Foundation
import Metrics

/// Signed errors of an estimate, against the truth and as a distribution.
struct ErrorChart: Encodable {
    /// An answer: the truth it is drawn at, and its error.
    private typealias Answer = (x: Double, error: Double)

    let id: String
    let title: String
    let truthAxis: String
    let errorAxis: String
    /// The range of errors drawn, −limit…limit; errors beyond are drawn at the edge.
    let limit: Double
    /// The width of the axis where all errors are 0.
    private static let finestLimit = 1e-3
    /// Pairs of a truth and an error.
    let points: [[Double]]
    let edges: [Double]
    let counts: [Int]
    let caption: String
    let spoken: String

    private enum CodingKeys: String, CodingKey {
        case id, truthAxis, errorAxis, limit, points, edges, counts
    }

    /// More points would overlap.
    private static let mostPoints = 3000

    /// The errors that a run has, as charts: frequency skew, time skew, offset.
    static func all(_ model: ReportModel) -> [ErrorChart] {
        let trials = model.trials
        func points(_ error: (JudgedTrial) -> Double?, _ x: (JudgedTrial) -> Double?, _ scale: Double)
            -> [Answer]
        {
            trials.compactMap { trial in
                guard let error = error(trial), let x = x(trial) else { return nil }
                return (x * 100, error * scale)
            }
        }
        return [
            ErrorChart(
                "frequency-skew", "Frequency skew", "true frequency skew, %", "error, %",
                points(\.frequencySkewError, { $0.record.truth?.frequencySkew }, 100)),
            ErrorChart(
                "time-skew", "Time skew", "true time skew, %", "error, %",
                points(\.timeSkewError, { $0.record.truth?.timeSkew }, 100)),
            ErrorChart(
                "offset", "Match offset, repeat-aware", "true time skew, %", "error, ms",
                points(\.offsetErrorSeconds, { $0.record.truth?.timeSkew }, 1000)),
        ].compactMap(\.self)
    }

    private init?(_ id: String, _ title: String, _ truthAxis: String, _ errorAxis: String, _ all: [Answer]) {
        guard let summary = ErrorSummary(all.map(\.error)), let unit = errorAxis.split(separator: " ").last
        else { return nil }
        self.id = "error-\(id)"
        self.title = title
        self.truthAxis = truthAxis
        self.errorAxis = errorAxis
        // Wide enough for nearly all; outliers must not flatten the rest.
        let wanted = min(summary.percentile95Absolute * 1.5, summary.maximumAbsolute)
        limit = Self.roundLimit(atLeast: max(wanted, Self.finestLimit))
        let stride = (all.count + Self.mostPoints - 1) / Self.mostPoints
        // Five digits are more than a pixel can show.
        points = Swift.stride(from: 0, to: all.count, by: stride).map { place in
            [all[place].x, all[place].error].map(Self.rounded)
        }
        let bins = Binning(
            all.map(\.error), edges: Binning.even(from: -limit, to: limit, count: 41))
        edges = bins.edges.map(Self.rounded)
        counts = bins.counts
        let beyond = bins.below + bins.above
        let range = "±\(NumberText.significant(limit))\(NumberText.blank)\(unit)"
        var notes = ["\(NumberText.count(all.count)) correct answers, with horizontal jitter on the left"]
        if stride > 1 { notes.append("every \(stride)th drawn on the left") }
        notes.append(
            beyond == 0
                ? "all within \(range)"
                : "\(NumberText.count(beyond)) beyond \(range), drawn at the edge on the left and left out on the right"
        )
        caption = notes.joined(separator: "; ") + "."
        spoken =
            "\(title): signed errors of \(NumberText.count(all.count)) correct answers, against the truth and as a "
            + "distribution. Median magnitude \(NumberText.significant(summary.medianAbsolute)) \(unit), 95th "
            + "percentile \(NumberText.significant(summary.percentile95Absolute)) \(unit), bias "
            + "\(NumberText.significant(summary.bias)) \(unit)."
    }

    /// The next of 1, 1.5, 2, 3, 4, 5, 6, 8 and 10, times a power of ten.
    private static func roundLimit(atLeast value: Double) -> Double {
        let power = pow(10, floor(log10(value)))
        let step = [1, 1.5, 2, 3, 4, 5, 6, 8].first { $0 * power >= value } ?? 10
        return rounded(step * power)
    }

    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return value }
        var scale = 1.0
        while abs(value) * scale < 1e4 && scale < 1e15 { scale *= 10 }
        return (value * scale).rounded() / scale
    }
}
