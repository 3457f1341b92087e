import Evaluation
import Foundation
import Matchers
import Metrics
import Studies

/// `tuning.md`: what a search found, for people.
enum TuningPage {
    static func text(_ result: TuningResult, winner: String) -> String {
        var lines = [
            "# Tuning of \(result.matcher)", "",
            "Plan \(result.plan) (`\(result.planDigest.prefix(12))`) on the \(result.half.rawValue) half of "
                + "\(result.corpus), seed \(result.seed). \(result.candidates.count) candidates raced over "
                + "\(result.rungTrials.map(String.init).joined(separator: ", ")) trials; "
                + "\(result.finalists.count) reached all of them. Measuring took "
                + "\(NumberText.fixed(result.seconds / 60, digits: 1)) minutes.", "",
        ]
        lines += Self.winner(result, options: winner) + front(result) + importance(result) + heldOut(result)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func winner(_ result: TuningResult, options: String) -> [String] {
        [
            "## Winner", "",
            "Candidate \(result.winner), " + (options.isEmpty ? "the standard settings." : "in full:"), "",
        ] + (options.isEmpty ? [] : ["```", options, "```", ""])
    }

    private static func front(_ result: TuningResult) -> [String] {
        let shown = result.candidates.filter { candidate in
            candidate.number == 0 || candidate.number == result.winner || candidate.isOnFront
        }
        let names = result.searched.map(\.name)
        let rows = shown.compactMap { candidate -> [String]? in
            guard let objectives = candidate.rungs.last else { return nil }
            let origin = (candidate.number == result.winner ? "winner, " : "") + candidate.origin.rawValue
            let size = objectives.indexBytes.map { "\(NumberText.fixed(Double($0) / 1e6, digits: 2)) MB" }
            return [
                "\(candidate.number) (\(origin))", percent(objectives.recallAtZeroFalseAccepts),
                "\(NumberText.fixed(objectives.medianMilliseconds, digits: 1)) ms",
                size ?? NumberText.missing,
            ] + names.map { setting(candidate.settings[$0] ?? 0) }
        }
        let lines = [
            "## Recall, time and size", "",
            "The start, the winner, and every candidate than which none is better in one and no worse in the others. The time is "
                + "the median processor time of a query; it differs from run to run, and so may the list.",
            "",
        ]
        let heads = ["candidate", "recall at 0 false accepts", "time", "index"] + names
        return lines + Markdown.table(heads, rows) + [""]
    }

    private static func importance(_ result: TuningResult) -> [String] {
        guard !result.importance.isEmpty else { return [] }
        let width = result.importance.map(\.name.count).max() ?? 0
        let bars = result.importance.map { one in
            let bar = String(repeating: "█", count: Int((one.share * 40).rounded()))
            let name = one.name.padding(toLength: width, withPad: " ", startingAt: 0)
            return "\(name)  \(percent(one.share).leftPadded(to: 8))  \(bar)"
        }
        return [
            "## What matters", "",
            "The share of the differences between evenly spread candidates, in rank, that follows from one setting alone.",
            "", "```",
        ] + bars + ["```", ""]
    }

    private static func heldOut(_ result: TuningResult) -> [String] {
        guard let check = result.heldOut else { return [] }
        let others = [("start", check.againstStart), ("standard", check.againstStandard)]
        let rows = others.map { name, one -> [String] in
            let interval = one.lower.flatMap { lower in
                one.upper.map { NumberText.points(Interval(lower: lower, upper: $0)) }
            }
            return [
                name, percent(one.other.recallAtZeroFalseAccepts), NumberText.points(one.difference),
                interval ?? NumberText.missing, "\(one.onlyChosen), \(one.onlyOther)",
                NumberText.probability(one.probability),
            ]
        }
        let heads = [
            "against", "recall", "difference", "95 % interval", "only winner, only other", "probability",
        ]
        var lines = [
            "## Held-out half", "",
            "On the \(check.half.rawValue) half, \(check.chosen.positives) positives and \(check.chosen.negatives) "
                + "negatives, the winner's recall at 0 false accepts is \(percent(check.chosen.recallAtZeroFalseAccepts)).",
            "",
        ]
        lines += Markdown.table(heads, rows)
        return lines + [
            "",
            "Differences in percentage points; intervals by bootstrap of whole recordings, probabilities by flipping the "
                + "signs of whole recordings (\(check.againstStart.clusters) of them). This half of the corpus has been "
                + "looked at \(check.look == 1 ? "once" : "\(check.look) times")"
                + (check.look > LookLedger.budget
                    ? ", more than \(LookLedger.budget): it is hardly held out any more." : "."),
            "",
        ]
    }

    private static func setting(_ value: Double) -> String {
        value == value.rounded()
            ? NumberText.fixed(value, digits: 0) : NumberText.significant(value, digits: 4)
    }

    private static func percent(_ share: Double) -> String { "\(NumberText.fixed(100 * share, digits: 1)) %" }
}

extension String {
    /// The text with blanks before it, `width` characters in all.
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
