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

/// How well scores separate right answers from false accepts, at every threshold.
struct SeparationPanel: ReportPanel {
    let figures: SeparationFigures?

    init(_ model: ReportModel) { figures = SeparationFigures(model.trials, seed: model.facts.seed) }

    static var tables: [RunTable] { [corners] }

    var summary: [JSONObject.Entry] { [("separation", figures.map(Self.json))] }

    var terminal: TerminalPart {
        func row(_ name: String, _ estimate: ClusteredEstimate) -> [String] {
            let recordings = "\(estimate.clusters.text) recordings"
            return [name, NumberText.share(estimate.value), NumberText.share(estimate.interval), recordings]
        }
        // Figures from a fitted tail are projections, which only the page shows.
        let counted = (figures?.recalls ?? []).filter { $0.catalogGrowth == 1 && $0.evidence == .counted }
        let recalls = counted.map { figure in
            let rate = "\(NumberText.plain(figure.falseAcceptRate * 100))\(NumberText.blank)%"
            return row("Recall at \(rate) false accepts", figure.recall)
        }
        let equal = figures?.equalErrorRate.map { row("Equal error rate", $0) }
        return TerminalPart(rows: recalls + [equal].compactMap(\.self))
    }

    func section(_ model: ReportModel) -> FigureSection? {
        guard let figures else { return nil }
        let equal = figures.equalErrorRate.map { rate in
            "The equal error rate is \(NumberText.share(rate.value)) (\(NumberText.share(rate.interval)))."
        }
        let text =
            equal
            ?? "There is no equal error rate: at every threshold the miss rate exceeds the false-accept rate."
        return FigureSection(
            id: "separation", title: "Scores", text: text, layout: "two",
            charts: [Self.chart(figures.curve, model.overall.outcomes, text)])
    }
}

extension SeparationPanel {
    /// More points would overlap.
    private static let mostPoints = 300
    private static let tickRates = [0.0001, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8]

    /// The detection error trade-off on normal-deviate axes: points are deviates, marks name their rates.
    private static func chart(_ curve: DetectionCurve, _ counts: OutcomeCounts, _ text: String) -> LineChart {
        // A rate of 0 lies infinitely far out; it is drawn at half a trial.
        let leastX = 0.5 / Double(curve.negatives)
        let leastY = 0.5 / Double(curve.positives)
        func point(_ falseAcceptRate: Double, _ missRate: Double) -> LineChart.Point {
            let rates = [falseAcceptRate, missRate].map { NumberText.significant($0 * 100) }
            return LineChart.Point(
                x: probit(falseAcceptRate, least: leastX), y: probit(missRate, least: leastY),
                note: "\(rates[0]) % accepted falsely, \(rates[1]) % missed")
        }
        let all = curve.points.map { point($0.falseAcceptRate, $0.missRate) }
        // Evenly along the curve and not by rank, as most corners crowd where nothing is decided.
        let finest = 8.0 / Double(mostPoints)
        var kept: [LineChart.Point] = []
        for (index, next) in all.enumerated() {
            let isFar = kept.last.map { abs($0.x - next.x) + abs($0.y - next.y) >= finest } ?? true
            if isFar || index == all.count - 1 { kept.append(next) }
        }
        let own = point(
            Double(counts.falseAccept) / Double(max(1, counts.negatives)),
            1 - Double(counts.correct) / Double(max(1, counts.positives)))
        let (xTicks, yTicks) = (ticks(least: leastX), ticks(least: leastY))
        return LineChart(
            id: "det", title: "Detection error trade-off",
            caption: "misses against false accepts at every threshold, on normal-deviate axes",
            xAxis: "false accepts, % of negatives", yAxis: "misses, % of positives", xTicks: xTicks,
            yTicks: yTicks, xRange: ends(xTicks), yRange: ends(yTicks), hasGrid: true,
            series: [
                LineChart.Series(name: "every threshold", points: kept, style: .curve),
                LineChart.Series(name: "the matcher’s own threshold", points: [own], style: .mark),
            ],
            words:
                "Miss rate against false-accept rate at every threshold, on normal-deviate axes. \(text) "
                + "The table holds the recall at fixed false-accept rates.")
    }

    private static func probit(_ rate: Double, least: Double) -> Double {
        NormalDistribution.quantile(min(max(rate, least), 1 - least))
    }

    /// The left-most mark is 0.
    private static func ticks(least: Double) -> [LineChart.Tick] {
        ([(least, "0")] + tickRates.filter { $0 > least * 2 }.map { ($0, NumberText.plain($0 * 100)) })
            .map { LineChart.Tick(at: NormalDistribution.quantile($0), label: $1) }
    }

    private static func ends(_ ticks: [LineChart.Tick]) -> [Double] {
        [ticks[0].at, ticks[ticks.count - 1].at]
    }
}

/// Recall at fixed false-accept rates, in this catalog and in larger ones.
struct CatalogGrowthPanel: ReportPanel {
    init(_ model: ReportModel) {}

    func section(_ model: ReportModel) -> FigureSection? {
        guard let figures = model.separation else { return nil }
        let table = Self.table(figures, referenceCount: model.facts.referenceCount)
        return FigureSection(
            id: "separation", title: "Scores", text: "",
            folds: [
                FigureFold(
                    summary: "Recall at fixed false-accept rates, in this catalog and in larger ones",
                    tables: table.rows.isEmpty ? [] : [table],
                    more: Self.method(figures))
            ])
    }

    private static func method(_ figures: SeparationFigures) -> String {
        "The figures are over all conditions of the run. A wrong reference counts as a miss. Ranges "
            + "are 95 % intervals by bootstrap of recordings, at least as wide as Wilson’s. "
            + "\(ClusterWarning.text(figures.clusters)) Figures for larger catalogs assume that each wrong "
            + "reference exceeds a score independently, by chance. Then false accepts grow in proportion to "
            + "the references. The projection assumes that scores of right answers do not change. Projected "
            + "figures are not counts. With fewer than 10 expected false accepts, the threshold comes from a "
            + "generalized Pareto tail of the highest 10 % of wrong scores, at least as heavy as an "
            + "exponential tail. With fewer than 1 expected false accept, the threshold is an extrapolation "
            + "beyond the data. Catalogs with copies or shared audio have more wrong answers."
    }

    private static func table(_ figures: SeparationFigures, referenceCount: Int) -> FigureTable {
        let heads = SeparationFigures.wantedRates.map {
            "Recall at \(NumberText.plain($0 * 100))\(NumberText.blank)%\nof negatives accepted"
        }
        return FigureTable(
            "Recall at fixed false-accept rates, in this catalog and in larger ones",
            label: "Recall at fixed false-accept rates", columns: ["Catalog", "References"] + heads,
            styles: [2: "number lead", 3: "number lead"],
            rows: SeparationFigures.growths.compactMap { growth in
                let own = figures.recalls.filter { $0.catalogGrowth == growth }
                guard !own.isEmpty else { return nil }
                let size = "\(Int(growth).text) times as large"
                let recalls = SeparationFigures.wantedRates.map { rate in
                    own.first { $0.falseAcceptRate == rate }.map(Self.recall)
                        ?? "\(NumberText.missing)\ntoo few wrong scores"
                }
                let references = (Int(growth) * referenceCount).text
                return [growth == 1 ? "as in this run" : size, references] + recalls
            })
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

extension SeparationPanel {
    private static var corners: RunTable {
        typealias Column = Table<DetectionCurve.Point>.Column
        func probit(_ name: String, _ rate: @escaping (DetectionCurve.Point) -> Double) -> Column {
            Column(
                name, "the rate on a normal-deviate axis; empty at 0 and 1", unit: "deviates",
                number: { point in
                    let value = NormalDistribution.quantile(rate(point))
                    return value.isFinite ? value : nil
                })
        }
        return RunTable(
            "det.csv",
            "One row for each corner of the curve, from the threshold that accepts nothing downwards.",
            [
                Column(
                    "threshold", "lowest accepted score; empty where nothing is accepted", unit: "score",
                    number: { $0.threshold }),
                Column("falseAcceptRate", "negatives accepted", number: { $0.falseAcceptRate }),
                Column("missRate", "positives without a right answer", number: { $0.missRate }),
                probit("falseAcceptProbit", \.falseAcceptRate), probit("missProbit", \.missRate),
            ], of: { $0.separation?.curve.points ?? [] })
    }
}

extension SeparationPanel {
    private static func json(_ figures: SeparationFigures) -> JSONObject {
        let recalls = figures.recalls.map { figure -> JSONObject in
            [
                "falseAcceptRate": figure.falseAcceptRate, "catalogGrowth": figure.catalogGrowth,
                "rateInRun": figure.rateInRun, "scoreLimit": figure.scoreLimit,
                "evidence": figure.evidence.rawValue, "recall": SummaryJSON.estimate(figure.recall),
            ]
        }
        return [
            "equalErrorRate": figures.equalErrorRate.map(SummaryJSON.estimate),
            "recallAtFalseAcceptRate": recalls,
        ]
    }
}

extension ReportModel {
    /// How well scores separate right answers from false accepts; nil without positives or negatives.
    package var separation: SeparationFigures? { panel(SeparationPanel.self)?.figures }
}
