import Metrics

/// How well scores part right answers from false accepts.
struct SeparationContent {
    /// A catalog size with the recall at each wanted false-accept rate.
    struct Row {
        let catalog: String
        let references: Figure
        let entries: [Entry]
    }

    /// A recall.
    struct Entry {
        let recall: String
        let interval: String
        let evidence: String
    }

    let summary: String
    let spoken: String
    let heads: [String]
    let rows: [Row]
    let hasRows: Bool
    let warning: String

    init?(_ model: ReportModel) {
        guard let figures = model.separation else { return nil }
        let equal = figures.equalErrorRate.map { rate in
            "The equal error rate is \(NumberText.share(rate.value)) (\(NumberText.share(rate.interval)))."
        }
        summary =
            equal
            ?? "There is no equal error rate: more positives are missed at any threshold than negatives accepted."
        spoken =
            "Miss rate against false-accept rate at every threshold, on normal-deviate axes. \(summary) "
            + "The table holds the recall at fixed false-accept rates."
        heads = SeparationFigures.wantedRates.map { "\(NumberText.plain($0 * 100))\(NumberText.blank)%" }
        rows = SeparationFigures.growths.compactMap { growth in
            let own = figures.recalls.filter { $0.catalogGrowth == growth }
            guard !own.isEmpty else { return nil }
            return Row(
                catalog: growth == 1 ? "as in this run" : "\(NumberText.count(Int(growth))) times as large",
                references: Figure(Int(growth) * model.facts.referenceCount),
                entries: SeparationFigures.wantedRates.map { rate in
                    own.first { $0.falseAcceptRate == rate }.map(Self.entry)
                        ?? Entry(recall: NumberText.missing, interval: "", evidence: "too few wrong scores")
                })
        }
        hasRows = !rows.isEmpty
        warning = ClusterWarning.text(figures.clusters)
    }

    private static func entry(_ figure: ScoreSeparation.RecallAtRate) -> Entry {
        Entry(
            recall: NumberText.share(figure.recall.value), interval: NumberText.share(figure.recall.interval),
            evidence: evidence(figure.evidence))
    }

    private static func evidence(_ evidence: ScoreSeparation.Evidence) -> String {
        switch evidence {
        case .counted: "counted"
        case .fittedTail: "fitted tail"
        case .beyondData: "beyond the data"
        }
    }
}

/// What to say where an interval by bootstrap rests on few clusters.
enum ClusterWarning {
    /// The warning; empty where there are clusters enough.
    static func text(_ clusters: Int) -> String {
        guard clusters < ClusteredEstimate.enoughClusters else { return "" }
        return "These intervals rest on \(NumberText.count(clusters)) recordings, fewer than "
            + "\(ClusteredEstimate.enoughClusters): they may be too narrow."
    }
}

/// The detection error trade-off as a chart on normal-deviate axes.
struct DetectionChart: Encodable {
    /// A point in normal deviates, with the rates it stands for.
    struct Point: Encodable {
        let x: Double
        let y: Double
        let falseAcceptRate: Double
        let missRate: Double
    }

    /// A mark on an axis.
    struct Tick: Encodable {
        let at: Double
        let label: String
    }

    let points: [Point]
    let operatingPoint: Point
    let xTicks: [Tick]
    let yTicks: [Tick]

    /// More could not be told apart.
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

    /// The left-most mark stands for 0.
    private static func ticks(least: Double) -> [Tick] {
        [Tick(at: NormalDistribution.quantile(least), label: "0")]
            + tickRates.filter { $0 > least * 2 }.map {
                Tick(at: NormalDistribution.quantile($0), label: NumberText.plain($0 * 100))
            }
    }
}
