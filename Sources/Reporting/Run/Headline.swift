import Evaluation
import Metrics

extension ReportModel {
    /// The numbers of queries, conditions and references.
    var scope: String {
        let counts = overall.outcomes
        return
            "\(NumberText.count(counts.trials, "query", "queries")): \(NumberText.count(counts.positives)) of enrolled "
            + "recordings, \(NumberText.count(counts.negatives)) of others; \(NumberText.count(cells.count, "condition")); "
            + "\(NumberText.count(facts.referenceCount, "reference")) of \(NumberText.seconds(facts.referenceSeconds)) in all"
    }

    /// The outcomes in a sentence or two.
    var verdict: String {
        let counts = overall.outcomes
        guard counts.trials > 0 else { return "No trial was run." }
        var sentences: [String] = []
        if counts.positives > 0 {
            let wrong = counts.wrongReference
            sentences.append(
                "Named the right reference for \(NumberText.rate(overall.recall)) of the queries of enrolled "
                    + "recordings (\(NumberText.interval(overall.recall))) and a wrong one for "
                    + "\(wrong == 0 ? "none" : NumberText.count(wrong)).")
        }
        let later =
            overall.precision.trials - overall.precision.successes - counts.wrongReference
            - counts.falseAccept
        if later > 0 {
            sentences.append(
                "\(NumberText.count(later, "more accepted answer is", "more accepted answers are")) wrong, behind "
                    + "a first one.")
        }
        if let worst = WorstRecordings(recordings) { sentences.append(worst.sentence) }
        if counts.negatives > 0 {
            let accepts = NumberText.count(counts.falseAccept)
            sentences.append(
                "Of \(NumberText.count(counts.negatives, "query", "queries")) of unknown recordings it accepted "
                    + "\(counts.falseAccept == 0 ? "none" : accepts).")
        }
        if overall.errors > 0 {
            sentences.append(
                "\(NumberText.count(overall.errors, "trial")) ended with an error: "
                    + NumberText.fate(ofErrors: overall))
        }
        return sentences.joined(separator: " ")
    }
}

extension Tile {
    static func all(_ model: ReportModel) -> [Tile] {
        let score = model.overall
        return [
            rate(
                "Recall", score.recall, "positives",
                "\(NumberText.rate(score.placedRecall)) at the right place"),
            rate(
                "Precision", score.precision, "accepted answers",
                "top answers \(NumberText.rate(score.topPrecision))"),
            falseAccepts(score),
            rate("Wrong references", score.wrongReferenceRate, "positives"),
            zeroFalseAccepts(model),
            skew(
                "Frequency skew error", score.measuredFrequencySkewError, answered: score.frequencySkewError),
            skew("Time skew error", score.measuredTimeSkewError, answered: score.timeSkewError),
            offset(score),
            latency(score),
            cost(model),
        ]
    }

    private static func rate(
        _ label: String, _ proportion: Proportion, _ noun: String, _ more: String...
    ) -> Tile {
        guard proportion.trials > 0 else { return Tile(label, NumberText.missing, ["no \(noun)"]) }
        let counts = "\(NumberText.counts(proportion)) \(noun)"
        return Tile(label, NumberText.rate(proportion), [NumberText.interval(proportion), counts] + more)
    }

    private static func falseAccepts(_ score: Scorecard) -> Tile {
        let rate = score.falseAcceptRate
        guard rate.trials > 0 else { return self.rate("False accepts", rate, "negatives") }
        let bound = rate.successes == 0 ? ", one-sided 95\(NumberText.blank)%" : ""
        return Tile(
            "False accepts", NumberText.rate(rate),
            [
                NumberText.falseAcceptRange(rate) + bound, "\(NumberText.counts(rate)) negatives",
                NumberText.evidence(of: score),
            ])
    }

    private static func zeroFalseAccepts(_ model: ReportModel) -> Tile {
        let label = "Recall at 0 false accepts"
        let recall = model.overall.recallAtZeroFalseAccepts
        guard recall.trials > 0 else { return Tile(label, NumberText.missing, ["no positives"]) }
        let failed = model.overall.outcomes.negativeError
        let negatives =
            "\(NumberText.count(model.zeroFalseAccepts.negatives)) negatives"
            + (failed > 0 ? ", \(NumberText.count(failed)) more failed" : "")
        let threshold =
            model.zeroFalseAccepts.highestWrongScore.map {
                "score above \(NumberText.significant($0, digits: 3))"
            } ?? "at any score"
        return Tile(
            label, NumberText.rate(recall),
            [model.overall.zeroFalseAcceptInterval, "\(threshold), \(negatives)"])
    }

    /// Errors of the free fit, and as answered where they differ.
    private static func skew(_ label: String, _ measured: ErrorSummary?, answered: ErrorSummary?) -> Tile {
        guard let measured else { return Tile(label, NumberText.missing, ["not stated by the matcher"]) }
        func tail(_ errors: ErrorSummary) -> String {
            "p95 \(NumberText.skew(errors.percentile95Absolute)), largest \(NumberText.skew(errors.maximumAbsolute))"
        }
        var details = ["median as measured, \(tail(measured))"]
        if let answered, answered != measured {
            details.append("as answered \(NumberText.skew(answered.medianAbsolute)), \(tail(answered))")
        }
        return Tile(label, NumberText.skew(measured.medianAbsolute), details)
    }

    private static func offset(_ score: Scorecard) -> Tile {
        guard let summary = score.offsetError else {
            return Tile("Offset error", NumberText.missing, ["no correct answer"])
        }
        return Tile(
            "Offset error", NumberText.seconds(summary.medianAbsolute),
            [
                "median, p95 \(NumberText.seconds(summary.percentile95Absolute))",
                "\(NumberText.rate(score.share(of: .right))) of correct answers at the right place",
            ])
    }

    private static func latency(_ score: Scorecard) -> Tile {
        func text(_ latency: LatencySummary) -> String {
            let tail = latency.percentile95.map { ", p95 \(NumberText.milliseconds($0))" } ?? ""
            return "\(NumberText.milliseconds(latency.median)) median\(tail)"
        }
        let kinds = [("found", score.latency.found), ("unknown", score.latency.unknown)]
        let details = kinds.compactMap { kind, latency in latency.map { "\(kind): \(text($0))" } }
        guard let first = kinds.compactMap(\.1).first else {
            return Tile(
                "Latency", NumberText.missing, ["fewer than \(LatencyByKind.fewestTrials) timed queries"])
        }
        return Tile("Latency", NumberText.milliseconds(first.median), details)
    }

    private static func cost(_ model: ReportModel) -> Tile {
        let speed = model.enrolmentTimesRealTime.map { "enrolled at \(NumberText.timesRealTime($0))" }
        let total = model.facts.indexBytes.map { "\(NumberText.bytes(Double($0))) in all" }
        let details = [total, speed].compactMap(\.self)
        guard let perHour = model.indexBytesPerHour else {
            return Tile(
                "Index", NumberText.missing, details.isEmpty ? ["not stated by the matcher"] : details)
        }
        return Tile("Index per hour of references", NumberText.bytes(perHour), details)
    }
}
