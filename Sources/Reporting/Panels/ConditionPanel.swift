// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// A group of conditions: its curve, if it has one, and its tables.
struct GroupContent {
    /// Rows of conditions.
    struct Table {
        let rows: [[String: Any]]
        let summary: String
    }

    let anchor: String
    let title: String
    let summary: String
    let curves: [CurveChart]
    let matrices: [MatrixContent]
    /// The weakest conditions; nil where all are found, or where a matrix shows them.
    let weak: Table?
    /// The others, which open on a click.
    let others: Table?
    /// Whether the others are all there is to show, so that the group is one line.
    let isLine: Bool

    private static let mostWeak = 6

    init(
        _ group: ReportModel.GroupScore, anchors: [CellScore.Key: String], charts: [CurveChart],
        matrices: [FormatMatrix]
    ) {
        anchor = group.anchor
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
        // The first screen has the matrix of noises.
        let isDrawn = group.group == .matrix || group.group == .noise
        let missing = isDrawn ? [] : group.cells.filter(\.hasFailures).sorted { $0.sureness < $1.sureness }
        let weakKeys = Set(missing.prefix(Self.mostWeak).map(\.key))
        func rows(_ cells: [CellScore]) -> [[String: Any]] {
            cells.map { $0.row(anchor: anchors[$0.key] ?? "") }
        }
        let open = group.cells.filter { weakKeys.contains($0.key) }
        let folded = group.cells.filter { !weakKeys.contains($0.key) }
        weak = open.isEmpty ? nil : Table(rows: rows(open), summary: "")
        isLine = open.isEmpty && curves.isEmpty && self.matrices.isEmpty
        others = folded.isEmpty ? nil : Table(rows: rows(folded), summary: Self.summary(folded, of: group))
    }

    private static func summary(_ folded: [CellScore], of group: ReportModel.GroupScore) -> String {
        let isAll = folded.count == group.cells.count
        let count = folded.count == 1 ? "condition" : "\(NumberText.count(folded.count)) conditions"
        let which = isAll ? (folded.count == 1 ? "The \(count)" : "All \(count)") : "The other \(count)"
        let isFound = group.score.outcomes.positives > 0 && !folded.contains(where: \.hasFailures)
        return isFound ? "\(which): every query found" : which
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
        text = NumberText.count(count)
        value = String(count)
    }
}

extension CellScore {
    /// The condition in words: `pink noise −3 dB, 5 s`.
    var title: String {
        let condition = NumberText.condition(severity: key.severity, lengthSeconds: key.lengthSeconds)
        return key.degradation + (key.severity.isEmpty ? ", " : " ") + condition
    }

    fileprivate func row(anchor: String) -> [String: Any] {
        let recall = score.recall
        let interval = recall.wilsonInterval()
        func percent(_ value: Double?, of trials: Int) -> Figure {
            Figure(value) { NumberText.percent($0, trials: trials) }
        }
        func percent(_ proportion: Proportion) -> Figure { percent(proportion.rate, of: proportion.trials) }
        /// The median and the 95th percentile.
        func errors(_ summary: ErrorSummary?, times scale: Double) -> [String: Figure] {
            ["median": summary?.medianAbsolute, "percentile95": summary?.percentile95Absolute]
                .mapValues { Figure($0) { NumberText.significant($0 * scale) } }
        }
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
            "bar": Self.bar(interval, recall.rate) { $0 * 100 },
            "positives": Figure(score.outcomes.positives),
            "negatives": Figure(score.outcomes.negatives),
            "missed": Figure(score.outcomes.missed),
            "wrongReference": Figure(score.outcomes.wrongReference),
            "falseAccept": Figure(score.outcomes.falseAccept),
            "recallAtZeroFalseAccepts": percent(score.recallAtZeroFalseAccepts),
            "rightPlace": percent(score.share(of: .right)),
            // The columns of `cells.csv`: of the free fit where there is one, else as answered.
            "frequencySkewField":
                score.freeFrequencySkewError == nil ? "frequencySkewError" : "freeFrequencySkewError",
            "timeSkewField": score.freeTimeSkewError == nil ? "timeSkewError" : "freeTimeSkewError",
            "frequencySkewError": errors(score.measuredFrequencySkewError, times: 100),
            "timeSkewError": errors(score.measuredTimeSkewError, times: 100),
            "offsetError": errors(score.offsetError, times: 1000),
        ]
    }

    /// An interval and a value in it as a bar; empty without them.
    ///
    /// - Parameter place: the place of a value in percent of the bar.
    static func bar(_ interval: Interval?, _ value: Double?, _ place: (Double) -> Double) -> String {
        guard let interval, let value else { return "" }
        return zip(["lower", "upper", "rate"], [interval.lower, interval.upper, value])
            .map { "--\($0):\(NumberText.fixed(place($1), digits: 2))%" }.joined(separator: ";")
    }
}
