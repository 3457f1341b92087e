// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// A group of conditions: its curve, if it has one, and its table.
struct GroupContent {
    let anchor: String
    let title: String
    let summary: String
    let curves: [CurveChart]
    let matrices: [MatrixContent]
    /// Folds the rows, as a matrix shows the same.
    let isFolded: Bool
    let rowCount: String
    let rows: [CellRow]

    init(
        _ group: ReportModel.GroupScore, anchors: [CellScore.Key: String], charts: [CurveChart],
        matrices: [FormatMatrix]
    ) {
        anchor = "group-\(group.group.rawValue)"
        title = group.group.title
        let counts = group.score.outcomes
        let negatives =
            counts.negatives > 0
            ? "\(NumberText.count(counts.falseAccept)) of \(NumberText.count(counts.negatives)) negatives accepted"
            : "no negatives"
        summary =
            counts.positives > 0
            ? "Recall \(NumberText.rate(group.score.recall)) (\(NumberText.interval(group.score.recall)), "
                + "\(NumberText.count(counts.correct)) of \(NumberText.count(counts.positives))); \(negatives)."
            : "\(negatives.prefix(1).uppercased())\(negatives.dropFirst())."
        curves = charts.filter { $0.group == group.group }
        self.matrices = group.group == .matrix ? matrices.map { MatrixContent($0) } : []
        isFolded = group.group == .matrix
        rowCount = NumberText.count(group.cells.count)
        rows = group.cells.map { CellRow($0, anchor: anchors[$0.key] ?? "") }
    }
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
        text = NumberText.count(count)
        value = String(count)
    }
}

struct CellRow {
    let anchor: String
    let degradation: String
    let severity: String
    let severityText: String
    let length: Figure
    let isNotOffered: Bool
    let isOffered: Bool
    let errors: Int
    let hasErrors: Bool
    let positives: Figure
    let hasRecall: Bool
    let recall: Figure
    let recallLower: Figure
    let recallUpper: Figure
    let heat: String
    let bar: String
    let missed: Figure
    let wrongReference: Figure
    let falseAccept: Figure
    let negatives: Figure
    let recallAtZeroFalseAccepts: Figure
    let rightPlace: Figure
    /// The columns of `cells.csv` for skew errors: of the free fit where there is one, else as answered.
    let frequencySkewField: String
    let timeSkewField: String
    let frequencySkewError: Figure
    let frequencySkewError95: Figure
    let timeSkewError: Figure
    let timeSkewError95: Figure
    let offsetError: Figure
    let offsetError95: Figure
    let latency: Figure

    init(_ cell: CellScore, anchor: String) {
        let score = cell.score
        let counts = score.outcomes
        let recall = score.recall
        self.anchor = anchor
        degradation = cell.key.degradation
        severity = cell.key.severity
        severityText = NumberText.severity(cell.key.severity)
        length = Figure(cell.key.lengthSeconds) { NumberText.plain($0) }
        isNotOffered = score.isNotOffered
        isOffered = !score.isNotOffered
        errors = score.errors
        hasErrors = score.errors > 0
        positives = Figure(counts.positives)
        hasRecall = recall.trials > 0
        func percent(_ proportion: Proportion) -> Figure {
            Figure(proportion.rate) { NumberText.percent($0, trials: proportion.trials) }
        }
        self.recall = percent(recall)
        let interval = recall.wilsonInterval()
        recallLower = Figure(interval?.lower) { NumberText.percent($0, trials: 0) }
        recallUpper = Figure(interval?.upper) { NumberText.percent($0, trials: 0) }
        heat = HeatStep.level(recall).map { "heat\($0)" } ?? "absent"
        if let interval, let rate = recall.rate {
            let ends = [interval.lower, interval.upper, rate].map { NumberText.fixed($0 * 100, digits: 2) }
            bar = "--lower:\(ends[0])%;--upper:\(ends[1])%;--rate:\(ends[2])%"
        } else {
            bar = ""
        }
        missed = Figure(counts.missed)
        wrongReference = Figure(counts.wrongReference)
        falseAccept = Figure(counts.falseAccept)
        negatives = Figure(counts.negatives)
        recallAtZeroFalseAccepts = percent(score.recallAtZeroFalseAccepts)
        rightPlace = percent(score.share(of: .right))
        func inPercent(_ value: Double?) -> Figure { Figure(value) { NumberText.significant($0 * 100) } }
        func inMilliseconds(_ value: Double?) -> Figure {
            Figure(value) { NumberText.significant($0 * 1000) }
        }
        frequencySkewField =
            score.freeFrequencySkewError == nil ? "frequencySkewError" : "freeFrequencySkewError"
        timeSkewField = score.freeTimeSkewError == nil ? "timeSkewError" : "freeTimeSkewError"
        frequencySkewError = inPercent(score.measuredFrequencySkewError?.medianAbsolute)
        frequencySkewError95 = inPercent(score.measuredFrequencySkewError?.percentile95Absolute)
        timeSkewError = inPercent(score.measuredTimeSkewError?.medianAbsolute)
        timeSkewError95 = inPercent(score.measuredTimeSkewError?.percentile95Absolute)
        offsetError = inMilliseconds(score.offsetError?.medianAbsolute)
        offsetError95 = inMilliseconds(score.offsetError?.percentile95Absolute)
        latency = Figure(score.latency?.median) { NumberText.significant($0) }
    }
}

extension CellScore {
    /// The condition in words: `pink noise −3 dB, 5 s`.
    var title: String {
        let condition = NumberText.condition(severity: key.severity, lengthSeconds: key.lengthSeconds)
        return key.degradation + (key.severity.isEmpty ? ", " : " ") + condition
    }
}
