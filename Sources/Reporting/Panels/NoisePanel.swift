// SPDX-License-Identifier: GPL-3.0-or-later
import Degradations
import Evaluation
import Metrics

/// Recall of one kind of noise at one query length, against the signal-to-noise ratio in decibels.
///
/// The trials are those whose chain is that noise and nothing else, whatever their family is called.
package struct NoiseCurve: Sendable {
    /// The kind of noise in words: `pink noise`, `babble, 4 voices`.
    package let noise: String
    package let lengthSeconds: Double
    package let recall: RecallCurve
    /// The ratios at which the curve reaches ``wantedRecalls``, in decibels over the full band.
    package let crossings: [RecallCurve.Crossing?]
    /// The condition of each ratio.
    let cells: [Double: CellScore.Key]

    package static let wantedRecalls = [0.5, 0.9]
    /// A curve of three parameters needs as many ratios.
    package static let fewestLevels = 3

    /// The curves of a run, in the order of its first trials.
    static func all(_ trials: [JudgedTrial], seed: UInt64) -> [NoiseCurve] {
        struct Key: Hashable {
            let noise: String
            let lengthSeconds: Double
        }
        typealias Observation = (cluster: String, level: Double, success: Bool)
        let positives = trials.filter { $0.record.trial.isPositive && $0.outcome != nil }
        let observations = positives.compactMap {
            trial -> (key: Key, observation: Observation, cell: CellScore.Key)? in
            guard let (noise, level) = Self.noise(of: trial.record) else { return nil }
            let key = Key(noise: noise, lengthSeconds: trial.record.trial.cell.lengthSeconds)
            let observation = (trial.cluster, level, trial.outcome == .correct)
            return (key, observation, CellScore.Key(trial.record))
        }
        let bootstrap = ClusterBootstrap(resamples: ReportModel.resamples, seed: seed)
        return observations.grouped(by: \.key).compactMap { key, members in
            guard let curve = RecallCurve(members.map(\.observation)), curve.points.count >= fewestLevels
            else { return nil }
            return NoiseCurve(
                noise: key.noise, lengthSeconds: key.lengthSeconds, recall: curve,
                crossings: curve.crossings(at: wantedRecalls, bootstrap),
                cells: Dictionary(
                    members.map { ($0.observation.level, $0.cell) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// The noise and its level, where it is the only degradation of the query.
    private static func noise(of record: TrialRecord) -> (name: String, level: Double)? {
        let steps = record.trial.chain.effectiveSteps
        guard let step = steps.first, steps.count == 1,
            let ratio = type(of: step.value).signalToNoiseRatio,
            let level = try? step.value.values[ratio.name]?.asNumber
        else { return nil }
        let texts = step.parameterTexts.filter { $0.name != ratio.name }
        let name = texts.first { $0.name == "colour" }.map { "\($0.text) \(step.name)" } ?? step.name
        let details = texts.filter { $0.name != "colour" }.map { ", \($0.name) \($0.text)" }
        return (name + details.joined(), level)
    }
}

struct NoiseContent {
    let charts: [NoiseChart]
    let table: FigureTable
    let warning: String

    init?(_ model: ReportModel, charts: [NoiseChart]) {
        guard !model.noiseCurves.isEmpty else { return nil }
        self.charts = charts
        let recalls = NoiseCurve.wantedRecalls.map {
            "At \(NumberText.plain($0 * 100))\(NumberText.blank)%\ndB, 95 % interval"
        }
        table = FigureTable(
            "Signal-to-noise ratio in decibels at which the fitted recall reaches a value",
            label: "Signal-to-noise ratio at fixed recall",
            columns: ["Noise", "Length\ns", "Measured\ndB", "Recordings"] + recalls + ["Lapses\n%"],
            styles: [4: "number lead", 5: "number lead"],
            rows: model.noiseCurves.map { curve in
                let levels = curve.recall.points.map(\.level)
                let (low, high) = (levels.first ?? 0, levels.last ?? 0)
                let lapses = curve.recall.fit?.lapseRate
                return [
                    curve.noise, NumberText.plain(curve.lengthSeconds),
                    "\(NumberText.plain(low)) to \(NumberText.plain(high))",
                    NumberText.count(curve.recall.clusters),
                ] + curve.crossings.map { Self.crossing($0, low: low, high: high) }
                    + [NumberText.optional(lapses) { NumberText.fixed($0 * 100, digits: 1) }]
            })
        warning = ClusterWarning.text(model.noiseCurves.map(\.recall.clusters).min() ?? 0)
    }

    /// A level, with its interval on a second line.
    private static func crossing(_ crossing: RecallCurve.Crossing?, low: Double, high: Double) -> String {
        switch crossing {
        case .within(let estimate):
            let ends = estimate.interval
            let lower = (ends.lower <= low ? "\(NumberText.plain(low)) or less" : decibels(ends.lower))
            let upper = (ends.upper >= high ? "\(NumberText.plain(high)) or more" : decibels(ends.upper))
            return "\(decibels(estimate.value))\n\(lower) to \(upper)"
        case .below(let level): return "below \(NumberText.plain(level))"
        case .above(let level): return "above \(NumberText.plain(level))"
        case nil: return NumberText.missing
        }
    }

    private static func decibels(_ value: Double) -> String { NumberText.fixed(value, digits: 1) }
}

/// Recall against the ratio of one kind of noise: points with intervals and a fitted curve for each query length.
struct NoiseChart: Encodable {
    struct Series: Encodable {
        let name: String
        let points: [RecallPoint]
        /// The fitted recall at even steps from the lowest to the highest ratio; empty without a fit.
        let fitted: [Double]
    }

    let id: String
    let title: String
    /// The lowest and the highest ratio of all charts, in decibels.
    let range: [Double]
    let series: [Series]
    let spoken: String

    private enum CodingKeys: String, CodingKey { case id, range, series }

    /// The steps of a fitted curve; as fine as a pixel or two.
    private static let steps = 60

    /// One chart for each noise; all have the same axes.
    static func all(_ model: ReportModel, anchors: [CellScore.Key: String]) -> [NoiseChart] {
        let levels = model.noiseCurves.flatMap { $0.recall.points.map(\.level) }
        guard let least = levels.min(), let most = levels.max() else { return [] }
        return model.noiseCurves.grouped(by: \.noise).enumerated().map { number, noise in
            NoiseChart(number, noise.key, noise.elements, [least, most], anchors)
        }
    }

    private init(
        _ number: Int, _ noise: String, _ curves: [NoiseCurve], _ range: [Double],
        _ anchors: [CellScore.Key: String]
    ) {
        id = "snr-\(number + 1)"
        title = noise
        self.range = range
        series = curves.map { curve in
            let points = curve.recall.points.compactMap { point in
                RecallPoint(
                    x: point.level, anchor: curve.cells[point.level].flatMap { anchors[$0] }, point.recall)
            }
            let (low, high) = (points.first?.x ?? 0, points.last?.x ?? 0)
            let fitted = curve.recall.fit.map { fit in
                (0...Self.steps).map { step in
                    // Four digits are finer than a pixel.
                    (fit.rate(at: low + (high - low) * Double(step) / Double(Self.steps)) * 1e4).rounded()
                        / 1e4
                }
            }
            return Series(
                name: NumberText.length(curve.lengthSeconds), points: points, fitted: fitted ?? [])
        }
        spoken =
            "Recall against signal-to-noise ratio in \(title) with a fitted curve, queries of "
            + series.map(\.name).joined(separator: ", ") + ". The table below holds the fitted ratios."
    }
}
