import Evaluation
import Metrics

/// The words of an arena, `leaderboard.md` and `leaderboard.tex`.
enum ArenaText {
    /// The settings in one line; the options that choose them where there are more than 20.
    static func settings(_ standing: ArenaStanding) -> String {
        let settings = standing.model.facts.matcher.settings
        if settings.count > mostSettings {
            let words = standing.model.commands.matcher
            return words.isEmpty ? "standard settings" : words
        }
        return settings.isEmpty ? "no settings" : ProvenanceContent.list(settings)
    }

    private static let mostSettings = 20

    /// The false accept rate at which contestants are compared.
    static func rate(_ model: ArenaModel) -> String {
        "\(NumberText.significant(100 * model.falseAcceptRate, digits: model.falseAcceptRate == 0.01 ? 1 : 2)) %"
    }

    /// How to read ranks.
    static func rankNote(_ model: ArenaModel) -> String {
        "Ranks are by recall at \(rate(model)) false accepts, with 95 % intervals over draws of recordings. Where two "
            + "intervals overlap, the order may not be settled."
    }

    /// The main figures as a table of the LaTeX package booktabs.
    static func latex(_ model: ArenaModel) -> String {
        let columns: [ArenaTables.Column] = [
            .init("Matcher", for: \.name), .init("Rank", for: ArenaTables.rank),
            .init("Recall, \(rate(model)) FA") { $0.recall(at: model.falseAcceptRate).text },
            .init("95 %") { $0.recall(at: model.falseAcceptRate).range },
            .init("Recall, 0 FA", for: \.recallAtZeroFalseAccepts.text),
            .init("Offset error") { NumberText.seconds($0.model.overall.offsetError?.medianAbsolute) },
            .init("CPU, found") { NumberText.milliseconds($0.processor.found?.median) },
            .init("CPU, unknown") { NumberText.milliseconds($0.processor.unknown?.median) },
        ]
        let table = Table(columns)
        func line(_ cells: [String]) -> String { cells.map(LaTeX.escaped).joined(separator: " & ") + #" \\"# }
        let facts = model.standings[0].model.facts
        let counts = model.standings[0].model.overall.outcomes
        let lines =
            [
                LaTeX.comment(
                    "Plan \(facts.planName) on \(facts.corpusName), \(counts.positives) positives, \(counts.negatives) negatives."
                ),
                LaTeX.comment(
                    "Ranks with 95 % intervals over recordings. Medians. Needs \\usepackage{booktabs}."),
                #"\begin{tabular}{l"# + String(repeating: "r", count: columns.count - 1) + "}", #"\toprule"#,
                line(table.heads), #"\midrule"#,
            ] + model.standings.map { line(table.cells($0)) } + [#"\bottomrule"#, #"\end{tabular}"#]
        return lines.joined(separator: "\n") + "\n"
    }

    static func markdown(_ model: ArenaModel) -> String {
        let facts = model.standings[0].model.facts
        let counts = model.standings[0].model.overall.outcomes
        var lines = [
            Markdown.heading(1, "Arena: \(facts.planName) on \(facts.corpusName)"), "",
            "\(counts.positives.text) positive and \(counts.negatives.text) negative queries, "
                + "the same for all; \(facts.referenceCount.text("reference")) of "
                + "\(NumberText.seconds(facts.referenceSeconds)) in all, \(facts.half.rawValue) half, seed \(facts.seed). "
                + "Recall at 1 % FA is at the lowest threshold that accepts at most 1 % of all negatives. Errors are "
                + "median / 95th percentile of right answers. Within 10 and 100 ms are shares of all positives. A positive "
                + "at which a contestant failed, by its time limit for example, counts as missed but is no answer. "
                + rankNote(model),
        ]
        for (_, columns) in ArenaTables.leaderboard(model) {
            lines += [""] + Markdown.table(columns, model.standings)
        }
        let censored = model.standings.filter(\.isCensored).map(\.name)
        if !censored.isEmpty {
            lines += [
                "",
                "No recall at 1 % FA is known of what names nothing below its own threshold: "
                    + Markdown.escaped(censored.joined(separator: ", ")) + ".",
            ]
        }
        lines += ["", "## Pairs", "", "At \(rate(model)) false accepts, over the same positives.", ""]
        lines += Markdown.table(ArenaTables.pairs(model), model.pairs)
        lines += [
            "", "## Found by one contestant only", "", "Positives found at \(rate(model)) false accepts.", "",
        ]
        lines += Markdown.table(ArenaTables.finds(model, all: "found by all"), model.finds)
        let escaped = Markdown.escaped
        lines += ["", "## Contestants", ""]
        lines += model.standings.map { standing in
            let matcher = standing.model.facts.matcher
            return "- \(escaped(standing.name)): \(escaped(matcher.name)) \(escaped(matcher.version)), "
                + "\(standing.model.facts.startedAt); \(escaped(settings(standing)))"
        }
        lines += model.failures.map { "- \(escaped($0.name)) could not be measured: \(escaped($0.message))" }
        let remarks = model.standings.flatMap { standing in
            (standing.model.memoryRemarks + standing.model.trialRemarks).map {
                "- \(escaped(standing.name)): \(escaped($0))"
            }
        }
        if !remarks.isEmpty { lines += ["", "## Remarks", ""] + remarks }
        return lines.joined(separator: "\n") + "\n"
    }
}
