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

/// The signal-to-noise ratios at which the matcher still finds queries.
struct NoisePanel: ReportPanel {
    let curves: [NoiseCurve]

    init(_ model: ReportModel) { curves = NoiseCurve.all(model.trials, seed: model.facts.seed) }

    static var tables: [RunTable] { [ratios] }

    var summary: [JSONObject.Entry] { [("signalToNoise", curves.map(Self.json))] }

    func section(_ model: ReportModel) -> FigureSection? {
        guard !curves.isEmpty else { return nil }
        let warning = ClusterWarning.text(curves.map(\.recall.clusters).min() ?? 0)
        return FigureSection(
            id: "snr", title: "Noise",
            text:
                "Recall in percent against the signal-to-noise ratio over the full band in dB: points with 95 % intervals, "
                + "and a logistic fit.",
            layout: "multiples", charts: charts(anchors: model.anchors),
            folds: [
                FigureFold(
                    summary: "Ratios at which 50 % and 90 % are found, and how the curves are fitted",
                    tables: [table],
                    more:
                        "Curves are logistic with a guess rate of 0 and a lapse rate of up to 5 %. They "
                        + "use queries with this noise as the only degradation. “Below” and “above” mean "
                        + "that the ratio is outside the measured ratios. The curve is not extrapolated. "
                        + "Intervals are by bootstrap of recordings. \(warning) For comparison: Wang, “An "
                        + "industrial-strength audio search algorithm”, ISMIR 2003, reports 50 % at about "
                        + "−9, −6 and −3 dB for queries of 15, 10 and 5 s in pub noise.")
            ])
    }

    private var table: FigureTable {
        let recalls = NoiseCurve.wantedRecalls.map {
            "At \(NumberText.plain($0 * 100))\(NumberText.blank)%\ndB, 95 % interval"
        }
        return FigureTable(
            "Signal-to-noise ratio in decibels at which the fitted recall reaches a value",
            label: "Signal-to-noise ratio at fixed recall",
            columns: ["Noise", "Length\ns", "Measured\ndB", "Recordings"] + recalls + ["Lapses\n%"],
            styles: [4: "number lead", 5: "number lead"],
            rows: curves.map { curve in
                let levels = curve.recall.points.map(\.level)
                let (low, high) = (levels.first ?? 0, levels.last ?? 0)
                let lapses = curve.recall.fit?.lapseRate
                return [
                    curve.noise, NumberText.plain(curve.lengthSeconds),
                    "\(NumberText.plain(low)) to \(NumberText.plain(high))", curve.recall.clusters.text,
                ] + curve.crossings.map { Self.crossing($0, low: low, high: high) } + [
                    NumberText.optional(lapses) { NumberText.fixed($0 * 100, digits: 1) }
                ]
            })
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

extension NoisePanel {
    /// The steps of a fitted curve; as fine as a pixel or two.
    private static let steps = 60

    /// One chart for each noise, with a curve for each query length; all have the same axes.
    private func charts(anchors: [CellScore.Key: String]) -> [LineChart] {
        let levels = curves.flatMap { $0.recall.points.map(\.level) }
        guard let least = levels.min(), let most = levels.max() else { return [] }
        let room = (most - least) * 0.03
        return curves.grouped(by: \.noise).enumerated().map { number, noise in
            let names = noise.elements.map { NumberText.length($0.lengthSeconds) }
            let levels = Set(noise.elements.flatMap { $0.recall.points.map(\.level) }).sorted()
            return LineChart(
                id: "snr-\(number + 1)", title: noise.key, caption: "", xAxis: "", yAxis: "",
                xTicks: LineChart.Tick.numbers(levels), yTicks: LineChart.Tick.numbers([0, 50, 100]),
                xRange: [least - room, most + room], yRange: [0, 104], intervals: .whiskers,
                legend: names.count > 1 ? .above : LineChart.Legend.none,
                series: noise.elements.enumerated().map { Self.points($1, names[$0], ink: $0, anchors) }
                    + noise.elements.enumerated().compactMap { Self.fit($1, ink: $0) },
                words:
                    "Recall against signal-to-noise ratio in \(noise.key) with a fitted curve, queries of "
                    + names.joined(separator: ", ") + ". The table below holds the fitted ratios.")
        }
    }

    private static func points(
        _ curve: NoiseCurve, _ name: String, ink: Int, _ anchors: [CellScore.Key: String]
    ) -> LineChart.Series {
        LineChart.Series(
            name: name,
            points: curve.recall.points.compactMap { point in
                LineChart.Point(
                    x: point.level, recall: point.recall, prefix: "\(NumberText.plain(point.level)) dB:",
                    condition: curve.cells[point.level].flatMap { anchors[$0] })
            }, style: .points, ink: ink)
    }

    private static func fit(_ curve: NoiseCurve, ink: Int) -> LineChart.Series? {
        guard let fit = curve.recall.fit else { return nil }
        let levels = curve.recall.points.map(\.level)
        let (low, high) = (levels.first ?? 0, levels.last ?? 0)
        return LineChart.Series(
            points: (0...steps).map { step in
                let level = low + (high - low) * Double(step) / Double(steps)
                // Four digits are finer than a pixel.
                return LineChart.Point(x: level, y: (fit.rate(at: level) * 1e4).rounded() / 1e2)
            }, style: .fit, ink: ink)
    }
}

extension NoisePanel {
    /// Each row repeats the figures of its curve.
    private static var ratios: RunTable {
        typealias Row = (curve: NoiseCurve, point: RecallCurve.Point)
        typealias Column = Table<Row>.Column
        func crossing(_ place: Int) -> [Column] {
            let percent = NumberText.plain(NoiseCurve.wantedRecalls[place] * 100)
            let name = "snrAt\(percent)"
            func interval(_ row: Row) -> Interval? { row.curve.crossings[place]?.estimate?.interval }
            return [
                Column(
                    name, "ratio at which the fit reaches \(percent) % recall", unit: "dB",
                    number: { $0.curve.crossings[place]?.estimate?.value })
            ] + Column.interval(lower: "\(name)Lower", upper: "\(name)Upper", unit: "dB", interval) + [
                Column(
                    "\(name)Beyond", "`below` or `above` where that is outside the measured ratios",
                    text: { $0.curve.crossings[place]?.beyond })
            ]
        }
        var columns = [
            Column("noise", "kind of noise", text: { $0.curve.noise }),
            Column(
                "degradation", "that of the trials in trials.csv and cells.csv",
                text: { $0.curve.cells[$0.point.level]?.degradation }),
            Column("lengthSeconds", "query length", number: { $0.curve.lengthSeconds }),
            Column("snrDecibels", "requested ratio", number: { $0.point.level }),
        ]
        columns += Column.share(
            "recall", count: "Count", of: "Of",
            meanings: ("correct answers", "positives", "recall as counted")
        ) { $0.point.recall }
        columns += [
            Column(
                "fitted", "recall of the fitted curve",
                number: { row in row.curve.recall.fit.map { $0.rate(at: row.point.level) } }),
            Column("clusters", "classes in the curve", count: { $0.curve.recall.clusters }),
        ]
        columns += NoiseCurve.wantedRecalls.indices.flatMap(crossing)
        return RunTable("snr.csv", "One row for each noise, query length and ratio.", columns) { model in
            model.noiseCurves.flatMap { curve in curve.recall.points.map { (curve, $0) } }
        }
    }
}

extension NoisePanel {
    private static func json(_ curve: NoiseCurve) -> JSONObject {
        let crossings = zip(NoiseCurve.wantedRecalls, curve.crossings).map { recall, crossing -> JSONObject in
            [
                "recall": recall, "snrDecibels": crossing?.estimate.map(SummaryJSON.estimate),
                "beyond": crossing?.beyond,
            ]
        }
        return [
            "noise": curve.noise, "lengthSeconds": curve.lengthSeconds, "fit": curve.recall.fit,
            "crossings": crossings,
        ]
    }
}

extension ReportModel {
    /// Recall against the signal-to-noise ratio, for each kind of noise and query length with enough ratios.
    package var noiseCurves: [NoiseCurve] { panel(NoisePanel.self)?.curves ?? [] }
}

extension RecallCurve.Crossing {
    var estimate: ClusteredEstimate? {
        if case .within(let estimate) = self { estimate } else { nil }
    }

    /// The side of the measured levels; nil within them.
    var beyond: String? {
        switch self {
        case .within: nil
        case .below: "below"
        case .above: "above"
        }
    }
}
