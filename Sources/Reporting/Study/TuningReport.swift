// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Evaluation
import Foundation
import Matchers
import Metrics
import Studies

/// The result of a search for settings.
package struct TuningReport: Report {
    private let result: TuningResult
    private let options: String

    /// - Parameter winner: the options that choose the winner's settings; empty for the standard ones.
    package init(_ result: TuningResult, winner: String) {
        self.result = result
        options = winner
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("tuning.json", try JSONText.pretty(result)), ReportFile("tuning.csv", csv),
            ReportFile("tuning.md", markdown),
        ]
    }

    /// The start and the best on the searched half, and the check on the other half.
    package var summary: String {
        var lines: [String] = []
        for (name, candidate) in [("start", result.candidates.first), ("best", result.best)] {
            guard let objectives = candidate?.rungs.last else { continue }
            lines.append(
                "\(name), \(result.half.rawValue) half: recall at 0 false accepts "
                    + "\(Self.percent(objectives.recallAtZeroFalseAccepts)), "
                    + "\(NumberText.fixed(objectives.medianMilliseconds, digits: 1)) ms a query")
        }
        if let heldOut = result.heldOut { lines.append(Self.summary(of: heldOut)) }
        return lines.joined(separator: "\n")
    }

    /// The check on a held-out half.
    package static func summary(of check: HeldOutCheck) -> String {
        var lines = [
            "best, \(check.half.rawValue) half, held out: recall at 0 false accepts "
                + percent(check.chosen.recallAtZeroFalseAccepts),
            "  " + carried(check),
        ]
        for (name, one) in [("start", check.againstStart), ("standard settings", check.againstStandard)] {
            let interval = Self.interval(one).map { " (\($0))" }
            lines.append(
                "  against the \(name), \(percent(one.other.recallAtZeroFalseAccepts)): "
                    + "\(NumberText.points(one.difference)) points\(interval ?? ""), "
                    + "p \(NumberText.probability(one.probability))"
                    + (one.isSignificantlyWorse ? ", significantly worse" : ""))
        }
        lines.append("  look number \(check.look) at this half")
        return lines.joined(separator: "\n")
    }

    /// One row for each candidate; the columns that differ from run to run come last.
    private var csv: String {
        typealias Column = Table<TuningResult.Candidate>.Column
        var columns = [
            Column("candidate", count: \.number),
            Column("origin", text: \.origin.rawValue),
        ]
        let names = Set(result.candidates.flatMap(\.settings.keys)).sorted()
        columns += names.map { name in Column(name, number: { $0.settings[name] }) }
        columns += [
            Column("rungs", count: \.rungs.count),
            Column("positives", count: \.rungs.last?.positives),
            Column("negatives", count: \.rungs.last?.negatives),
            Column("recallAtZeroFalseAccepts", number: \.rungs.last?.recallAtZeroFalseAccepts),
            Column("rightTopShare", number: \.rungs.last?.rightTopShare),
            Column("indexBytes", count: \.rungs.last?.indexBytes),
            Column("isWinner", flag: { $0.number == result.winner }),
            Column("failure", text: \.failure),
            Column("isOnFront", flag: \.isOnFront),
            Column("medianMilliseconds", number: \.rungs.last?.medianMilliseconds),
        ]
        return Table(columns).csv(result.candidates)
    }

    private var markdown: String {
        var lines = [
            Markdown.heading(1, "Tuning of \(result.matcher)"), "",
            "Plan \(Markdown.escaped(result.plan)) (`\(result.planDigest.prefix(12))`) on the \(result.half.rawValue) half of "
                + "\(Markdown.escaped(result.corpus)), seed \(result.seed). \(result.candidates.count) candidates raced over "
                + "\(result.rungTrials.map(String.init).joined(separator: ", ")) trials; "
                + "\(result.finalists.count) reached all of them. Measuring took "
                + "\(NumberText.fixed(result.seconds / 60, digits: 1)) minutes.", "",
        ]
        lines += winner + front + importance + heldOut
        if let provenance = result.provenance {
            let rows = ProvenanceContent(provenance).rows
            lines +=
                ["", "## Provenance", ""] + rows.map { "- " + Markdown.escaped("\($0.name): \($0.value)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var winner: [String] {
        [
            "## Winner", "",
            "Candidate \(result.winner), "
                + (options.isEmpty ? "the standard settings." : "with all settings:"), "",
        ] + (options.isEmpty ? [] : ["```", options, "```", ""])
    }

    private var front: [String] {
        let shown = result.candidates.filter { candidate in
            candidate.number == 0 || candidate.number == result.winner || candidate.isOnFront
        }
        let names = result.searched.map(\.name)
        let rows = shown.compactMap { candidate -> [String]? in
            guard let objectives = candidate.rungs.last else { return nil }
            let origin = (candidate.number == result.winner ? "winner, " : "") + candidate.origin.rawValue
            let size = objectives.indexBytes.map { "\(NumberText.fixed(Double($0) / 1e6, digits: 2)) MB" }
            return [
                "\(candidate.number) (\(origin))", Self.percent(objectives.recallAtZeroFalseAccepts),
                "\(NumberText.fixed(objectives.medianMilliseconds, digits: 1)) ms",
                size ?? NumberText.missing,
            ] + names.map { Self.setting(candidate.settings[$0] ?? 0) }
        }
        let lines = [
            "## Recall, time and size", "",
            "The start, the winner, and every candidate on the Pareto front of recall, time and size. The time is "
                + "the median processor time of a query. It differs from run to run, and so may the list.",
            "",
        ]
        let heads = ["candidate", "recall at 0 false accepts", "time", "index"] + names
        return lines + Markdown.table(heads, rows) + [""]
    }

    private var importance: [String] {
        guard !result.importance.isEmpty else { return [] }
        let width = result.importance.map(\.name.count).max() ?? 0
        let bars = result.importance.map { one in
            let bar = String(repeating: "█", count: Int(bounded: (one.share * 40).rounded()))
            let name = one.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let share = Self.percent(one.share)
            return "\(name)  \(String(repeating: " ", count: max(0, 8 - share.count)))\(share)  \(bar)"
        }
        return [
            "## Importance", "",
            "The share of the variance in rank between evenly spread candidates that one setting explains alone.",
            "", "```",
        ] + bars + ["```", ""]
    }

    private var heldOut: [String] {
        guard let check = result.heldOut else { return [] }
        let others = [("start", check.againstStart), ("standard", check.againstStandard)]
        let rows = others.map { name, one -> [String] in
            return [
                name, Self.percent(one.other.recallAtZeroFalseAccepts), NumberText.points(one.difference),
                Self.interval(one) ?? NumberText.missing, "\(one.onlyChosen), \(one.onlyOther)",
                NumberText.probability(one.probability),
            ]
        }
        let heads = [
            "against", "recall", "difference", "95 % interval", "only winner, only other", "probability",
        ]
        var lines = [
            "## Held-out half", "",
            "On the \(check.half.rawValue) half, \(check.chosen.positives) positives and \(check.chosen.negatives) "
                + "negatives, the winner's recall at 0 false accepts is \(Self.percent(check.chosen.recallAtZeroFalseAccepts)).",
            "", Self.carried(check).prefix(1).uppercased() + Self.carried(check).dropFirst() + ".", "",
        ]
        lines += Markdown.table(heads, rows)
        return lines + [
            "",
            "Differences are in percentage points. Intervals and probabilities are by bootstrap of recordings, which "
                + "finds each threshold again (\(check.againstStart.clusters)). This half of the corpus has been "
                + "used \(check.look == 1 ? "once" : "\(check.look) times")"
                + (check.look > LookLedger.budget
                    ? ", more than \(LookLedger.budget) times. It is no longer a held-out half." : "."),
            "",
        ]
    }

    /// The figures at the threshold that the other half gave.
    private static func carried(_ check: HeldOutCheck) -> String {
        let one = check.carried
        let above = one.above.map { "above \(NumberText.fixed($0, digits: 2))" } ?? "at any score"
        return "at the threshold of the \(check.half.other.rawValue) half (\(above)): recall "
            + "\(percent(one.recall.rate ?? 0)), \(one.falseAccepts.successes) of \(one.falseAccepts.trials) negatives "
            + "falsely accepted, \(one.wrongReferences) wrong references"
    }

    private static func interval(_ one: HeldOutCheck.Comparison) -> String? {
        guard let lower = one.lower, let upper = one.upper else { return nil }
        return NumberText.points(Interval(lower: lower, upper: upper))
    }

    private static func setting(_ value: Double) -> String {
        value == value.rounded()
            ? NumberText.fixed(value, digits: 0) : NumberText.significant(value, digits: 4)
    }

    private static func percent(_ share: Double) -> String { "\(NumberText.fixed(100 * share, digits: 1)) %" }
}
