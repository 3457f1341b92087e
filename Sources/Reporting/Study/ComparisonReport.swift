// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation
import Metrics
import SystemIO

/// Two runs of the same trials side by side.
public struct ComparisonReport: Report {
    private let comparison: RunComparison
    private let names: [String]
    private let facts: [RunFacts]
    private let number: Int
    /// The addresses of the runs' own pages; empty where there is none.
    private let pages: [String]

    /// - Parameters:
    ///   - names: The folders of both runs.
    ///   - number: The number of the second run, a part of the names of the files.
    ///   - folder: The folder of the page, from which it links the pages of the runs.
    public init(
        _ comparison: RunComparison, names: [String], facts: [RunFacts], number: Int = 1,
        folder: String? = nil
    ) {
        self.comparison = comparison
        self.names = names
        self.facts = facts
        self.number = number
        pages = names.map { name in
            let page = URL(fileURLWithPath: name).appendingPathComponent("report.html")
            guard let folder, FileManager.default.fileExists(atPath: page.path) else { return "" }
            return PageAddress.relative(to: page, from: URL(fileURLWithPath: folder, isDirectory: true))
        }
    }

    /// Markdown and CSV, then the page.
    public func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("compare-\(number).md", markdown),
            ReportFile("compare-\(number).csv", Self.columns, rows),
            ReportFile("compare-\(number).html", try page.html(charts: charts)),
        ]
    }

    /// What changed, as aligned text.
    public var summary: String { summary(columns: nil) }

    /// What changed, as aligned text.
    ///
    /// - Parameter columns: the width of the lines, for which names of conditions are cut; nil cuts none.
    public func summary(columns: Int?) -> String {
        var lines = ["\(names[1]) against \(names[0])"]
        lines += TableText.aligned(
            zip(names, comparison.identities).map { name, run in
                [
                    "  " + name, "\(run.matcher) \(run.version)", run.plan, run.corpus,
                    ProvenanceContent.short(run.commit),
                ]
            })
        let heads = ["  trials", "n", "lost", "won", "recall, points", "p (Holm)"]
        var rows = ([overall] + changed.prefix(Self.mostRows)).map { cell in
            [
                "  " + cell.words, cell.positives.count.text, cell.positives.onlyBefore.text,
                cell.positives.onlyAfter.text, cell.difference.text, NumberText.probability(cell.probability),
            ]
        }
        if let columns {
            let figures = TableText.aligned(([heads] + rows).map { Array($0.dropFirst()) })
            let room = columns - 2 - (figures.map(\.count).max() ?? 0)
            for row in rows.indices { rows[row][0] = TableText.shortened(rows[row][0], to: room) }
        }
        lines += [""] + TableText.aligned([heads] + rows, flushRight: [1, 2, 3, 4, 5])
        let more = changed.count - Self.mostRows
        lines.append(
            "  \(unchanged)"
                + (more > 0 ? "; \(more.text) more differ" : ""))
        let negatives = overall.negatives
        lines.append(
            "  False accepts: \(negatives.onlyBefore.text) new, " + "\(negatives.onlyAfter.text) gone")
        if !reasons.isEmpty {
            var rows = reasons.map { ["  " + $0[0]] + $0.dropFirst() }
            if let columns {
                for row in rows.indices { rows[row][0] = TableText.shortened(rows[row][0], to: columns - 16) }
            }
            lines += [""] + TableText.aligned([["  reason", "lost", "won"]] + rows, flushRight: [1, 2])
        }
        return TableText.joined(lines)
    }

    /// Why the second run lost trials, and the first one those that the second won.
    private var reasons: [[String]] {
        comparison.losses.map { [$0.loss.words, $0.lost.text, $0.won.text] }
    }

    private var overall: CellComparison { comparison.compared.overall }
    private var changed: [CellComparison] { comparison.compared.mostChanged }

    private var unchanged: String {
        let count = comparison.compared.cells.count - changed.count
        return "\(count.text("condition has", "conditions have")) the same outcomes"
    }

    private static let mostRows = 15

    /// What changed, as Markdown.
    package var markdown: String {
        let runs = zip(names, comparison.identities).map { name, run in
            "- "
                + Markdown.escaped(
                    "\(name): \(run.matcher) \(run.version), plan \(run.plan), corpus \(run.corpus), "
                        + "commit \(run.commit)")
        }
        let changed = comparison.compared.cells.filter { $0.positives.isChanged || $0.negatives.isChanged }
        var lines = [Markdown.heading(1, "\(names[0]) against \(names[1])"), ""] + runs
        lines += [""] + Markdown.table(Self.columns, [overall] + changed)
        lines += ["", "\(zeroFalseAccepts) \(Self.zeroFalseAcceptMethod)"]
        let same = comparison.compared.cells.count - changed.count
        lines += ["", "\(same.counting("cell has", "cells have")) the same outcomes."]
        if !reasons.isEmpty {
            lines += ["", "## Why the one or the other run lost them", ""]
            lines += reasons.map { "- " + Markdown.escaped("\($0[0]): \($0[1]) lost, \($0[2]) won") }
        }
        for (name, trials) in sides {
            lines += ["", Markdown.heading(2, "Only \(name) got right: \(trials.count)"), ""]
            lines += trials.prefix(40).map { "- " + Markdown.escaped($0) }
            if trials.count > 40 { lines.append("- and \(trials.count - 40) more") }
        }
        lines += ["", "## The trials that differ most", ""]
        lines += comparison.mostDifferent.map { trial in
            let answers = (0..<2).map { Self.answer(trial, $0, trial.outcomes[$0].rawValue, Self.exact) }
            return "- " + Markdown.escaped("\(trial.trialID): \(answers[0]) → \(answers[1])")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var zeroFalseAccepts: String {
        let change = comparison.zeroFalseAccepts
        guard let difference = change.difference else { return "Recall at 0 false accepts needs positives." }
        let interval = change.interval.map { "\(NumberText.points($0)); " } ?? ""
        return "Recall at 0 false accepts differs by \(NumberText.points(difference)) points (\(interval)p "
            + "\(NumberText.probability(change.probability)))."
    }

    private static let zeroFalseAcceptMethod =
        "For recall at 0 false accepts recordings are drawn again and again, and each run has the threshold that it needs in each draw."

    /// The runs' folders without what is above them, where that tells them apart.
    private var titles: [String] {
        let last = names.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        return Set(last).count == names.count ? last : names
    }

    private var sides: [(name: String, trials: [String])] {
        Array(zip(names, [comparison.onlyFirst, comparison.onlySecond])).map { (name: $0.0, trials: $0.1) }
    }

    /// All trials, then each cell.
    private var rows: [CellComparison] { [overall] + comparison.compared.cells }

    private static var columns: [Table<CellComparison>.Column] {
        typealias Column = Table<CellComparison>.Column
        func count(_ name: String, _ head: String, _ count: @escaping (CellComparison) -> Int) -> [Column] {
            [Column(name, count: count), Column(head) { "\(count($0))" }]
        }
        return [Column("cell", head: "trials", text: \.words)]
            + count("positives", "positives", \.positives.count)
            + count("bothRight", "both", \.positives.both)
            + count("onlyFirstRight", "only first", \.positives.onlyBefore)
            + count("onlySecondRight", "only second", \.positives.onlyAfter)
            + count("neitherRight", "neither", \.positives.neither) + [
                Column("recall, points", for: \.difference.text),
                Column("recallDifference", number: \.difference.difference),
                Column("recallDifferenceLower", number: { $0.difference.interval()?.lower }),
                Column("recallDifferenceUpper", number: { $0.difference.interval()?.upper }),
                Column("probability", number: \.rawProbability),
                Column(
                    "probabilityHolm", head: "p (Holm)", as: NumberText.probability, number: \.probability),
                Column("negatives", count: \.negatives.count),
                Column("onlyFirstFalseAccept", count: \.negatives.onlyAfter),
            ] + count("onlySecondFalseAccept", "new false accepts", \.negatives.onlyBefore) + [
                Column("gone") { "\($0.negatives.onlyAfter)" }
            ]
    }

    private static func answer(
        _ trial: RunComparison.Changed, _ side: Int, _ outcome: String, _ number: (Double) -> String
    ) -> String {
        let best = trial.best[side].map { ", first \($0.referenceID) at \(number($0.score))" }
        let right = trial.rightScores[side].map { ", right at \(number($0))" }
        return outcome + (best ?? ", no candidate") + (right ?? "")
    }

    private static func exact(_ value: Double) -> String {
        // A matcher may give any score, also one that no Int holds.
        guard abs(value) < 1e15 else { return "\(value)" }
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    private var page: FigurePage {
        let overall = ChangeRow(self.overall, scale: 1)
        let identity = comparison.identities[0]
        return FigurePage(
            title: "\(titles[1]) against \(titles[0])",
            verdict:
                "Recall differs by \(overall.difference) points (\(overall.interval), p \(overall.probability)), "
                + Self.judgement(overall) + ". "
                + zeroFalseAccepts,
            scope:
                "\(overall.positives) positive and "
                + "\(self.overall.negatives.count.text) negative queries of plan "
                + "\(identity.plan) on \(identity.corpus), \(identity.half) half, the same in both runs.",
            tiles: tiles, sections: [runs, conditions, alone, trials],
            provenance: ProvenanceContent(facts.map(ProvenanceContent.init(run:)), names: names),
            files: "compare-\(number).csv and compare-\(number).md hold the same figures.")
    }

    /// The test asks about these queries, the interval about other recordings.
    private static func judgement(_ change: ChangeRow) -> String {
        guard change.isSure else { return "which chance can explain" }
        return change.isGeneral
            ? "which is more than chance"
            : "which is more than chance here; on other recordings it may not be so"
    }

    private var tiles: [Tile] {
        let pairs = overall.positives
        func recall(_ name: String, _ right: Int) -> Tile {
            let share = Proportion(right, of: pairs.count)
            return Tile("Recall of \(name)", share.text, [share.counts])
        }
        let row = ChangeRow(overall, scale: 1)
        return [
            recall(titles[0], pairs.both + pairs.onlyBefore), recall(titles[1], pairs.both + pairs.onlyAfter),
            Tile(
                "Difference", "\(row.difference)\(NumberText.blank)points",
                [row.interval, "p \(row.probability)"]),
            Tile("Trials lost", row.onlyFirst, ["\(row.onlySecond) won"]),
            Tile("New false accepts", row.newFalseAccepts, ["\(row.goneFalseAccepts) gone"]),
        ]
    }

    private var runs: FigureSection {
        let all = comparison.identities
        return FigureSection(
            id: "runs", title: "Runs", text: "Settings are those that differ.",
            tables: [
                FigureTable(
                    "The runs", columns: ["Run", "Matcher", "Commit", "Settings"],
                    styles: [1: "text", 2: "code", 3: "text"],
                    rows: zip(names, all).map { name, run in
                        let settings = run.settings.filter { key, value in
                            all.contains { $0.settings[key] != value }
                        }
                        return [
                            name, "\(run.matcher) \(run.version)", ProvenanceContent.short(run.commit),
                            settings.isEmpty
                                ? (run.settings.isEmpty ? "none" : "the same settings")
                                : ProvenanceContent.list(settings),
                        ]
                    })
            ])
    }

    private var conditions: FigureSection {
        return FigureSection(
            id: "conditions", title: "Conditions",
            text:
                "\(unchanged) in both runs. p is the larger of two paired tests, "
                + "exact McNemar and sign flips by recording, with Holm's correction over all conditions. "
                + "Differences with p below 5 % are bold. \(Self.zeroFalseAcceptMethod)",
            changes: ChangeRow.all(changed))
    }

    private var alone: FigureSection {
        FigureSection(
            id: "alone", title: "Right in one run only",
            text: "Open a line for the trials. The reasons are those of the run that lost them.",
            tables: reasons.isEmpty
                ? []
                : [
                    FigureTable(
                        "Reasons", columns: ["Reason", "Only \(titles[0]) right", "Only \(titles[1]) right"],
                        hasNamesInHead: true, rows: reasons)
                ],
            folds: sides.enumerated().map { side, one in
                FigureFold(
                    summary: "Only \(one.name) got right: \(one.trials.count.text)",
                    tables: one.trials.isEmpty
                        ? [] : [lone(Array(one.trials.prefix(Self.mostLone)), side: side)],
                    more: one.trials.count > Self.mostLone
                        ? "and \((one.trials.count - Self.mostLone).text) more" : "")
            })
    }

    private static let mostLone = 200

    private func lone(_ trials: [String], side: Int) -> FigureTable {
        linked(
            FigureTable(
                "Trials", columns: ["Trial", titles[0], titles[1]], hasNamesInHead: true,
                styles: [1: "text", 2: "text"],
                rows: trials.map { [$0] + (0..<2).map { $0 == side ? "right" : "not right" } }))
    }

    /// The table with links from the cells of both runs to the trial on the run's own page.
    private func linked(_ table: FigureTable) -> FigureTable {
        var table = table
        for row in table.rows.indices {
            for (side, page) in pages.enumerated() where !page.isEmpty {
                table.rows[row].cells[side].address = PageAddress.trial(table.rows[row].name, on: page)
            }
        }
        return table
    }

    private var trials: FigureSection {
        let rows = comparison.mostDifferent.map { trial in
            [trial.trialID]
                + (0..<2).map { side in
                    Self.answer(trial, side, trial.outcomes[side].title) {
                        NumberText.significant($0, digits: 3)
                    }
                }
        }
        return FigureSection(
            id: "trials", title: "Trials that differ most",
            text: rows.isEmpty
                ? "No trial differs." : "The best candidate and the right one, with their scores.",
            tables: [
                linked(
                    FigureTable(
                        "Trials that differ most", columns: ["Trial", "First", "Second"],
                        styles: [1: "text", 2: "text"], rows: rows))
            ].filter { !$0.rows.isEmpty })
    }
}

extension RunComparison.Loss {
    fileprivate var words: String {
        let cause =
            switch cause {
            case .error: "the matcher failed"
            case .noCandidate: "no candidate"
            case .absent: "the right reference is not among the candidates"
            case .outranked: "another reference scored higher"
            case .belowThreshold: "the right reference is below the threshold"
            }
        return cause + (part.map { "; it lacks most in \"\($0)\"" } ?? "")
    }
}
