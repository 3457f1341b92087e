// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

extension FigureFold {
    /// The outcomes of the run, which sum to its trials.
    static func outcomes(_ model: ReportModel) -> FigureFold {
        let counts = model.overall.outcomes
        let shown = Outcome.allCases.filter { $0 != .negativeError || counts.negativeError > 0 }
        let rows = shown.map { outcome -> [String] in
            let (total, of) =
                switch outcome {
                case .correct, .wrongReference, .missed: (counts.positives, "of positives")
                case .falseAccept, .correctReject: (counts.negatives, "of answered negatives")
                case .negativeError: (counts.negatives + counts.negativeError, "of all negatives")
                }
            let share = Proportion(counts[outcome], of: total).text
            return [outcome.title, counts[outcome].text, "\(share)\n\(of)", outcome.meaning]
        }
        return FigureFold(
            id: "outcomes", summary: "What the outcomes mean, and how many there are of each",
            tables: [
                FigureTable(
                    "Every trial has one outcome; they sum to \(counts.trials.text)", label: "Outcomes",
                    columns: ["Outcome", "Trials", "Share", "Meaning"], styles: [3: "meaning"], rows: rows)
            ] + errors(model),
            more: ([remarks(model.overall)] + [model.positionRemark].compactMap(\.self)).joined(
                separator: " "))
    }

    private static let mostKinds = 10

    /// Errors and disturbances by their words.
    private static func errors(_ model: ReportModel) -> [FigureTable] {
        func table(_ kinds: [(first: String, count: Int)], _ title: String) -> [FigureTable] {
            guard !kinds.isEmpty else { return [] }
            return [
                FigureTable(
                    "\(title), \(kinds.count.text("kind")) in all", label: title,
                    columns: ["The first", "Trials"],
                    styles: [0: "meaning"], rows: kinds.prefix(mostKinds).map { [$0.first, $0.count.text] })
            ]
        }
        return table(model.errorKinds, "The most frequent errors")
            + table(model.disturbanceKinds, "What disturbed trials that were not measured")
    }

    private static func remarks(_ score: Scorecard) -> String {
        var errors =
            score.errors == 0
            ? "No trial ended with an error."
            : "\(score.errors.text) of these ended with an error: " + NumberText.fate(ofErrors: score)
        if score.notMeasured > 0 {
            errors +=
                " \(score.notMeasured.text) more were not measured and do not count, because the machine disturbed "
                + "the matcher twice."
        }
        if score.permitted > 0 {
            errors +=
                " \(score.permitted.text) more do not count, because their answer is neither right nor wrong."
        }
        guard score.notOffered > 0 else { return errors }
        return errors
            + " \(score.notOffered.text) more were not run and do not count. Their format does not exist "
            + "at that rate, this machine lacks its encoder, or the query cannot be made from its recording. The column "
            + "`error` of trials.csv says which."
    }
}

extension Outcome {
    fileprivate var meaning: String {
        switch self {
        case .correct:
            "The query is of an enrolled recording, and that recording was named, at whatever place."
        case .wrongReference: "The query is of an enrolled recording, but another one was named."
        case .missed: "The query is of an enrolled recording, but none was named."
        case .falseAccept: "The query is of no enrolled recording, but one was named."
        case .correctReject: "The query is of no enrolled recording, and none was named."
        case .negativeError: "The query is of no enrolled recording, and the matcher failed on it."
        }
    }
}
