// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation
import Foundation
import Matchers
import Metrics
import Studies

package struct ArenaReport: Report {
    private let model: ArenaModel

    package init(_ model: ArenaModel) {
        self.model = model
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("leaderboard.csv", ArenaTables.everything, model.standings),
            ReportFile("leaderboard.md", ArenaText.markdown(model)),
            ReportFile("leaderboard.tex", ArenaText.latex(model)),
            ReportFile("cells.csv", ArenaTables.cell, ArenaTables.cells(model)),
            ReportFile("pairs.csv", ArenaTables.pairs(model), model.pairs),
            ReportFile("alone.csv", ArenaTables.lone(model), model.lone),
            ReportFile("arena.html", try page.html(charts: charts)),
        ]
    }

    /// The leaderboard for a terminal.
    package var summary: String {
        model.standings.map { standing in
            let score = standing.model.overall
            return "\(standing.name): recall \(standing.recall.text) "
                + "(\(standing.recall.range)) at 1 % false accepts, "
                + "\(score.recall.text) at its own threshold with \(score.falseAcceptRate.text) "
                + "false accepts, \(score.errors.text) errors"
        }.joined(separator: "\n").replacing(NumberText.blank, with: " ")
    }

    private var provenance: Provenance {
        var provenance = model.standings[0].model.facts.provenance
        let contestants = model.standings.map { standing in
            let matcher = standing.model.facts.matcher
            return (standing.name, "\(matcher.name) \(matcher.version) (\(ArenaText.settings(standing)))")
        }
        provenance.matcher = .init(
            name: "\(model.standings.count) contestants", version: "",
            settings: Dictionary(contestants, uniquingKeysWith: { first, _ in first }),
            digest: model.standings.map { "\($0.name) \($0.model.facts.matcher.digest)" }
                .joined(separator: ", "),
            codeDigest: model.standings.map { "\($0.name) \($0.model.facts.matcher.codeDigest ?? "none")" }
                .joined(separator: ", "))
        provenance.request.matcher = .init(name: model.standings.map(\.name).joined(separator: " and "))
        provenance.startedAt = model.standings.map(\.model.facts.startedAt).min() ?? ""
        provenance.cachedAnswers = model.standings.compactMap(\.model.facts.cachedAnswers).reduce(0, +)
        let commits = Set(model.standings.compactMap(\.model.facts.cacheCommits).joined()).sorted()
        provenance.cacheCommits = commits.isEmpty ? nil : commits
        return provenance
    }

    private var page: FigurePage {
        let facts = model.standings[0].model.facts
        let counts = model.standings[0].model.overall.outcomes
        return FigurePage(
            title: "\(model.standings.count) matchers on \(facts.corpusName)", verdict: verdict,
            scope: "\(counts.positives.text) positive and \(counts.negatives.text) negative "
                + "queries of plan \(facts.planName), the same for all, against "
                + "\(facts.referenceCount.text("reference")) of "
                + "\(NumberText.seconds(facts.referenceSeconds)) in all.",
            sections: [leaderboard, groups, figures, prices, severities, pairs, finds],
            notes: failures,
            provenance: ProvenanceContent(provenance),
            files:
                "leaderboard.csv holds every figure, leaderboard.tex the main ones as a table of LaTeX, cells.csv every "
                + "condition, pairs.csv every pair of contestants and alone.csv the queries that only one contestant "
                + "finds. Each contestant’s folder holds its report."
        )
    }

    private var verdict: String {
        let best = model.standings[0]
        let recalls = model.standings.map { $0.recall(at: model.falseAcceptRate) }
        let recall = recalls[0].text
        let interval = recalls[0].range
        let place = "at \(ArenaText.rate(model)) false accepts"
        guard let next = model.standings.dropFirst().first,
            let pair = model.pairs.first(where: { $0.first == 0 && $0.second == 1 })
        else { return "\(best.name) finds \(recall) (\(interval)) \(place)." }
        let other = recalls[1].text
        if pair.probability < 0.05 {
            return "\(best.name) finds most \(place): \(recall) (\(interval)). "
                + "\(next.name) comes second with \(other)."
        }
        return "\(best.name) and \(next.name) tie at "
            + (recall == other ? recall : "\(recall) and \(other)") + " \(place)."
    }

    /// What the reader has to know before the ranks.
    private var failures: [String] {
        model.failures.map { "\($0.name) could not be measured: \($0.message)" }
            + model.standings.flatMap { standing in
                ((standing.model.facts.memoryCheck?.warnings ?? []) + standing.model.trialRemarks)
                    .map { "\(standing.name): \($0)" }
            }
    }

    private var notes: [String] {
        let silent =
            model.failedNegatives == 0
            ? []
            : [
                "\(model.failedNegatives.text("negative")) on which a contestant failed "
                    + "set no threshold of any."
            ]
        let censored = model.standings.filter(\.isCensored).map { standing in
            "\(standing.name) names candidates for fewer than 1 % of the negatives. "
                + "So its recall at 1 % false accepts is unknown. Pairs are compared at "
                + "\(ArenaText.rate(model)), which every contestant reaches."
        }
        let checks = model.standings.compactMap { standing in
            standing.model.facts.memoryCheck.map { "\(standing.name): \($0.finding)" }
        }
        return checks + silent + censored + model.standings[0].model.facts.notes + pooled + [
            "A built-in matcher gets the samples, an external program gets them as 16-bit WAV files.",
            "Processor time of a program counts all its processes. The time of ended processes has ticks of 10 ms.",
        ]
    }

    /// What the waveforms say of answers that the classes of the corpus call wrong.
    private var pooled: [String] {
        guard let pooled = model.pooled, pooled.pairs > 0 else { return [] }
        let compared =
            "The wrong answers of all contestants name \(pooled.pairs.text("pair")) of recordings. "
            + "Their waveforms were compared at the named places. "
        guard !pooled.findings.isEmpty else { return [compared + "None agrees."] }
        let pairs = pooled.findings.prefix(8).map { finding in
            "\(finding.source) at \(NumberText.fixed(finding.sourceSeconds, digits: 1)) s and "
                + "\(finding.reference) at \(NumberText.fixed(finding.referenceSeconds, digits: 1)) s "
                + "(\(NumberText.fixed(finding.correlation, digits: 2)))"
        }
        return [
            compared + "These agree, with a correlation of 0.8 or more, and should be one class: "
                + pairs.joined(separator: "; ")
                + (pooled.findings.count > 8 ? "; and \(pooled.findings.count - 8) more." : ".")
        ]
    }

    private var leaderboard: FigureSection {
        FigureSection(
            id: "leaderboard", title: "Leaderboard",
            text:
                "Recall at \(ArenaText.rate(model)) false accepts with its 95 % interval, on an axis from 0 to 100 %. "
                + ArenaText.rankNote(model),
            bars: model.standings.map(bar),
            folds: [
                FigureFold(
                    summary: "How the queries were made and measured (\(notes.count.text("note")))",
                    notes: notes)
            ])
    }

    private func bar(_ standing: ArenaStanding) -> FigureBar {
        let recall = standing.recall(at: model.falseAcceptRate)
        let details = [
            ("rank", ArenaTables.rank(standing)),
            ("at 0 false accepts", standing.recallAtZeroFalseAccepts.text),
            ("offset error", NumberText.seconds(standing.model.overall.offsetError?.medianAbsolute)),
            ("CPU of a found query", NumberText.milliseconds(standing.processor.found?.median)),
        ].filter { $0.1 != NumberText.missing }
        return FigureBar(
            standing.name, recall, detail: details.map { "\($0.0) \($0.1)" }.joined(separator: " · "))
    }

    private var figures: FigureSection {
        FigureSection(
            id: "figures", title: "Figures",
            text:
                "FA are false accepts. Thresholds for 1 % and 0 FA are fitted on the negatives of this run, for all "
                + "contestants alike. Errors are median / 95th percentile of right answers at the matcher's own "
                + "threshold, to the nearest place that sounds the same; strict errors are to the true place. Within "
                + "10 and 100 ms are shares of all positives. Failures count as missed; recall of answered leaves them out.",
            tables: ArenaTables.leaderboard(model).map {
                FigureTable($0.caption, $0.columns, rows: model.standings)
            })
    }

    /// Recall against cost, one point for each contestant.
    private var prices: FigureSection {
        func chart(_ id: String, _ title: String, _ axis: String, _ price: (ArenaStanding) -> Double?)
            -> LineChart
        {
            let series = model.standings.compactMap { standing -> LineChart.Series? in
                guard let price = price(standing), price > 0,
                    let point = LineChart.Point(x: price, percent: standing.recall)
                else { return nil }
                return LineChart.Series(name: standing.name, points: [point])
            }
            return LineChart(
                id: id, title: title, caption: "At 1 % false accepts. Up and to the left is better.",
                xAxis: axis, yAxis: "recall, %", xScale: .logarithmic, most: 100, series: series)
        }
        return FigureSection(
            id: "prices", title: "Recall against cost",
            text: model.standings.count > 1
                ? "The tables above hold the same figures."
                : "One contestant alone has nothing to stand against.",
            charts: [
                chart("price-time", "Processor time", "mean ms an unknown query") {
                    $0.processor.unknown?.mean
                },
                chart("price-index", "Index", "MB an hour of references") {
                    $0.model.indexBytesPerHour.map { $0 / 1e6 }
                },
            ].filter { $0.series.count > 1 })
    }

    /// Recall over the severities of every family that has at least three.
    private var severities: FigureSection {
        let cells = model.standings[0].model.cells.filter { $0.score.outcomes.positives > 0 }
        let families = cells.grouped(by: \.key.degradation)
        let charts = zip(families.indices, families).compactMap { number, family -> LineChart? in
            let members = family.elements
            let isLength = Set(members.map(\.key.lengthSeconds)).count == members.count && members.count > 1
            func x(_ cell: CellScore) -> Double? { isLength ? cell.key.lengthSeconds : cell.severityValue }
            guard Set(members.compactMap(x)).count == members.count, members.count >= 3 else { return nil }
            let series = model.standings.map { standing in
                let trials = Dictionary(grouping: standing.model.trials) { CellScore.Key($0.record) }
                let points = members.compactMap { cell -> LineChart.Point? in
                    guard let x = x(cell), let rate = standing.recall(of: trials[cell.key] ?? []).rate else {
                        return nil
                    }
                    return .init(x: x, y: rate * 100)
                }
                return LineChart.Series(name: standing.name, points: points.sorted { $0.x < $1.x })
            }
            let unit = members.lazy.compactMap { $0.key.severity.split(separator: " ").dropFirst().first }
                .first
            return LineChart(
                id: "family-\(number)", title: family.key, caption: "Right answers at 1 % false accepts.",
                xAxis: isLength ? "query length, s" : unit.map { "severity, \($0)" } ?? "severity",
                yAxis: "recall, %", most: 100, series: series)
        }
        return FigureSection(
            id: "severities", title: "By severity",
            text: charts.isEmpty
                ? "No family of this plan has three severities."
                : "Each contestant has its own threshold for 1 % false accepts over the whole run.",
            charts: charts)
    }

    private var groups: FigureSection {
        let groups = model.standings[0].model.groups
        func rows(_ figure: (ArenaStanding, ReportModel.GroupScore) -> Proportion) -> [ShadedRow] {
            groups.map { group in
                (
                    group.group.title,
                    model.standings.map { standing in
                        standing.model.groups.first { $0.group == group.group }
                            .map { figure(standing, $0) } ?? Proportion(clustered: [])
                    }
                )
            }
        }
        let recalls = rows { standing, group in
            let keys = Set(group.cells.map(\.key))
            return standing.recall(
                of: standing.model.trials.filter { keys.contains(CellScore.Key($0.record)) },
                at: model.falseAcceptRate)
        }
        let falseAccepts = FigureTable(
            "False accepts", columns: ["Conditions"] + model.standings.map(\.name), hasNamesInHead: true,
            rows: rows { $1.score.falseAcceptRate }.map { [$0.name] + $0.recalls.map(\.text) })
        return FigureSection(
            id: "groups", title: "By conditions",
            text:
                "Recall at \(ArenaText.rate(model)) false accepts, of every contestant over the same queries. "
                + "Darker is worse.",
            tables: [heat("Kinds of degradation", recalls)],
            folds: [
                FigureFold(summary: "Every condition", tables: [conditions]),
                FigureFold(
                    summary: "At the own thresholds",
                    tables: [heat("Recall", rows { $1.score.recall }), falseAccepts]),
            ])
    }

    private var conditions: FigureTable {
        let trials = model.standings.map { standing in
            Dictionary(grouping: standing.model.trials) { CellScore.Key($0.record) }
        }
        return heat(
            "Conditions",
            model.standings[0].model.cells.filter { $0.score.outcomes.positives > 0 }.map { cell in
                (
                    "\(cell.key.degradation) \(cell.key.severity)".trimmingCharacters(in: .whitespaces)
                        + ", \(NumberText.length(cell.key.lengthSeconds))",
                    zip(model.standings, trials).map { standing, trials in
                        standing.recall(of: trials[cell.key] ?? [], at: model.falseAcceptRate)
                    }
                )
            })
    }

    /// The recalls of all contestants under one name.
    private typealias ShadedRow = (name: String, recalls: [Proportion])

    private func heat(_ caption: String, _ rows: [ShadedRow]) -> FigureTable {
        var table = FigureTable(
            caption, columns: ["Conditions"] + model.standings.map(\.name), hasNamesInHead: true,
            rows: rows.map { [$0.name] })
        table.kind = "matrix"
        for (number, row) in rows.enumerated() {
            table.rows[number].cells = row.recalls.map {
                FigureTable.Cell($0.text, style: "number \(HeatStep.style(of: $0))")
            }
        }
        return table
    }

    private var pairs: FigureSection {
        FigureSection(
            id: "pairs", title: "Pairs",
            text:
                "Positives that only one of the two found, at \(ArenaText.rate(model)) false accepts each. The "
                + "difference is the second's recall minus the first's, with an interval by draws of recordings that find "
                + "both thresholds again. p is the largest of exact McNemar, sign flips by recording and these draws, with "
                + "Holm's correction over all pairs. A positive at which one failed with an error counts as missed by it.",
            tables: [FigureTable("Pairs", ArenaTables.pairs(model, isOneName: true), rows: model.pairs)])
    }

    private var finds: FigureSection {
        FigureSection(
            id: "alone", title: "Found by one contestant only",
            text:
                "Positives found at \(ArenaText.rate(model)) false accepts by every contestant, by none, and by "
                + "one only.",
            tables: [FigureTable("Found", ArenaTables.finds(model, all: "by all"), rows: model.finds)])
    }
}
