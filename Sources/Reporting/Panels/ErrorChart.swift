import Degradations
import Evaluation
import Foundation
import Metrics

/// The distribution of the magnitudes of an error, one line for each group of conditions.
struct ErrorChart: Encodable {
    struct Series: Encodable {
        let name: String
        /// Magnitude, share of the answers in percent that is no larger, and the place of a trial with it.
        let points: [[Double]]
    }

    let id: String
    let title: String
    let unit: String
    /// The left end of the axis; smaller errors are drawn there.
    let floor: Double
    let series: [Series]
    let spoken: String

    private enum CodingKeys: String, CodingKey { case id, unit, floor, series }

    /// More points would overlap.
    private static let mostPoints = 80
    /// Distributions of fewer errors are too coarse to read.
    private static let fewestAnswers = 20

    /// The errors that a run has: frequency skew, time skew, offset.
    static func all(_ model: ReportModel) -> [ErrorChart] {
        let groupOfKey = Dictionary(
            model.cells.map { ($0.key, $0.group) }, uniquingKeysWith: { first, _ in first })
        func answers(_ scale: Double, _ error: (JudgedTrial) -> Double?) -> [Answer] {
            model.trials.enumerated().compactMap { place, trial in
                error(trial).map { error in
                    let group = groupOfKey[CellScore.Key(trial.record)] ?? .other
                    return Answer(magnitude: abs(error) * scale, place: place, group: group)
                }
            }
        }
        return [
            ErrorChart(
                "frequency-skew", "Frequency skew", "%",
                answers(100) { $0.freeFrequencySkewError ?? $0.frequencySkewError }),
            ErrorChart(
                "time-skew", "Time skew", "%", answers(100) { $0.freeTimeSkewError ?? $0.timeSkewError }),
            ErrorChart("offset", "Match offset", "ms", answers(1000, \.offsetErrorSeconds)),
        ].compactMap(\.self)
    }

    private struct Answer {
        let magnitude: Double
        let place: Int
        let group: ConditionGroup
    }

    private init?(_ id: String, _ title: String, _ unit: String, _ all: [Answer]) {
        guard let summary = ErrorSummary(all.map(\.magnitude)) else { return nil }
        let positive = all.map(\.magnitude).filter { $0 > 0 && $0.isFinite }.sorted()
        // The lowest hundredth would stretch the axis by decades.
        let least = positive.isEmpty ? 1 : positive[positive.count / 100]
        floor = pow(10, Foundation.floor(log10(least)))
        self.id = "error-\(id)"
        self.title = title
        self.unit = unit
        let groups = all.grouped(by: \.group).filter { $0.elements.count >= Self.fewestAnswers }
        let parts = groups.map { ($0.key.title, $0.elements) }
        let shown = parts.isEmpty ? [("All answers", all)] : parts
        series = shown.map { name, answers in
            let sorted = answers.sorted { ($0.magnitude, $0.place) < ($1.magnitude, $1.place) }
            let ranks = Set(
                (0..<Self.mostPoints).map { $0 * (sorted.count - 1) / (Self.mostPoints - 1) })
            return Series(
                name: name,
                points: ranks.sorted().map { rank in
                    let share = Double(rank + 1) / Double(sorted.count) * 100
                    return [
                        Self.rounded(sorted[rank].magnitude), Self.rounded(share),
                        Double(sorted[rank].place),
                    ]
                })
        }
        spoken =
            "\(title): the share of correct answers within each error, by kind of degradation. Median "
            + "\(NumberText.significant(summary.medianAbsolute)) \(unit), 95th percentile "
            + "\(NumberText.significant(summary.percentile95Absolute)) \(unit). The table below holds the percentiles."
    }

    /// Four digits are more than a pixel can show.
    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return value }
        let scale = pow(10, 3 - Foundation.floor(log10(abs(value))))
        return (value * scale).rounded() / scale
    }
}
