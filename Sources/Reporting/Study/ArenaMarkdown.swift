import Evaluation

/// An arena as Markdown.
enum ArenaMarkdown {
    static func text(_ model: ArenaModel) -> String {
        let facts = model.standings[0].model.facts
        let counts = model.standings[0].model.overall.outcomes
        var lines = [
            "# Arena: \(facts.planName) on \(facts.corpusName)", "",
            "\(NumberText.count(counts.positives)) positive and \(NumberText.count(counts.negatives)) negative queries, "
                + "the same for all; \(NumberText.count(facts.referenceCount)) references of "
                + "\(NumberText.seconds(facts.referenceSeconds)), \(facts.half) half, seed \(facts.seed). "
                + "Recall at 1 % FA is at the lowest threshold that accepts at most 1 % of all negatives. Errors are "
                + "median / 95th percentile of right answers; within 10 and 100 ms are shares of all positives.",
        ]
        for columns in [ArenaText.accuracy, ArenaText.exactness, ArenaText.cost] {
            lines +=
                [""]
                + Markdown.table(
                    ["contestant"] + columns.map(\.head),
                    model.standings.map { standing in
                        [standing.name] + columns.map { $0.text(standing) }
                    })
        }
        lines += ["", "## Every two", "", "At 1 % false accepts, over the same positives.", ""]
        lines += Markdown.table(
            ["first", "second"] + ArenaText.pairHeads,
            model.pairs.map { pair in
                [model.standings[pair.first].name, model.standings[pair.second].name] + ArenaText.pair(pair)
            })
        lines += ["", "## Who alone finds what", "", "Positives found at 1 % false accepts.", ""]
        lines += Markdown.table(
            ["conditions", "positives", "found by all", "by none"]
                + model.standings.map { "only \($0.name)" },
            model.finds.map { finds in
                [finds.title]
                    + ([finds.positives, finds.all, finds.none] + finds.alone).map(NumberText.count)
            })
        let escaped = Markdown.escaped
        lines += ["", "## Contestants", ""]
        lines += model.standings.map { standing in
            let matcher = standing.model.facts.matcher
            return "- \(escaped(standing.name)): \(escaped(matcher.name)) \(escaped(matcher.version)), "
                + "\(standing.model.facts.startedAt); \(escaped(ArenaText.settings(standing)))"
        }
        lines += model.failures.map { "- \(escaped($0.name)) could not be measured: \(escaped($0.message))" }
        return lines.joined(separator: "\n") + "\n"
    }
}
