// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// Whether stated confidences come true.
struct ReliabilityPanel: ReportPanel {
    let diagram: ReliabilityDiagram?

    init(_ model: ReportModel) { diagram = Self.diagram(of: model.trials) }

    /// Confidences of the best candidates at a prevalence of one positive to one negative.
    ///
    /// A confidence is a probability at that prevalence. So positives and negatives have equal weight in total.
    private static func diagram(of trials: [JudgedTrial]) -> ReliabilityDiagram? {
        let run = trials.filter { $0.outcome != nil && $0.record.error == nil }
        let positives = run.count(where: \.record.trial.isPositive)
        guard positives > 0, positives < run.count else { return nil }
        let weights = [true: positives, false: run.count - positives].mapValues { 0.5 / Double($0) }
        return ReliabilityDiagram(
            run.compactMap { trial in
                guard let forecast = trial.forecast, let weight = weights[trial.record.trial.isPositive]
                else {
                    return nil
                }
                return .init(
                    probability: forecast.probability, happened: forecast.happened, weight: weight,
                    cluster: trial.cluster)
            })
    }

    static var tables: [RunTable] { [bins] }

    var summary: [JSONObject.Entry] { [("reliability", diagram)] }

    var terminal: TerminalPart {
        let row = diagram.map { diagram in
            [
                "Confidence", "error " + NumberText.significant(diagram.expectedCalibrationError),
                "Brier " + NumberText.significant(diagram.brierScore), "\(diagram.count.text) answers",
            ]
        }
        return TerminalPart(kind: .error, rows: [row].compactMap(\.self))
    }

    func section(_ model: ReportModel) -> FigureSection? {
        guard let diagram else { return nil }
        let figures =
            "calibration error \(NumberText.significant(diagram.expectedCalibrationError)), Brier score "
            + "\(NumberText.significant(diagram.brierScore))"
        return FigureSection(
            id: "separation", title: "Scores", text: "",
            charts: [Self.chart(diagram, figures)],
            folds: [
                FigureFold(
                    id: "confidence",
                    summary: "\(diagram.count.text) best candidates state a confidence: \(figures).",
                    tables: [Self.table(diagram)],
                    more:
                        "Confidence is the probability that the reference contains the query at the "
                        + "stated place, with one positive to one negative. So positives and negatives have "
                        + "equal weight in total. The calibration error is the mean distance between the "
                        + "stated confidence and the observed share. The Brier score is the mean square of "
                        + "confidence minus outcome; a constant 0.5 gives 0.25. The stepped line is the "
                        + "isotonic fit to single answers.")
            ])
    }

    private static func table(_ diagram: ReliabilityDiagram) -> FigureTable {
        FigureTable(
            "Best candidates by stated confidence, weighted to one positive to one negative",
            label: "Reliability of confidence", columns, rows: diagram.bins)
    }

    /// A point with its interval for each bin, and the isotonic fit.
    private static func chart(_ diagram: ReliabilityDiagram, _ figures: String) -> LineChart {
        let bins = diagram.bins.map { bin in
            LineChart.Point(
                x: bin.stated * 100, y: bin.observed * 100, lower: bin.interval.lower * 100,
                upper: bin.interval.upper * 100,
                note:
                    "stated \(NumberText.significant(bin.stated * 100)) %, right "
                    + "\(NumberText.significant(bin.observed * 100)) % of \(bin.count)")
        }
        let fit = diagram.isotonic.steps.flatMap { step in
            [step.range.lower, step.range.upper].map { LineChart.Point(x: $0 * 100, y: step.value * 100) }
        }
        let diagonal = [0.0, 100].map { LineChart.Point(x: $0, y: $0) }
        let ticks = LineChart.Tick.numbers([0, 20, 40, 60, 80, 100])
        return LineChart(
            id: "reliability", title: "Confidence",
            caption: "the share of right answers, by stated confidence",
            xAxis: "stated confidence, %", yAxis: "right, %", xTicks: ticks, yTicks: ticks,
            xRange: [-2, 102], yRange: [-2, 102], intervals: .whiskers, legend: LineChart.Legend.none,
            hasGrid: true,
            series: [
                LineChart.Series(points: bins, style: .points, ink: 0),
                LineChart.Series(points: fit, style: .fit, ink: 1),
                LineChart.Series(points: diagonal, style: .guide),
            ],
            words:
                "Share of right answers against stated confidence: \(figures). The table below holds every point."
        )
    }
}

extension ReliabilityPanel {
    private static var bins: RunTable {
        RunTable(
            "reliability.csv", "One row for each bin of stated confidence that holds an answer.", columns,
            of: { $0.reliability?.bins ?? [] })
    }

    /// Shares and means are weighted to one positive to one negative; the interval is of the observed share.
    private static var columns: [Table<ReliabilityDiagram.Bin>.Column] {
        // As many digits as a large run supports. A value below 100 never reads 100.
        func percent(_ value: Double) -> String { NumberText.percent(value, trials: 100) }
        return [
            .init("confidence") { "\(NumberText.plain($0.range.lower))–\(NumberText.plain($0.range.upper))" },
            .init("from", "lower end of the bin", number: \.range.lower),
            .init("to", "upper end of the bin", number: \.range.upper),
            .init("answers", "best candidates in the bin", head: "answers", count: \.count),
            .init(
                "share", "their share, weighted to one positive to one negative", head: "share\n%",
                as: percent, number: \.share),
            .init("stated", "mean confidence", head: "stated, mean\n%", as: percent, number: \.stated),
            .init("observed", "share that was right", head: "right\n%", as: percent, number: \.observed),
            .init("95 % interval\n%") { "\(percent($0.interval.lower))–\(percent($0.interval.upper))" },
        ] + Table.Column.interval(lower: "observedLower", upper: "observedUpper") { $0.interval }
    }
}

extension ReportModel {
    /// Nil when the matcher states no confidence, or without positives or negatives.
    package var reliability: ReliabilityDiagram? { panel(ReliabilityPanel.self)?.diagram }
}
