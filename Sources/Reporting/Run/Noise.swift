// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// Recall of one kind of noise at one query length, against the signal-to-noise ratio in decibels.
///
/// The trials are those whose chain is that noise and nothing else, whatever their family is called.
package struct NoiseCurve: Sendable {
    /// The kind of noise in words: `pink noise`, `babble, 4 voices`.
    package let noise: String
    package let lengthSeconds: Double
    /// The measured recalls and the fitted curve.
    package let recall: RecallCurve
    /// The ratios at which the curve reaches ``wantedRecalls``, in decibels over the full band.
    package let crossings: [RecallCurve.Crossing?]

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
        var order: [Key] = []
        var members: [Key: [Observation]] = [:]
        for trial in trials where trial.record.trial.isPositive && trial.outcome != nil {
            guard let (noise, level) = Self.noise(of: trial.record) else { continue }
            let key = Key(noise: noise, lengthSeconds: trial.record.trial.cell.lengthSeconds)
            if members[key] == nil { order.append(key) }
            members[key, default: []].append((trial.cluster, level, trial.outcome == .correct))
        }
        let bootstrap = ClusterBootstrap(resamples: ReportModel.resamples, seed: seed)
        return order.compactMap { key in
            guard let curve = RecallCurve(members[key] ?? []), curve.points.count >= fewestLevels else {
                return nil
            }
            return NoiseCurve(
                noise: key.noise, lengthSeconds: key.lengthSeconds, recall: curve,
                crossings: curve.crossings(at: wantedRecalls, bootstrap))
        }
    }

    /// The noise and its level, where it is the only degradation of the query.
    private static func noise(of record: TrialRecord) -> (name: String, level: Double)? {
        let steps = ChainSteps(json: record.trial.chain).steps.filter { $0.name != "identity" }
        guard let step = steps.first, steps.count == 1,
            ["noise", "babble", "ambience", "music"].contains(step.name),
            let level = step.parameters["snrDecibels"].flatMap(Double.init) ?? record.trial.cell.severityValue
        else { return nil }
        let name = step.parameters["colour"].map { "\($0) \(step.name)" } ?? step.name
        let rest = step.parameters.filter { !["snrDecibels", "seed", "colour"].contains($0.key) }
        let details = rest.sorted { $0.key < $1.key }.map { ", \($0.key) \($0.value)" }
        return (name + details.joined(), level)
    }
}

struct NoiseContent {
    struct Row {
        let noise: String
        let length: Figure
        let measured: String
        let recordings: Figure
        let crossings: [Crossing]
        let lapses: String
    }

    struct Crossing {
        let text: String
        let interval: String
    }

    let charts: [NoiseChart]
    let heads: [String]
    let rows: [Row]
    let warning: String

    init?(_ model: ReportModel, charts: [NoiseChart]) {
        guard !model.noiseCurves.isEmpty else { return nil }
        self.charts = charts
        heads = NoiseCurve.wantedRecalls.map { "\(NumberText.plain($0 * 100))\(NumberText.blank)%" }
        rows = model.noiseCurves.map { curve in
            let levels = curve.recall.points.map(\.level)
            let (low, high) = (levels.first ?? 0, levels.last ?? 0)
            return Row(
                noise: curve.noise, length: Figure(curve.lengthSeconds, NumberText.plain),
                measured: "\(NumberText.plain(low)) to \(NumberText.plain(high))",
                recordings: Figure(curve.recall.clusters),
                crossings: curve.crossings.map { Self.crossing($0, low: low, high: high) },
                lapses: curve.recall.fit.map { NumberText.fixed($0.lapseRate * 100, digits: 1) }
                    ?? NumberText.missing)
        }
        warning = ClusterWarning.text(model.noiseCurves.map(\.recall.clusters).min() ?? 0)
    }

    private static func crossing(_ crossing: RecallCurve.Crossing?, low: Double, high: Double) -> Crossing {
        switch crossing {
        case .within(let estimate):
            let ends = estimate.interval
            let lower = (ends.lower <= low ? "\(NumberText.plain(low)) or less" : decibels(ends.lower))
            let upper = (ends.upper >= high ? "\(NumberText.plain(high)) or more" : decibels(ends.upper))
            return Crossing(text: decibels(estimate.value), interval: "\(lower) to \(upper)")
        case .below(let level): return Crossing(text: "below \(NumberText.plain(level))", interval: "")
        case .above(let level): return Crossing(text: "above \(NumberText.plain(level))", interval: "")
        case nil: return Crossing(text: NumberText.missing, interval: "")
        }
    }

    private static func decibels(_ value: Double) -> String { NumberText.fixed(value, digits: 1) }
}

/// Recall against the signal-to-noise ratio at one query length: points with intervals and fitted curves.
struct NoiseChart: Encodable {
    struct Point: Encodable {
        let x: Double
        let recall: Double
        let lower: Double
        let upper: Double
        let count: Int
        let of: Int
    }

    struct Series: Encodable {
        let name: String
        let points: [Point]
        /// The fitted recall at even steps from the lowest to the highest ratio; empty without a fit.
        let fitted: [Double]
    }

    let id: String
    let title: String
    let series: [Series]
    let spoken: String

    private enum CodingKeys: String, CodingKey { case id, series }

    /// The steps of a fitted curve; as fine as a pixel or two.
    private static let steps = 60

    /// One chart for each query length, the shortest first.
    static func all(_ model: ReportModel) -> [NoiseChart] {
        let lengths = Set(model.noiseCurves.map(\.lengthSeconds)).sorted()
        return lengths.enumerated().map { number, length in
            NoiseChart(number, length, model.noiseCurves.filter { $0.lengthSeconds == length })
        }
    }

    private init(_ number: Int, _ length: Double, _ curves: [NoiseCurve]) {
        id = "snr-\(number + 1)"
        title = "Queries of \(NumberText.length(length))"
        series = curves.map { curve in
            let points = curve.recall.points.compactMap { point -> Point? in
                guard let rate = point.recall.rate, let interval = point.recall.wilsonInterval() else {
                    return nil
                }
                return Point(
                    x: point.level, recall: rate, lower: interval.lower, upper: interval.upper,
                    count: point.recall.successes, of: point.recall.trials)
            }
            let (low, high) = (points.first?.x ?? 0, points.last?.x ?? 0)
            let fitted = curve.recall.fit.map { fit in
                (0...Self.steps).map { step in
                    // Four digits are finer than a pixel.
                    (fit.rate(at: low + (high - low) * Double(step) / Double(Self.steps)) * 1e4).rounded()
                        / 1e4
                }
            }
            return Series(name: curve.noise, points: points, fitted: fitted ?? [])
        }
        spoken =
            "Recall against signal-to-noise ratio with fitted curves, \(title.lowercased()): "
            + curves.map(\.noise).joined(separator: "; ") + ". The table below holds the fitted ratios."
    }
}
