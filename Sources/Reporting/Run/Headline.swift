import Evaluation
import Metrics

extension ReportModel {
    /// The numbers of queries, conditions and references.
    var scope: String {
        let counts = overall.outcomes
        return "\(counts.trials.text("query", "queries")): \(counts.positives.text) of enrolled "
            + "recordings, \(counts.negatives.text) of others; \(cells.count.text("condition")); "
            + "\(facts.referenceCount.text("reference")) of \(NumberText.seconds(facts.referenceSeconds)) in all"
    }

    /// The outcomes in a sentence or two.
    var verdict: String {
        let counts = overall.outcomes
        guard counts.trials > 0 else { return "No trial was run." }
        var sentences: [String] = []
        if counts.positives > 0 {
            let wrong = counts.wrongReference
            sentences.append(
                "Finds \(overall.recall.text) of "
                    + "\(counts.positives.text("query", "queries"))\(lengths) in a catalog of "
                    + "\(facts.referenceCount.text("recording")), and names a wrong "
                    + "recording for \(wrong == 0 ? "none" : wrong.text).")
        } else {
            sentences.append(
                "Accepts \(overall.falseAcceptRate.successes == 0 ? "none" : overall.falseAcceptRate.successes.text) of \(unknown)."
            )
        }
        let later =
            overall.precision.trials - overall.precision.successes - counts.wrongReference
            - counts.falseAccept
        if later > 0 {
            sentences.append(
                "\(later.text("more accepted answer is", "more accepted answers are")) wrong, below "
                    + "the top answer.")
        }
        return (sentences + NumberText.errors(overall)).joined(separator: " ")
    }

    /// The weakest conditions and recordings in a sentence or two; empty where nothing is missed or accepted falsely.
    var weakness: String {
        let counts = overall.outcomes
        var sentences: [String] = []
        if counts.falseAccept > 0, counts.positives > 0 {
            sentences.append("It accepts \(overall.falseAcceptRate.successes.text) of \(unknown).")
        }
        let weakest = groups.filter { $0.weakest != nil }.min {
            ($0.score.recall.rate ?? 1) < ($1.score.recall.rate ?? 1)
        }
        // A single condition is as weak as all.
        if cells.count > 1, let weakest, let cell = weakest.weakest {
            let title = weakest.group.title
            sentences.append(
                "Weakest: \(title.prefix(1).lowercased())\(title.dropFirst()), " + weakest.score.recall.text
                    + (weakest.cells.count == 1
                        ? "." : ", down to \(cell.score.recall.text) in \(cell.title(in: weakest))."))
        }
        if let worst = WorstRecordings(recordings) {
            sentences.append("\(worst.headline).")
        }
        return sentences.joined(separator: " ")
    }

    /// The negatives that the rate of false accepts counts.
    private var unknown: String {
        let rate = overall.falseAcceptRate
        return rate.trials.text("query", "queries") + " of unknown recordings"
            + (rate.trials == overall.outcomes.negatives ? "" : ", equal samples counted once")
    }

    /// The range of the lengths of positives, as ` (0.5–30 s)`.
    private var lengths: String {
        let all = trials.filter(\.record.trial.isPositive).map(\.record.trial.cell.lengthSeconds)
        guard let shortest = all.min(), let longest = all.max() else { return "" }
        let range =
            shortest == longest
            ? NumberText.length(shortest) : "\(NumberText.plain(shortest))–\(NumberText.length(longest))"
        return " (\(range))"
    }
}

extension Tile {
    /// The five figures of the first screen; without positives those of negatives.
    static func all(_ model: ReportModel) -> [Tile] {
        let score = model.overall
        if score.recall.trials == 0, score.falseAcceptRate.trials > 0 {
            return [falseAccepts(score), latency(score)]
        }
        return [
            recall(score), falseAccepts(score), wrongReferences(score), offset(model), latency(score),
        ]
    }

    private static func recall(_ score: Scorecard) -> Tile {
        rate("Recall", score.recall, \.text, without: "no positives") { recall in
            let missed = recall.trials - recall.successes
            return [recall.range, "\(missed.text) of \(recall.trials.text) not found"]
        }
    }

    private static func falseAccepts(_ score: Scorecard) -> Tile {
        rate("False accepts", score.falseAcceptRate, \.counts, without: "no negatives") { rate in
            let range =
                rate.successes == 0
                ? "\(NumberText.falseAcceptRange(rate)) with 95\(NumberText.blank)% confidence"
                : "\(rate.text), \(rate.range)"
            return [range, NumberText.evidence(of: score)]
        }
    }

    private static func wrongReferences(_ score: Scorecard) -> Tile {
        rate("Wrong references", score.wrongReferenceRate, \.counts, without: "no positives") { _ in
            let precision = score.precision
            return precision.trials > 0
                ? ["precision \(precision.text)", precision.range] : ["no accepted answer"]
        }
    }

    private static func rate(
        _ label: String, _ rate: Proportion, _ text: (Proportion) -> String, without nothing: String,
        _ details: (Proportion) -> [String]
    ) -> Tile {
        rate.trials > 0 ? Tile(label, text(rate), details(rate)) : Tile(label, NumberText.missing, [nothing])
    }

    /// The errors of answers at the right place; others are counted, as a mean over both would tell nothing.
    private static func offset(_ model: ReportModel) -> Tile {
        let placed = model.trials.filter { $0.place == .right }.compactMap(\.offsetErrorSeconds)
        guard let summary = ErrorSummary(placed) else {
            return Tile("Offset error", NumberText.missing, ["no answer at the right place"])
        }
        let elsewhere = model.overall.share(of: .right)
        return Tile(
            "Offset error", NumberText.seconds(summary.medianAbsolute),
            [
                "median, \(NumberText.mostBelow(summary))",
                "\((elsewhere.trials - elsewhere.successes).text) of "
                    + "\(elsewhere.trials.text) at another place",
            ])
    }

    private static func latency(_ score: Scorecard) -> Tile {
        let known = score.latency.known
        guard !known.isEmpty else {
            return Tile(
                "Time to answer", NumberText.missing,
                ["fewer than \(LatencyByKind.fewestTrials) timed queries"])
        }
        // Both in one unit, so that they compare at a glance.
        let isLong = known.contains { $1.median >= 1000 }
        let medians = known.map { NumberText.significant($1.median / (isLong ? 1000 : 1)) }
        let tails = known.compactMap(\.1.percentile95).map { NumberText.milliseconds($0) }
        return Tile(
            "Time to answer",
            medians.joined(separator: " / ") + NumberText.blank + (isLong ? "s" : "ms"),
            [
                "\(known.map(\.0).joined(separator: " / ")), median",
                tails.isEmpty ? "" : "p95 \(tails.joined(separator: " / "))",
            ])
    }
}
