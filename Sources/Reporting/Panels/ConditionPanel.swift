// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation
import Metrics

/// The figures of every condition, by kind of degradation.
struct ConditionPanel: ReportPanel {
    private static let mostWeak = 6

    init(_ model: ReportModel) {}

    func section(_ model: ReportModel) -> FigureSection? {
        guard !model.trials.isEmpty else { return nil }
        return FigureSection(
            id: "conditions", title: "Conditions",
            text: "The weakest conditions of each kind. A click opens the other conditions.",
            groups: model.groups.map { Self.group($0, model) },
            folds: [
                FigureFold(
                    summary: "How to read these tables",
                    more:
                        "Bars show the recall and its 95 % Wilson interval, clustered by recording; "
                        + "recordings that share audio are one cluster. Skew and offset errors are "
                        + "magnitudes over correct answers. Skew errors are of the free fit, if the matcher "
                        + "states one. Offset errors are repeat-aware. “At 0 FA” is the recall at the "
                        + "lowest threshold with no false accept and no wrong reference in this run. The "
                        + "same answers chose this threshold.")
            ])
    }

    private static func group(_ group: ReportModel.GroupScore, _ model: ReportModel) -> FigureGroup {
        let anchors = model.anchors
        let charts = [RecallCurves(group)?.chart(anchors)].compactMap(\.self)
        let matrices = group.group == .matrix ? model.matrices.map(table) : []
        // The first screen has the matrix of noises.
        let isDrawn = group.group == .matrix || group.group == .noise
        let missing = isDrawn ? [] : group.cells.filter(\.hasFailures).sorted { $0.sureness < $1.sureness }
        let weakKeys = Set(missing.prefix(mostWeak).map(\.key))
        let weak = group.cells.filter { weakKeys.contains($0.key) }
        let others = group.cells.filter { !weakKeys.contains($0.key) }
        func conditions(_ cells: [CellScore], _ summary: String) -> [FigureGroup.Conditions] {
            cells.isEmpty
                ? []
                : [
                    .init(
                        heads: ConditionFigure.all.map(\.head),
                        rows: cells.map { $0.row(anchor: anchors[$0.key] ?? "") }, summary: summary)
                ]
        }
        return FigureGroup(
            id: group.anchor, title: group.group.title, text: text(group), tables: matrices, charts: charts,
            weak: conditions(weak, ""), others: conditions(others, summary(others, of: group)),
            isLine: weak.isEmpty && charts.isEmpty && matrices.isEmpty)
    }

    private static func text(_ group: ReportModel.GroupScore) -> String {
        let counts = group.score.outcomes
        let negatives =
            counts.negatives > 0
            ? "\(counts.falseAccept.text) of \(counts.negatives.text) negatives accepted" : "no negatives"
        guard counts.positives > 0 else {
            return "\(negatives.prefix(1).uppercased())\(negatives.dropFirst())."
        }
        return "Recall \(group.score.recall.text) (\(group.score.recall.range), "
            + "\(counts.correct.text) of \(counts.positives.text)); \(negatives)."
    }

    private static func summary(_ folded: [CellScore], of group: ReportModel.GroupScore) -> String {
        let isAll = folded.count == group.cells.count
        let count = folded.count == 1 ? "condition" : "\(folded.count.text) conditions"
        let which = isAll ? (folded.count == 1 ? "The \(count)" : "All \(count)") : "The other \(count)"
        let isFound = group.score.outcomes.positives > 0 && !folded.contains(where: \.hasFailures)
        return isFound ? "\(which): every query found" : which
    }

    /// Recall by encoding, with a column for each sample rate or layout.
    private static func table(_ matrix: FormatMatrix) -> FigureTable {
        let columns =
            matrix.axis == .sampleRate
            ? "recall by encoding and sample rate in hertz" : "recall by encoding and layout of channels"
        let hasLayouts = matrix.rows.contains { !$0.layout.isEmpty }
        let names = matrix.columns.map { name in Int(name).map(\.text) ?? name }
        var table = FigureTable(
            "\(matrix.degradation): \(columns); “not offered” where the codec does not support it",
            label: "\(matrix.degradation): \(columns)",
            columns: ["Format"] + (hasLayouts ? ["Channels"] : []) + names, hasNamesInHead: true,
            styles: hasLayouts ? [1: "text"] : [:], rows: [])
        table.kind = "matrix"
        table.rows = matrix.rows.map { row in
            let layout = hasLayouts ? [FigureTable.Cell(row.layout, style: "text")] : []
            return FigureTable.Row(name: row.encoding, cells: layout + row.scores.map(cell))
        }
        return table
    }

    private static func cell(_ score: Scorecard?) -> FigureTable.Cell {
        guard let score else { return .init("not tried", style: "number absent") }
        guard !score.isNotOffered else { return .init("not offered", style: "number absent") }
        let recall = score.recall
        let counts = recall.trials > 0 ? "\(recall.successes) of \(recall.trials)" : ""
        return .init("\(recall.text)\n\(counts)", style: "number \(HeatStep.style(of: recall))")
    }
}

/// Recall against a numeric severity of a group: decibels, percent, seconds, hertz.
private struct RecallCurves {
    let group: ReportModel.GroupScore
    let title: String
    let axis: String
    let scale: LineChart.Scale
    /// Nil for a condition that is not on a curve.
    let x: (CellScore) -> Double?

    /// Nil for a group without a scale; noise has ``NoisePanel``.
    init?(_ group: ReportModel.GroupScore) {
        self.group = group
        switch group.group {
        case .skew:
            (title, axis, scale) = ("Recall against skew", "change, %", .linear)
            x = { $0.severityValue }
        case .length:
            (title, axis, scale) = ("Recall against query length", "query length, s", .logarithmic)
            x = { cell in
                let isLength = cell.key.severity.isEmpty || cell.severityValue == cell.key.lengthSeconds
                return isLength ? cell.key.lengthSeconds : nil
            }
        case .sampleRate:
            (title, axis, scale) = ("Recall against sample rate", "sample rate, kHz", .logarithmic)
            x = { cell in cell.severityValue.map { $0 / 1000 } }
        default: return nil
        }
    }

    /// Nil where every query is found: a line at 100 % answers nothing that the text does not.
    func chart(_ anchors: [CellScore.Key: String]) -> LineChart? {
        let series = series(anchors)
        guard series.contains(where: { $0.points.contains { $0.y < 100 } }) else { return nil }
        let places = Set(series.flatMap { $0.points.map(\.x) }).sorted()
        guard let first = places.first, let last = places.last else { return nil }
        let room = scale == .logarithmic ? last / first : last - first
        let ends =
            scale == .logarithmic
            ? [first / pow(room, 0.03), last * pow(room, 0.03)] : [first - room * 0.03, last + room * 0.03]
        let lowest = series.map { series in
            let worst = series.points.min { $0.y < $1.y }
            return "\(series.name ?? ""): lowest \(worst?.spoken ?? "")"
        }
        return LineChart(
            id: "curve-\(group.group.rawValue)", title: title, caption: "", xAxis: axis, yAxis: "recall, %",
            xScale: scale, xTicks: LineChart.Tick.numbers(places),
            yTicks: LineChart.Tick.numbers([0, 25, 50, 75, 100]), xRange: ends,
            // A little room above 100, so that points there are whole.
            yRange: [0, 104], intervals: .whiskers,
            legend: series.count > 1 ? .above : LineChart.Legend.none,
            series: series.map { LineChart.Series(name: $0.name, points: $0.points.map(\.point)) },
            words: "\(title). \(lowest.joined(separator: "; ")). The table below holds every point.")
    }

    private struct Measured {
        let point: LineChart.Point
        let spoken: String
        var x: Double { point.x }
        var y: Double { point.y }
    }

    private func series(_ anchors: [CellScore.Key: String]) -> [(name: String?, points: [Measured])] {
        let lengths = Dictionary(grouping: group.cells, by: \.key.degradation)
            .mapValues { Set($0.map(\.key.lengthSeconds)).count }
        let points = group.cells.compactMap { cell -> (name: String, point: Measured)? in
            let recall = cell.score.recall
            guard let x = x(cell), x.isFinite, scale == .linear || x > 0, let rate = recall.rate,
                let point = LineChart.Point(
                    x: x, recall: recall, prefix: "recall", title: cell.title, condition: anchors[cell.key])
            else { return nil }
            // Where severities come at several lengths, each length is a curve of its own.
            let sharesName = group.group != .length && (lengths[cell.key.degradation] ?? 1) > 1
            let name =
                cell.key.degradation + (sharesName ? ", \(NumberText.length(cell.key.lengthSeconds))" : "")
            let spoken = "\(NumberText.percent(rate, trials: recall.trials)) % at \(cell.title)"
            return (name, Measured(point: point, spoken: spoken))
        }
        return points.grouped(by: \.name).compactMap { name, members in
            let sorted = members.map(\.point).sorted { $0.x < $1.x }
            return sorted.count >= 2 ? (name, sorted) : nil
        }
    }
}

/// A column at the end of the table of conditions: a figure with a heading.
private struct ConditionFigure {
    let figure: ScoreFigure
    let heading: String

    static let all = ScoreFigure.all.compactMap { figure in
        figure.heading.map { ConditionFigure(figure: figure, heading: $0) }
    }

    private var isError: Bool { figure.kind == .error }

    /// People read fractions in percent and seconds in milliseconds.
    private var scale: Double {
        switch figure.value.unit {
        case .fraction: 100
        case .seconds: 1000
        default: 1
        }
    }

    var head: FigureGroup.Head {
        let unit = [100: "%", 1000: "ms"][scale] ?? ""
        return FigureGroup.Head(
            text: heading, detail: unit + (isError ? " median / p95" : ""), width: isError ? "9.7" : "4.5")
    }

    /// The rate, or the median and the 95th percentile, with the names of their columns in `cells.csv`.
    func cell(of score: Scorecard) -> [String: Any] {
        let source = figure.source(in: score) ?? figure.sources.last ?? figure
        let errors = figure.errors(of: score)
        func part(_ name: String, _ value: Double?, _ separator: String) -> [String: Any] {
            let shown = Figure(value) { value in
                figure.rate(of: score).map { NumberText.percent(value, trials: $0.trials) }
                    ?? NumberText.significant(value * scale)
            }
            return ["field": source.column(name), "figure": shown, "separator": separator]
        }
        let parts =
            isError
            ? [
                part("Median", errors?.medianAbsolute, ""),
                part("Percentile95", errors?.percentile95Absolute, " / "),
            ] : [part("", figure.number(in: score), "")]
        return [
            "style": isError ? "pair" : "", "parts": parts,
            "value": figure.number(in: score).map { "\($0)" } ?? "",
        ]
    }
}

extension CellScore {
    /// Whether a trial failed.
    fileprivate var hasFailures: Bool {
        score.errors > 0 || score.outcomes.falseAccept > 0 || (score.recall.rate ?? 1) < 1
    }

    /// Smaller for a condition that is more surely weak.
    fileprivate var sureness: Double { score.recall.wilsonInterval()?.upper ?? 0 }
}

/// A rounded figure with its exact value as in `cells.csv`.
struct Figure {
    let text: String
    let value: String

    init(_ value: Double?, _ text: (Double) -> String) {
        self.text = value.map(text) ?? NumberText.missing
        self.value = value.map { "\($0)" } ?? ""
    }

    init(_ count: Int) {
        text = count.text
        value = String(count)
    }
}

extension CellScore {
    fileprivate func row(anchor: String) -> [String: Any] {
        let recall = score.recall
        let interval = recall.wilsonInterval()
        func percent(_ value: Double?, of trials: Int) -> Figure {
            Figure(value) { NumberText.percent($0, trials: trials) }
        }
        func percent(_ proportion: Proportion) -> Figure { percent(proportion.rate, of: proportion.trials) }
        return [
            "anchor": anchor,
            "key": key,
            "severityText": NumberText.severity(key.severity),
            "length": Figure(key.lengthSeconds, NumberText.plain),
            "isNotOffered": score.isNotOffered,
            "errors": score.errors,
            "hasErrors": score.errors > 0,
            "hasRecall": recall.trials > 0,
            "recall": percent(recall),
            "recallLower": percent(interval?.lower, of: 0),
            "recallUpper": percent(interval?.upper, of: 0),
            "heat": HeatStep.style(of: recall),
            "bar": RangeBar.style(interval, recall.rate) { $0 * 100 },
            "positives": Figure(score.outcomes.positives),
            "negatives": Figure(score.outcomes.negatives),
            "missed": Figure(score.outcomes.missed),
            "wrongReference": Figure(score.outcomes.wrongReference),
            "falseAccept": Figure(score.outcomes.falseAccept),
            "figures": ConditionFigure.all.map { $0.cell(of: score) },
        ]
    }
}
