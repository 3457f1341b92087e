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

    package func files(charts: ChartLibrary?) throws -> [ReportFile] {
        var files = [ReportFile("tuning.json", try JSONText.pretty(result)), ReportFile("tuning.csv", csv)]
        if let provenance = result.provenance {
            let page = page(ProvenanceContent(provenance))
            files.append(ReportFile("tuning.html", try page.html(charts: charts)))
        }
        return files
    }

    /// The start and the best on the searched half, and the check on the other half.
    package var summary: String {
        var lines: [String] = []
        for (name, candidate) in [("start", result.candidates.first), ("best", result.best)] {
            guard let objectives = candidate?.rungs.last else { continue }
            lines.append(
                "\(name), \(result.half.rawValue) half: recall \(condition) "
                    + "\(Self.percent(objectives.recall)), \(Self.costs(objectives).joined(separator: ", "))")
        }
        lines += (Self.evidence(result) + remarks).map { "  \($0)" }
        if let heldOut = result.heldOut { lines.append(Self.summary(of: heldOut, result.goals)) }
        if let flattery { lines.append("  \(flattery)") }
        return lines.joined(separator: "\n")
    }

    /// The check on a held-out half.
    package static func summary(of check: HeldOutCheck, _ goals: TuningGoals) -> String {
        var lines = [
            "best, \(check.half.rawValue) half, held out: recall \(condition(goals)) "
                + percent(check.chosen.recall),
            "  " + carried(check),
        ]
        lines += limits(check, goals).map { "  " + $0 }
        for (name, one) in [("start", check.againstStart), ("standard settings", check.againstStandard)] {
            let interval = interval(one).map { " (\($0))" }
            lines.append(
                "  against the \(name), \(percent(one.other.recall)): "
                    + "\(NumberText.points(one.difference)) points\(interval ?? ""), "
                    + "p \(NumberText.probability(one.probability))"
                    + (one.isSignificantlyWorse ? ", significantly worse" : ""))
        }
        lines.append("  look number \(check.look) at this half")
        return lines.joined(separator: "\n")
    }

    /// What the settings nearest to the limits cost, where none is within them.
    package var nearest: String {
        let own = result.best.rungs.last
        let words = result.goals.limits.filter { $0.figure != .falseAccepts }.map { limit in
            "\(limit.figure.rawValue) \(NumberText.optional(own?.value(of: limit.figure)) { NumberText.significant($0, digits: 3) })"
                + " where \(NumberText.significant(limit.most, digits: 3)) is the most"
        }
        return "No settings keep the limits. The nearest: \(words.joined(separator: ", "))"
    }

    /// One row for each candidate; the columns that differ from run to run come last.
    private var csv: String {
        typealias Column = Table<TuningResult.Candidate>.Column
        var columns = [
            Column("candidate", count: \.number),
            Column("origin", text: \.origin.rawValue),
        ]
        let names = Set(result.candidates.flatMap(\.settings.keys)).sorted()
        columns += names.map { name in
            let isWord = result.searched.first { $0.name == name }?.choices != nil
            return isWord
                ? Column(name, text: { $0.settings[name].map { result.text(of: $0, for: name) } })
                : Column(name, number: { $0.settings[name] })
        }
        columns += [
            Column("rungs", count: \.rungs.count),
            Column("positives", count: \.rungs.last?.positives),
            Column("negatives", count: \.rungs.last?.negatives),
            Column("recall", number: \.rungs.last?.recall),
            Column("above", number: { $0.rungs.last?.above }),
            Column("falseAccepts", count: \.rungs.last?.falseAccepts.successes),
            Column("falseAcceptBound", number: { $0.rungs.last?.falseAcceptBound }),
            Column("recallAtZeroFalseAccepts", number: \.rungs.last?.recallAtZeroFalseAccepts),
            Column("rightTopShare", number: \.rungs.last?.rightTopShare),
            Column("indexBytes", count: \.rungs.last?.indexBytes),
            Column("megabytesPerHour", number: { $0.rungs.last?.megabytesPerHour }),
            Column("isWinner", flag: { $0.number == result.winner }),
            Column("failure", text: \.failure),
            Column("isOnFront", flag: \.isOnFront),
            Column("medianMilliseconds", number: \.rungs.last?.medianMilliseconds),
        ]
        return Table(columns).csv(result.candidates)
    }

    private func page(_ provenance: ProvenanceContent) -> FigurePage {
        let best = result.best.rungs.last
        let gain = result.heldOut.map { check in
            Tile(
                "Gain, held out",
                NumberText.points(check.againstStart.difference) + "\(NumberText.blank)points",
                [Self.interval(check.againstStart) ?? "", "of recall over the start"])
        }
        return FigurePage(
            title: "Tuning of \(result.matcher)",
            verdict: options.isEmpty
                ? "No settings are better than the standard ones." : "The best settings: \(options)",
            scope:
                "\(result.candidates.count.text("candidate", "candidates")) raced over "
                + "\(result.rungTrials.map(String.init).joined(separator: ", ")) trials of \(result.plan), "
                + "\(result.half.rawValue) half of \(result.corpus). \(result.finalists.count.text) reached all of them.",
            tiles: [
                Tile(
                    "Recall, searched half", best.map { Self.percent($0.recall) } ?? NumberText.missing,
                    [condition])
            ] + [gain].compactMap(\.self),
            sections: [winner, front, conditions, importance].compactMap(\.self),
            notes: Self.evidence(result) + remarks + failures,
            provenance: provenance,
            files: "tuning.csv holds every candidate, tuning.json also what was found at each step.")
    }

    private var winner: FigureSection {
        let start = result.candidates.first?.settings ?? [:]
        let rows = result.searched.map { setting in
            let value = result.best.settings[setting.name] ?? setting.standard
            return [
                setting.name, setting.text(of: value),
                setting.text(of: start[setting.name] ?? setting.standard),
                setting.text(of: setting.standard), setting.summary,
            ]
        }
        var tables = [
            FigureTable(
                "Settings", columns: ["setting", "best", "start", "standard", "meaning"], styles: [4: "text"],
                rows: rows)
        ]
        var text = "The arguments of the best settings: \(options.isEmpty ? "none" : options)."
        if let check = result.heldOut {
            let others = [("start", check.againstStart), ("standard", check.againstStandard)]
            tables.append(
                FigureTable(
                    "Held-out half",
                    columns: [
                        "against", "recall", "difference", "95 % interval", "only best, only other", "p",
                    ],
                    rows: others.map { name, one in
                        [
                            name, Self.percent(one.other.recall), NumberText.points(one.difference),
                            Self.interval(one) ?? NumberText.missing, "\(one.onlyChosen), \(one.onlyOther)",
                            NumberText.probability(one.probability),
                        ]
                    }))
            text +=
                " On the \(check.half.rawValue) half, \(check.chosen.positives) positives and \(check.chosen.negatives) "
                + "negatives, their recall \(condition) is \(Self.percent(check.chosen.recall)); "
                + Self.carried(check) + ". "
                + "Differences are in percentage points. Intervals and probabilities are by bootstrap of recordings, "
                + "which finds each threshold again (\(check.againstStart.clusters)). "
                + "It is look number \(check.look) at this half"
                + (check.look > LookLedger.budget
                    ? ", more than \(LookLedger.budget). It is no longer a held-out half." : ".")
        }
        let remarks =
            (result.heldOut.map { Self.limits($0, result.goals) } ?? []) + [flattery].compactMap(\.self)
        return FigureSection(
            id: "best", title: "Best settings", text: text,
            remarks: remarks.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }, tables: tables)
    }

    private var front: FigureSection {
        let shown = result.candidates.filter { candidate in
            candidate.number == 0 || candidate.number == result.winner || candidate.isOnFront
        }
        let rows = shown.compactMap { candidate -> [String]? in
            guard let objectives = candidate.rungs.last else { return nil }
            let origin = (candidate.number == result.winner ? "best, " : "") + candidate.origin.rawValue
            return [
                "\(candidate.number) (\(origin))", Self.percent(objectives.recall),
                "\(NumberText.fixed(objectives.medianMilliseconds, digits: 1)) ms",
                NumberText.optional(objectives.megabytesPerHour) { NumberText.significant($0, digits: 3) },
            ] + result.searched.map { $0.text(of: candidate.settings[$0.name] ?? $0.standard) }
        }
        return FigureSection(
            id: "front", title: "Recall and cost",
            text:
                "The start, the best, and every candidate that no other within the limits beats in "
                + (result.goals.wanted.count > 1
                    ? "\(result.goals.wanted.map(\.rawValue).joined(separator: ", "))."
                    : "recall, time and size.")
                + " The time is the median processor time of a query that was not asked before. It differs from run to "
                + "run, and so may the list.",
            tables: [
                FigureTable(
                    "Front",
                    columns: ["candidate", "recall", "time", "MB an hour"] + result.searched.map(\.name),
                    rows: rows)
            ])
    }

    private var conditions: FigureSection? {
        guard let check = result.heldOut, check.conditions.count > 1 else { return nil }
        let changes = check.conditions.map { ($0, $0.found - $0.foundAtStart) }.sorted {
            abs($0.1) > abs($1.1)
        }
        let rows = changes.map { one, change in
            [
                one.name, "\(one.positives)", "\(one.foundAtStart)", "\(one.found)",
                change > 0 ? "+\(change)" : "\(change)",
            ]
        }
        return FigureSection(
            id: "conditions", title: "Conditions won and lost",
            text:
                "Queries found on the held-out half by the start and by the best settings, the greatest change first.",
            tables: [
                FigureTable(
                    "Conditions", columns: ["condition", "queries", "start", "best", "change"], rows: rows)
            ])
    }

    private var importance: FigureSection? {
        guard !result.importance.isEmpty else { return nil }
        let charts = result.importance.compactMap { one -> LineChart? in
            guard let setting = result.searched.first(where: { $0.name == one.name }), one.curve.count > 1
            else {
                return nil
            }
            let points = one.curve.map { LineChart.Point(x: $0.value, y: $0.recall * 100) }
            let ticks = setting.choices.map {
                $0.enumerated().map { LineChart.Tick(at: Double($0), label: $1) }
            }
            return LineChart(
                id: "importance-\(one.name.replacing(".", with: "-"))",
                title: "\(one.name), \(Self.percent(one.share))", caption: setting.summary,
                xAxis: one.name, yAxis: "mean recall, %",
                xScale: setting.scale == .logarithmic ? .logarithmic : .linear, xTicks: ticks,
                legend: .none, series: [.init(name: one.name, points: points)])
        }
        return FigureSection(
            id: "importance", title: "Importance",
            text:
                "The share of the variance in rank between evenly spread candidates that one setting explains alone. Each "
                + "curve is their mean recall on the first \(result.rungTrials[0].text("trial", "trials")).",
            layout: "multiples", charts: charts,
            tables: [
                FigureTable(
                    "Importance", columns: ["setting", "share"],
                    rows: result.importance.map { [$0.name, Self.percent($0.share)] })
            ])
    }

    private var remarks: [String] {
        result.isIndifferent
            ? ["All settings gave the same figures. The matcher may not use what it is given."] : []
    }

    /// The candidates that failed, by their errors.
    private var failures: [String] {
        let failed = Dictionary(
            grouping: result.candidates.filter { $0.failure != nil }, by: { $0.failure ?? "" })
        return failed.sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }.prefix(10).map {
            error, candidates in
            "\(candidates.count.text("candidate", "candidates")) failed, as "
                + "\(result.choices(in: candidates[0].settings).joined(separator: " ")): \(error)"
        }
    }

    /// How much the choice of the best flatters.
    private var flattery: String? {
        result.gains.map { gains in
            "gain over the start: \(NumberText.points(gains.searched)) points on the searched half, "
                + "\(NumberText.points(gains.heldOut)) held out: the choice of the best of "
                + "\(result.candidates.count) flatters by \(NumberText.points(gains.searched - gains.heldOut))"
        }
    }

    private var condition: String { Self.condition(result.goals) }

    private static func condition(_ goals: TuningGoals) -> String {
        guard let share = goals.falseAcceptShare else { return "at 0 false accepts" }
        return "at \(NumberText.significant(100 * share, digits: 3)) % false accepts at most"
    }

    /// What the negatives show of the limit of false accepts.
    private static func evidence(_ result: TuningResult) -> [String] {
        guard let evidence = result.evidence else { return [] }
        let (accepted, bound) = (
            evidence.falseAccepts, NumberText.significant(100 * evidence.bound, digits: 3)
        )
        let wanted = NumberText.significant(100 * evidence.wanted, digits: 3)
        let found =
            "At the threshold \(accepted.successes) of \(accepted.trials) negatives of "
            + "\(accepted.clusters.text("recording")) are accepted; as many others exceed \(bound) % with a probability of 5 %"
        return evidence.isShown
            ? ["\(found). The limit is \(wanted) %."]
            : [
                "\(found), so the limit of \(wanted) % is not shown. That takes "
                    + "\(Int(evidence.negativesNeeded).text) negatives of as many recordings, if none is accepted."
            ]
    }

    /// Whether the limits hold on the held-out half.
    private static func limits(_ check: HeldOutCheck, _ goals: TuningGoals) -> [String] {
        goals.limits.map { limit in
            let value =
                limit.figure == .falseAccepts
                ? check.carried.falseAccepts.rate : check.chosen.value(of: limit.figure)
            let holds = value.map { $0 <= limit.most } ?? false
            return "limit \(limit.figure.rawValue) \(NumberText.significant(limit.most, digits: 3)): "
                + "\(NumberText.optional(value) { NumberText.significant($0, digits: 3) }) held out, "
                + (holds ? "kept" : "not kept")
        }
    }

    private static func costs(_ objectives: Objectives) -> [String] {
        ["\(NumberText.fixed(objectives.medianMilliseconds, digits: 1)) ms a query"]
            + [objectives.megabytesPerHour.map { "\(NumberText.significant($0, digits: 3)) MB an hour" }]
            .compactMap(\.self)
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

    private static func percent(_ share: Double) -> String { "\(NumberText.fixed(100 * share, digits: 1)) %" }
}
