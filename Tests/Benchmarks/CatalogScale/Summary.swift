import Evaluation
import Foundation

/// Recall and time of matching by condition.
struct Summary {
    private let trials: [Trial]

    init(_ trials: [Trial]) { self.trials = trials }

    func print() {
        Swift.print(
            Self.row(["condition", "n", "found", "right", "analysis ms", "look-up ms", "p95 ms"]))
        let positives = trials.filter { $0.item.source != nil }
        let conditions = Set(positives.map(\.item.condition)).sorted()
        for condition in conditions { line(condition, positives.filter { $0.item.condition == condition }) }
        line("all positives", positives)
        line("negatives (found: accepted)", trials.filter { $0.item.source == nil })
        let scores = trials.filter { $0.item.source == nil }.compactMap { $0.best?.score }.sorted()
        if let highest = scores.last {
            Swift.print(
                "score of negatives: median \(Figure(scores[scores.count / 2])), highest \(Figure(highest))")
        }
    }

    private func line(_ name: String, _ trials: [Trial]) {
        guard !trials.isEmpty else { return }
        let isNegative = trials.allSatisfy { $0.item.source == nil }
        let found = trials.filter { $0.isAccepted && ($0.isRight || isNegative) }.count
        Swift.print(
            Self.row([
                name, "\(trials.count)", String(format: "%.3f", Double(found) / Double(trials.count)),
                String(format: "%.3f", Double(trials.filter(\.isRight).count) / Double(trials.count)),
                Self.milliseconds(trials.map(\.analysisSeconds), 0.5),
                Self.milliseconds(trials.map(\.lookupSeconds), 0.5),
                Self.milliseconds(trials.map(\.lookupSeconds), 0.95),
            ]))
    }

    private static func milliseconds(_ seconds: [Double], _ share: Double) -> String {
        let sorted = seconds.sorted()
        return String(format: "%.2f", sorted[Int(share * Double(sorted.count - 1) + 0.5)] * 1e3)
    }

    private static func row(_ words: [String]) -> String {
        words.enumerated().map { place, word in
            let width = place == 0 ? 40 : 12
            let gap = String(repeating: " ", count: max(1, width - word.count))
            return place == 0 ? word + gap : gap + word
        }.joined()
    }
}
