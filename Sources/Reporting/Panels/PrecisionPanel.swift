// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Degradations
import Evaluation
import Foundation
import Metrics

/// The errors of skews and offsets of correct answers.
struct PrecisionPanel: ReportPanel {
    init(_ model: ReportModel) {}

    /// Nil without positives.
    func section(_ model: ReportModel) -> FigureSection? {
        let score = model.overall
        guard score.recall.trials > 0 else { return nil }
        let table = Self.table(score)
        let method = FigureFold(
            summary: "Errors in figures, and how they are measured", tables: [table],
            more:
                "Repeat-aware errors are to the nearest place whose waveform correlates at least 0.8 with "
                + "the true one. Strict errors are to the true place, even if the answer is at a repeat of "
                + "the chorus. The free fit assumes no kind of skew. \(Self.coverage(score))")
        return FigureSection(
            id: "precision", title: "Accuracy", text: Self.places(score), layout: "multiples",
            charts: Self.charts(model), folds: table.rows.isEmpty ? [] : [method])
    }

    private static func table(_ score: Scorecard) -> FigureTable {
        let estimates: [(String, String, Double, ErrorSummary?)] = [
            ("Frequency skew, as answered", "%", 100, score.frequencySkewError),
            ("Frequency skew, free fit", "%", 100, score.freeFrequencySkewError),
            ("Time skew, as answered", "%", 100, score.timeSkewError),
            ("Time skew, free fit", "%", 100, score.freeTimeSkewError),
            ("Match offset, repeat-aware", "ms", 1000, score.offsetError),
            ("Match offset, strict", "ms", 1000, score.strictOffsetError),
        ]
        return FigureTable(
            "Errors of correct answers: answer minus truth. All columns except the bias are of "
                + "magnitudes.",
            label: "Errors of skew and offset",
            columns: ["Estimate", "Answers", "Unit", "Bias", "Mean", "Median", "p95", "Largest"],
            styles: [2: "text"],
            rows: estimates.compactMap { name, unit, scale, errors in
                errors.map { [name, $0.count.text, unit] + $0.figures(scale: scale) }
            })
    }

    private static func coverage(_ score: Scorecard) -> String {
        let (frequency, time) = (score.frequencySkewCoverage, score.timeSkewCoverage)
        guard frequency.trials > 0 else { return "" }
        return "Within 1.96 of the stated standard errors (95 % expected): \(frequency.text) "
            + "of measured frequency skews (\(frequency.range)) and "
            + "\(time.text) of time skews (\(time.range))."
    }

    private static func places(_ score: Scorecard) -> String {
        let right = score.share(of: .right)
        guard right.trials > 0 else { return "No answer was correct, so there are no offsets." }
        return "\(right.text) of correct answers (\(right.range)) are within "
            + "\(NumberText.plain(JudgedTrial.placeToleranceSeconds))\(NumberText.blank)s of the true place; "
            + "\(score.share(of: .repetition).text) are at another passage of the recording that sounds the "
            + "same, and \(score.share(of: .other).text) are elsewhere."
    }
}

extension ErrorSummary {
    /// Bias, mean, median, 95th percentile and largest error, times `scale`.
    func figures(scale: Double) -> [String] {
        [bias, meanAbsolute, medianAbsolute, percentile95Absolute, maximumAbsolute]
            .map { NumberText.significant($0 * scale) }
    }
}

/// The distribution of the magnitudes of an error, one line for each group of conditions.
extension PrecisionPanel {
    /// More points would overlap.
    private static let mostPoints = 80
    /// Distributions of fewer errors are too coarse to read.
    private static let fewestAnswers = 20

    private struct Answer {
        let magnitude: Double
        let place: Int
        let group: ConditionGroup
    }

    /// The errors that a run has: frequency skew, time skew, offset.
    private static func charts(_ model: ReportModel) -> [LineChart] {
        let groupOfKey = model.groupOfKey
        func answers(_ scale: Double, _ error: (JudgedTrial) -> Double?) -> [Answer] {
            model.trials.enumerated().compactMap { place, trial in
                error(trial).map { error in
                    let group = groupOfKey[CellScore.Key(trial.record)] ?? .other
                    return Answer(magnitude: abs(error) * scale, place: place, group: group)
                }
            }
        }
        return [
            chart(
                "frequency-skew", "Frequency skew", "%",
                answers(100) { $0.freeFrequencySkewError ?? $0.frequencySkewError }),
            chart("time-skew", "Time skew", "%", answers(100) { $0.freeTimeSkewError ?? $0.timeSkewError }),
            chart("offset", "Match offset", "ms", answers(1000, \.offsetErrorSeconds)),
        ].compactMap(\.self)
    }

    private static func chart(_ id: String, _ title: String, _ unit: String, _ all: [Answer]) -> LineChart? {
        guard let summary = ErrorSummary(all.map(\.magnitude)) else { return nil }
        let positive = all.map(\.magnitude).filter { $0 > 0 && $0.isFinite }.sorted()
        // The lowest hundredth would stretch the axis by decades. Smaller errors are drawn at its left end.
        let least = positive.isEmpty ? 1 : positive[positive.count / 100]
        let start = pow(10, floor(log10(least)))
        let groups = all.grouped(by: \.group).filter { $0.elements.count >= fewestAnswers }
        let parts = groups.map { ($0.key.title, $0.elements) }
        let series = (parts.isEmpty ? [("All answers", all)] : parts).map { name, answers in
            LineChart.Series(name: name, points: points(answers, from: start), style: .curve)
        }
        let most = series.compactMap(\.points.last?.x).filter(\.isFinite).max() ?? start
        let last = max(start * 10, pow(10, ceil(log10(most))))
        let decades = Int(bounded: log10(last / start).rounded())
        let ticks = stride(from: 0, through: decades, by: decades > 5 ? 2 : 1).map {
            start * pow(10, Double($0))
        }
        return LineChart(
            id: "error-\(id)", title: title, caption: "share of answers within an error, %",
            xAxis: "error, \(unit)", yAxis: "", xScale: .logarithmic,
            xTicks: ticks.map { LineChart.Tick(at: $0, label: NumberText.significant($0, digits: 1)) },
            yTicks: LineChart.Tick.numbers([0, 25, 50, 75, 100]), xRange: [start, last], yRange: [0, 100],
            legend: .below, hasGrid: true,
            note: "{y} % within {x} \(unit); a click opens this trial", series: series,
            words:
                "\(title): the share of correct answers within each error, by kind of degradation. Median "
                + "\(NumberText.significant(summary.medianAbsolute)) \(unit), 95th percentile "
                + "\(NumberText.significant(summary.percentile95Absolute)) \(unit). The table below holds the percentiles."
        )
    }

    /// The magnitudes at even ranks with the share of answers that are no larger.
    private static func points(_ answers: [Answer], from start: Double) -> [LineChart.Point] {
        let sorted = answers.sorted { ($0.magnitude, $0.place) < ($1.magnitude, $1.place) }
        let ranks = Set((0..<mostPoints).map { $0 * (sorted.count - 1) / (mostPoints - 1) })
        return ranks.sorted().map { rank in
            let share = Double(rank + 1) / Double(sorted.count) * 100
            return LineChart.Point(
                x: max(start, rounded(sorted[rank].magnitude)), y: rounded(share), trial: sorted[rank].place)
        }
    }

    /// Four digits are more than a pixel can show.
    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return value }
        let scale = pow(10, 3 - floor(log10(abs(value))))
        return (value * scale).rounded() / scale
    }
}
