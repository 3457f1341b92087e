// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// How well the scores of a run separate right answers from false accepts.
package struct SeparationFigures: Sendable {
    /// The error rates at every threshold, all conditions together.
    package let curve: DetectionCurve
    /// The rate at which misses and false accepts are equal; nil where they never are.
    package let equalErrorRate: ClusteredEstimate?
    /// Recall at ``wantedRates`` in catalogs ``growths`` times as large as the run's.
    package let recalls: [ScoreSeparation.RecallAtRate]
    /// The number of clusters of the rarer kind of trial.
    package let clusters: Int

    package static let wantedRates = [0.01, 0.001]
    package static let growths = [1.0, 10, 100, 1000]

    /// Scores the trials that are evidence; nil without positives or without negatives.
    init?(_ trials: [JudgedTrial], seed: UInt64) {
        let run = JudgedTrial.distinct(trials.filter { $0.evidence != nil }).compactMap { trial in
            trial.evidence.map { (cluster: trial.cluster, scores: $0) }
        }
        guard let separation = ScoreSeparation(run) else { return nil }
        let bootstrap = ClusterBootstrap(resamples: ReportModel.resamples, seed: seed)
        curve = separation.curve
        equalErrorRate = separation.equalErrorRate(bootstrap)
        recalls = separation.recalls(
            atFalseAcceptRates: Self.wantedRates, catalogGrowths: Self.growths, bootstrap)
        clusters = separation.fewerClusters
    }
}

struct SeparationContent {
    let summary: String
    let spoken: String
    let table: FigureTable
    let warning: String

    init?(_ model: ReportModel) {
        guard let figures = model.separation else { return nil }
        let equal = figures.equalErrorRate.map { rate in
            "The equal error rate is \(NumberText.share(rate.value)) (\(NumberText.share(rate.interval)))."
        }
        summary =
            equal
            ?? "There is no equal error rate: at every threshold the miss rate exceeds the false-accept rate."
        spoken =
            "Miss rate against false-accept rate at every threshold, on normal-deviate axes. \(summary) "
            + "The table holds the recall at fixed false-accept rates."
        let heads = SeparationFigures.wantedRates.map {
            "Recall at \(NumberText.plain($0 * 100))\(NumberText.blank)%\nof negatives accepted"
        }
        table = FigureTable(
            "Recall at fixed false-accept rates, in this catalog and in larger ones",
            label: "Recall at fixed false-accept rates", columns: ["Catalog", "References"] + heads,
            styles: [2: "number lead", 3: "number lead"],
            rows: SeparationFigures.growths.compactMap { growth in
                let own = figures.recalls.filter { $0.catalogGrowth == growth }
                guard !own.isEmpty else { return nil }
                let size = "\(NumberText.count(Int(growth))) times as large"
                return [
                    growth == 1 ? "as in this run" : size,
                    NumberText.count(Int(growth) * model.facts.referenceCount),
                ]
                    + SeparationFigures.wantedRates.map { rate in
                        own.first { $0.falseAcceptRate == rate }.map(Self.recall)
                            ?? "\(NumberText.missing)\ntoo few wrong scores"
                    }
            })
        warning = ClusterWarning.text(figures.clusters)
    }

    /// A recall, with its interval and evidence on a second line.
    private static func recall(_ figure: ScoreSeparation.RecallAtRate) -> String {
        "\(NumberText.share(figure.recall.value))\n\(NumberText.share(figure.recall.interval)) "
            + evidence(figure.evidence)
    }

    private static func evidence(_ evidence: ScoreSeparation.Evidence) -> String {
        switch evidence {
        case .counted: "counted"
        case .fittedTail: "projected, fitted tail"
        case .beyondData: "projected, beyond the data"
        }
    }
}

/// The warning for a bootstrap interval of few clusters.
enum ClusterWarning {
    /// Empty with enough clusters.
    static func text(_ clusters: Int) -> String {
        guard clusters < ClusteredEstimate.enoughClusters else { return "" }
        return "These intervals rest on \(NumberText.count(clusters)) recordings, fewer than "
            + "\(ClusteredEstimate.enoughClusters): they may be too narrow."
    }
}

/// The detection error trade-off as a chart on normal-deviate axes.
struct DetectionChart: Encodable {
    /// A point in normal deviates, with its rates.
    struct Point: Encodable {
        let x: Double
        let y: Double
        let falseAcceptRate: Double
        let missRate: Double
    }

    let points: [Point]
    let operatingPoint: Point
    let xTicks: [JSONObject]
    let yTicks: [JSONObject]

    /// More points would overlap.
    private static let mostPoints = 300
    private static let tickRates = [0.0001, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8]

    init?(_ model: ReportModel) {
        guard let curve = model.separation?.curve else { return nil }
        // A rate of 0 lies infinitely far out; it is drawn at half a trial.
        let leastX = 0.5 / Double(curve.negatives)
        let leastY = 0.5 / Double(curve.positives)
        func point(_ falseAcceptRate: Double, _ missRate: Double) -> Point {
            Point(
                x: Self.probit(falseAcceptRate, least: leastX), y: Self.probit(missRate, least: leastY),
                falseAcceptRate: falseAcceptRate, missRate: missRate)
        }
        let all = curve.points.map { point($0.falseAcceptRate, $0.missRate) }
        // Evenly along the curve and not by rank, as most corners crowd where nothing is decided.
        let finest = 8.0 / Double(Self.mostPoints)
        var kept: [Point] = []
        for (index, next) in all.enumerated() {
            let isFar = kept.last.map { abs($0.x - next.x) + abs($0.y - next.y) >= finest } ?? true
            if isFar || index == all.count - 1 { kept.append(next) }
        }
        points = kept
        let counts = model.overall.outcomes
        operatingPoint = point(
            Double(counts.falseAccept) / Double(max(1, counts.negatives)),
            1 - Double(counts.correct) / Double(max(1, counts.positives)))
        xTicks = Self.ticks(least: leastX)
        yTicks = Self.ticks(least: leastY)
    }

    private static func probit(_ rate: Double, least: Double) -> Double {
        NormalDistribution.quantile(min(max(rate, least), 1 - least))
    }

    /// The left-most mark is 0.
    private static func ticks(least: Double) -> [JSONObject] {
        ([(least, "0")] + tickRates.filter { $0 > least * 2 }.map { ($0, NumberText.plain($0 * 100)) })
            .map { ["at": NormalDistribution.quantile($0), "label": $1] }
    }
}
