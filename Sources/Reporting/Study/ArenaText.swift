import Evaluation
import Metrics

/// The columns of the leaderboards and `leaderboard.md`.
enum ArenaText {
    typealias Column = (head: String, text: @Sendable (ArenaStanding) -> String)

    static let accuracy: [Column] = [
        ("rank", rank),
        ("recall at 1 % FA", { NumberText.rate($0.recall) }),
        ("95 %", { NumberText.interval($0.recall) }),
        ("recall at 0 FA", { NumberText.rate($0.recallAtZeroFalseAccepts) }),
        ("recall, own threshold", { NumberText.rate($0.model.overall.recall) }),
        ("95 %", { NumberText.interval($0.model.overall.recall) }),
        ("false accepts", { NumberText.rate($0.model.overall.falseAcceptRate) }),
        ("precision", { NumberText.rate($0.model.overall.precision) }),
        ("right one first", { NumberText.rate($0.model.overall.rightTopAnswers) }),
    ]

    static func rank(_ standing: ArenaStanding) -> String {
        NumberText.optional(standing.rank) { "\($0.rank) (\($0.lower)–\($0.upper))" }
    }

    static let failures: [Column] = [
        ("errors", { NumberText.count($0.model.overall.errors) }),
        ("on positives", { NumberText.count($0.positiveErrors) }),
        ("recall at 1 % FA of answered", { NumberText.rate($0.answeredRecall) }),
    ]

    /// The tables of the leaderboard with their captions; failures only if there are any.
    static func tables(_ model: ArenaModel) -> [(caption: String, columns: [Column])] {
        let hasFailures = model.standings.contains { $0.model.overall.errors > 0 }
        return [("Accuracy", accuracy)] + (hasFailures ? [("Failures", failures)] : [])
            + [("Precision", exactness), ("Cost", cost)]
    }

    static let exactness: [Column] = [
        ("offset error", { pair($0.model.overall.offsetError, NumberText.seconds) }),
        ("strict", { pair($0.model.overall.strictOffsetError, NumberText.seconds) }),
        ("within 10 ms", { NumberText.rate($0.placed(within: 0.01)) }),
        ("within 100 ms", { NumberText.rate($0.placed(within: 0.1)) }),
        ("frequency skew error", { pair($0.model.overall.frequencySkewError, NumberText.skew) }),
        ("time skew error", { pair($0.model.overall.timeSkewError, NumberText.skew) }),
    ]

    static let cost: [Column] = [
        ("CPU, found, median", { time($0.processor.found?.median) }),
        ("mean", { time($0.processor.found?.mean) }),
        ("CPU, unknown, median", { time($0.processor.unknown?.median) }),
        ("mean", { time($0.processor.unknown?.mean) }),
        ("latency, found", { time($0.model.overall.latency.found?.median) }),
        ("latency, unknown", { time($0.model.overall.latency.unknown?.median) }),
        ("enrolment", { NumberText.optional($0.enrolmentRate, NumberText.timesRealTime) }),
        ("index", { bytes($0.model.facts.indexBytes) }),
        ("index an hour", { NumberText.optional($0.model.indexBytesPerHour, NumberText.bytes) }),
        (
            "peak memory",
            {
                bytes($0.model.facts.cost?.peakMemoryBytes)
                    + ($0.model.facts.cost?.peakIncludesJudge == true ? " with judge" : "")
            }
        ),
        ("restarts", { NumberText.count($0.model.facts.cost?.restarts ?? 0) }),
    ]

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

    static func pair(_ pair: ArenaModel.Pair) -> [String] {
        let counts = [pair.positives.onlyBefore, pair.positives.onlyAfter].map(NumberText.count)
        return counts + [
            NumberText.optional(pair.difference.difference, NumberText.points),
            NumberText.optional(pair.fitted, NumberText.points),
            NumberText.probability(pair.probability),
        ] + pair.errors.map(NumberText.count)
    }

    static let pairHeads = [
        "only the first", "only the second", "difference, points", "95 %", "p (Holm)", "errors, first",
        "errors, second",
    ]

    static func find(_ finds: ArenaModel.Finds) -> [String] {
        [finds.title] + ([finds.positives, finds.all, finds.none] + finds.alone).map(NumberText.count)
    }

    static func only(_ model: ArenaModel) -> [String] { model.standings.map { "only \($0.name)" } }

    private static func pair(_ summary: ErrorSummary?, _ text: (Double) -> String) -> String {
        NumberText.optional(summary) { "\(text($0.medianAbsolute)) / \(text($0.percentile95Absolute))" }
    }

    private static func time(_ milliseconds: Double?) -> String {
        NumberText.optional(milliseconds, NumberText.milliseconds)
    }

    private static func bytes(_ value: Int?) -> String {
        NumberText.optional(value) { NumberText.bytes(Double($0)) }
    }

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
        let columns: [Column] = [
            ("Rank", rank),
            ("Recall, \(rate(model)) FA", { NumberText.rate($0.recall(at: model.falseAcceptRate)) }),
            ("95 %", { NumberText.interval($0.recall(at: model.falseAcceptRate)) }),
            ("Recall, 0 FA", { NumberText.rate($0.recallAtZeroFalseAccepts) }),
            (
                "Offset error",
                { NumberText.optional($0.model.overall.offsetError?.medianAbsolute, NumberText.seconds) }
            ),
            ("CPU, found", { time($0.processor.found?.median) }),
            ("CPU, unknown", { time($0.processor.unknown?.median) }),
        ]
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
                #"\begin{tabular}{l"# + String(repeating: "r", count: columns.count) + "}", #"\toprule"#,
                line(["Matcher"] + columns.map(\.head)), #"\midrule"#,
            ] + model.standings.map { standing in line([standing.name] + columns.map { $0.text(standing) }) }
            + [#"\bottomrule"#, #"\end{tabular}"#]
        return lines.joined(separator: "\n") + "\n"
    }

    static func markdown(_ model: ArenaModel) -> String {
        let facts = model.standings[0].model.facts
        let counts = model.standings[0].model.overall.outcomes
        var lines = [
            Markdown.heading(1, "Arena: \(facts.planName) on \(facts.corpusName)"), "",
            "\(NumberText.count(counts.positives)) positive and \(NumberText.count(counts.negatives)) negative queries, "
                + "the same for all; \(NumberText.count(facts.referenceCount, "reference")) of "
                + "\(NumberText.seconds(facts.referenceSeconds)) in all, \(facts.half.rawValue) half, seed \(facts.seed). "
                + "Recall at 1 % FA is at the lowest threshold that accepts at most 1 % of all negatives. Errors are "
                + "median / 95th percentile of right answers. Within 10 and 100 ms are shares of all positives. A positive "
                + "at which a contestant failed, by its time limit for example, counts as missed but is no answer. "
                + rankNote(model),
        ]
        for (_, columns) in tables(model) {
            lines +=
                [""]
                + Markdown.table(
                    ["contestant"] + columns.map(\.head),
                    model.standings.map { standing in
                        [standing.name] + columns.map { $0.text(standing) }
                    })
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
        lines += Markdown.table(
            ["first", "second"] + pairHeads,
            model.pairs.map { pair in
                [model.standings[pair.first].name, model.standings[pair.second].name] + Self.pair(pair)
            })
        lines += [
            "", "## Found by one contestant only", "", "Positives found at \(rate(model)) false accepts.", "",
        ]
        lines += Markdown.table(
            ["conditions", "positives", "found by all", "by none"] + only(model), model.finds.map(find))
        let escaped = Markdown.escaped
        lines += ["", "## Contestants", ""]
        lines += model.standings.map { standing in
            let matcher = standing.model.facts.matcher
            return "- \(escaped(standing.name)): \(escaped(matcher.name)) \(escaped(matcher.version)), "
                + "\(standing.model.facts.startedAt); \(escaped(settings(standing)))"
        }
        lines += model.failures.map { "- \(escaped($0.name)) could not be measured: \(escaped($0.message))" }
        return lines.joined(separator: "\n") + "\n"
    }
}
