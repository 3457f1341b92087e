import Evaluation
import Metrics

/// A set of trials in two runs: those right in one only, and the difference in recall.
struct ChangeRow {
    let title: String
    let positives: String
    let onlyFirst: String
    let onlySecond: String
    let difference: String
    let interval: String
    /// Empty without a difference.
    let bar: String
    let probability: String
    /// Whether the difference is significant after correction.
    let isSure: Bool
    /// Whether it is expected of other recordings too: the interval excludes 0.
    let isGeneral: Bool
    let newFalseAccepts: String
    let goneFalseAccepts: String

    /// - Parameter scale: the difference that fills half the bar; above 0.
    init(_ cell: CellComparison, scale: Double) {
        title = cell.words
        positives = cell.positives.count.text
        onlyFirst = cell.positives.onlyBefore.text
        onlySecond = cell.positives.onlyAfter.text
        let change = cell.difference.difference
        let range = cell.difference.interval()
        difference = NumberText.points(change)
        interval = NumberText.points(range)
        bar = RangeBar.style(range, change) { min(100, max(0, 50 + 50 * $0 / scale)) }
        probability = NumberText.probability(cell.probability)
        isSure = cell.probability < 0.05
        isGeneral = range.map { $0.lower > 0 || $0.upper < 0 } ?? false
        newFalseAccepts = cell.negatives.onlyBefore.text
        goneFalseAccepts = cell.negatives.onlyAfter.text
    }

    /// Rows whose bars share one scale.
    static func all(_ cells: [CellComparison]) -> [ChangeRow] {
        let widest = cells.compactMap { $0.difference.interval() }.map { max(abs($0.lower), abs($0.upper)) }
            .max()
        return cells.map { ChangeRow($0, scale: max(widest ?? 0, 0.01)) }
    }
}
