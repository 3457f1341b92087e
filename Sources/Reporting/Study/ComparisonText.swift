import Evaluation
import Metrics

/// What a comparison of two runs shows, as Markdown and as CSV.
package struct ComparisonText {
    private let comparison: RunComparison
    private let names: [String]

    /// Renders `comparison`, whose runs are called `names`.
    package init(_ comparison: RunComparison, names: [String]) {
        self.comparison = comparison
        self.names = names
    }

    /// Sections of Markdown, readable as they stand.
    package var markdown: String {
        let runs = zip(names, comparison.identities).map { name, run in
            "- \(name): \(run.matcher) \(run.version), plan \(run.plan), corpus \(run.corpus), commit \(run.commit)"
        }
        let changed = comparison.compared.cells.filter { $0.positives.isChanged || $0.negatives.isChanged }
        var lines = ["# \(names[0]) against \(names[1])", ""] + runs
        lines += [""] + Markdown.table(Self.heads, ([comparison.compared.overall] + changed).map(Self.cells))
        lines += ["", "\(comparison.compared.cells.count - changed.count) cells have the same outcomes."]
        for (name, trials) in zip(names, [comparison.onlyFirst, comparison.onlySecond]) {
            lines += ["", "## Only \(name) got right: \(trials.count)", ""]
            lines += trials.prefix(Self.mostListed).map { "- \($0)" }
            if trials.count > Self.mostListed { lines.append("- and \(trials.count - Self.mostListed) more") }
        }
        lines += ["", "## The trials that differ most", ""]
        lines += comparison.mostDifferent.map { trial in
            let sides = (0..<2).map { side in
                let best = trial.best[side]
                return "\(trial.outcomes[side].rawValue)"
                    + (best.map { ", first \($0.referenceID) at \(Self.number($0.score))" }
                        ?? ", no candidate")
                    + (trial.rightScores[side].map { ", right at \(Self.number($0))" } ?? "")
            }
            return "- \(trial.trialID): \(sides[0]) → \(sides[1])"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A page that opens without a network.
    package var html: String { get throws { try ComparisonPage(comparison, names: names).html } }

    /// One row a cell, the first for all trials.
    package var csv: String {
        CSVTable<CellComparison>(columns: [
            .init("cell", text: { $0.words }),
            .init("positives", count: { $0.positives.count }),
            .init("bothRight", count: { $0.positives.both }),
            .init("onlyFirstRight", count: { $0.positives.onlyBefore }),
            .init("onlySecondRight", count: { $0.positives.onlyAfter }),
            .init("neitherRight", count: { $0.positives.neither }),
            .init("recallDifference", number: { $0.difference.difference }),
            .init("recallDifferenceLower", number: { $0.difference.interval()?.lower }),
            .init("recallDifferenceUpper", number: { $0.difference.interval()?.upper }),
            .init("probability", number: { $0.rawProbability }),
            .init("probabilityHolm", number: { $0.probability }),
            .init("negatives", count: { $0.negatives.count }),
            .init("onlyFirstFalseAccept", count: { $0.negatives.onlyAfter }),
            .init("onlySecondFalseAccept", count: { $0.negatives.onlyBefore }),
        ]).text([comparison.compared.overall] + comparison.compared.cells)
    }

    private static let mostListed = 40
    private static let heads = [
        "trials", "positives", "both", "only first", "only second", "neither", "recall, points", "p (Holm)",
        "new false accepts", "gone",
    ]

    private static func cells(_ row: CellComparison) -> [String] {
        let interval = row.difference.interval().map { " (\(NumberText.points($0)))" }
        let difference = row.difference.difference.map { NumberText.points($0) + (interval ?? "") }
        let counts = [
            row.positives.count, row.positives.both, row.positives.onlyBefore, row.positives.onlyAfter,
            row.positives.neither,
        ].map(String.init)
        let falseAccepts = [row.negatives.onlyBefore, row.negatives.onlyAfter].map(String.init)
        let change = [difference ?? NumberText.missing, NumberText.probability(row.probability)]
        return [row.words] + counts + change + falseAccepts
    }

    private static func number(_ value: Double) -> String {
        // A matcher may give any score, also one that no Int holds.
        guard abs(value) < 1e15 else { return "\(value)" }
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
