import Evaluation
import Foundation
import Metrics
import Reporting
import TestSupport
import Testing

/// Several made-up contestants over the same trials: one, and two that lose every n-th of its answers.
@Suite struct ArenaReportTests {
    private static let records = SampleRun.records(positives: 4, negatives: 3)

    private static func standing(
        _ name: String, losing every: Int? = nil, panel: String = "p", of records: [TrialRecord] = records
    ) -> ArenaStanding {
        var facts = SampleRun.facts
        facts.matcher.name = name
        facts.panelDigest = panel
        facts.cost = .init(
            enrolProcessorSeconds: 100, peakMemoryBytes: 5_000_000, peakIncludesJudge: every == nil,
            restarts: 2)
        let records = records.map { record in
            var record = record
            if let every, record.trial.isPositive, record.trial.index % every == 0 {
                record.candidates = []
                record.error = record.trial.index % (2 * every) == 0 ? "it said <i>no</i>" : nil
            }
            if let latency = record.latency {
                record.latency = .init(
                    milliseconds: latency.milliseconds, processorMilliseconds: latency.milliseconds / 2)
            }
            return record
        }
        return ArenaStanding(
            name: name, records: records, facts: facts,
            commands: RunCommands(tryTrial: "", matcher: "--matcher x"))
    }

    private static let made = Result {
        try ArenaModel(
            [
                standing("third", losing: 3), standing("<b>first|", losing: nil),
                standing("second", losing: 7),
            ],
            failures: [.init(name: "gone", message: "<script>alert(1)</script>")])
    }

    @Test func atMostOneInAHundredNegativesIsAcceptedAtTheCommonThreshold() throws {
        let standing = Self.standing("a")
        let threshold = try #require(standing.threshold(at: 0.01))
        let negatives = standing.model.trials.filter { !$0.record.trial.isPositive && $0.outcome != nil }
        func accepted(_ limit: Double) -> Int { negatives.count { ($0.scores.wrongScore ?? -1) >= limit } }
        #expect(accepted(threshold) * 100 <= negatives.count)
        let lower = standing.model.trials.compactMap(\.scores.rightScore).filter { $0 < threshold }.max()
        #expect(accepted(try #require(lower)) * 100 > negatives.count, "no lower score would find more")
    }

    @Test func standingsAreSortedByRecall() throws {
        let model = try Self.made.get()
        #expect(model.standings.map(\.name) == ["<b>first|", "second", "third"])
        let rates = model.standings.compactMap(\.recall.rate)
        #expect(rates == rates.sorted(by: >) && Set(rates).count == 3)
        #expect(model.standings.map(\.model.overall.errors).first == 0)
    }

    @Test func ranksFollowRecallAndIdenticalContestantsShareThem() throws {
        let model = try Self.made.get()
        let ranks = try model.standings.map { try #require($0.rank) }
        #expect(ranks.map(\.rank) == [1, 2, 3])
        #expect(ranks.allSatisfy { $0.lower <= $0.rank && $0.rank <= $0.upper })
        let twins = try ArenaModel([
            Self.standing("a"), Self.standing("b"), Self.standing("lost", losing: 1),
        ])
        let shared = try twins.standings.map { try #require($0.rank) }
        #expect(shared[0] == shared[1] && shared[0].lower == 1 && shared[0].upper == 2)
        #expect(shared[2].rank == 3 && shared[2].lower == 3 && shared[2].upper == 3)
    }

    /// Without false accepts of its own, and without weaker candidates, only its recall at 0 is known.
    @Test func recallBeyondWhatAContestantNamesIsUnknown() throws {
        let silent = Self.records.map { record in
            var record = record
            record.candidates = record.trial.isPositive ? record.candidates.filter(\.isAccepted) : []
            return record
        }
        let censored = Self.standing("silent", losing: 3, of: silent)
        #expect(censored.isCensored && censored.reachableRate == 0 && censored.recall.rate == nil)
        #expect(censored.recall(at: 0).rate != nil)
        let other = Self.standing("other")
        #expect(!other.isCensored)
        let model = try ArenaModel([censored, other])
        #expect(model.falseAcceptRate == 0)
        #expect(
            model.pairs[0].positives.both + model.pairs[0].positives.onlyBefore
                == model.standings[0].recall(at: 0).successes)
        let folder = try TemporaryFolder()
        let page = try ArenaReport(model).write(to: folder.path)
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("silent names candidates for fewer"))
        let rows = ReadTable(try String(contentsOfFile: folder.file("leaderboard.csv"), encoding: .utf8)).rows
        let row = try #require(rows.first { $0["name"] == "silent" })
        #expect(row["isCensored"] == "true" && row["recallAt1PercentFalseAccepts"] == "")
    }

    /// One weaker candidate says nothing about the negatives.
    @Test func aWeakCandidateOnAPositiveRevealsNoThreshold() throws {
        var weak: [TrialRecord] = Self.records.map { record in
            var record = record
            record.candidates = record.trial.isPositive ? record.candidates.filter(\.isAccepted) : []
            return record
        }
        let place = try #require(weak.firstIndex { $0.trial.isPositive && !$0.candidates.isEmpty })
        weak[place].candidates[0].isAccepted = false
        #expect(Self.standing("weak", of: weak).isCensored)
    }

    @Test func failingOnTheHardNegativesDoesNotHelp() throws {
        let honest = Self.standing("honest")
        let threshold = try #require(
            honest.model.trials.compactMap { trial in
                trial.record.trial.isPositive ? nil : trial.scores.wrongScore
            }.max())
        let failing = Self.records.map { record in
            var record = record
            let hardest = record.candidates.map(\.score).max() ?? -.infinity
            if !record.trial.isPositive, hardest >= threshold {
                record.error = "it left"
                record.candidates = []
            }
            return record
        }
        let rival = Self.standing("rival", of: failing)
        #expect(rival.model.overall.outcomes.negativeError > 0)
        let model = try ArenaModel([honest, rival])
        #expect(model.failedNegatives == rival.model.overall.outcomes.negativeError)
        #expect(model.standings[0].recall == model.standings[1].recall)
        #expect(
            model.standings[0].recallAtZeroFalseAccepts == model.standings[1].recallAtZeroFalseAccepts)
        #expect(model.pairs[0].difference.difference == 0)
        let folder = try TemporaryFolder()
        let page = try ArenaReport(model).write(to: folder.path)
        #expect(
            try String(contentsOfFile: page, encoding: .utf8).contains("on which a contestant failed"))
    }

    @Test func pairsAndLoneFindsAddUp() throws {
        let model = try Self.made.get()
        #expect(model.pairs.map { [$0.first, $0.second] } == [[0, 1], [0, 2], [1, 2]])
        let positives = model.standings[0].recall.trials
        for pair in model.pairs {
            #expect(pair.positives.count == positives)
            let counts = [pair.first, pair.second].map { model.standings[$0].recall.successes }
            #expect(pair.positives.both + pair.positives.onlyBefore == counts[0])
            #expect(pair.positives.both + pair.positives.onlyAfter == counts[1])
            #expect(pair.probability >= 0 && pair.probability <= 1)
        }
        #expect(model.pairs[0].positives.onlyAfter == 0 && model.pairs[0].probability < 0.01)
        let whole = try #require(model.finds.last)
        for (count, parts) in [
            (whole.positives, model.finds.dropLast().map(\.positives)),
            (whole.all, model.finds.dropLast().map(\.all)),
            (whole.none, model.finds.dropLast().map(\.none)),
        ] { #expect(parts.reduce(0, +) == count) }
        #expect(
            whole.positives == positives && whole.alone[1] == 0 && whole.alone[2] == 0 && whole.alone[0] > 0)
        #expect(model.lone.count == whole.alone[0] && model.lone.allSatisfy { $0.standing == 0 })
        #expect(model.finds.count == 1 + Set(model.finds.dropLast().map(\.title)).count)
    }

    /// At known thresholds the second would lose most positives with a tiny p.
    @Test func oneRecordingThatSetsAThresholdIsNoEvidence() throws {
        let raised = Self.records.map { record in
            var record = record
            let isOne = record.sourceClass == Self.records.first { !$0.trial.isPositive }?.sourceClass
            if !record.trial.isPositive, isOne, !record.candidates.isEmpty {
                record.candidates[0].score = 1000
                record.candidates[0].isAccepted = true
            }
            return record
        }
        // Neither names weaker candidates, so they are compared at 0 false accepts.
        func strict(_ records: [TrialRecord]) -> [TrialRecord] {
            records.map { record in
                var record = record
                let isHigh = (record.candidates.first?.score ?? 0) >= 1000
                record.candidates =
                    record.trial.isPositive || isHigh ? record.candidates.filter(\.isAccepted) : []
                return record
            }
        }
        let model = try ArenaModel([
            Self.standing("whole", of: strict(Self.records)), Self.standing("raised", of: strict(raised)),
        ])
        let pair = try #require(model.pairs.first)
        #expect(model.standings[0].name == "whole" && pair.positives.onlyBefore > 20)
        #expect(pair.positives.exactProbability < 1e-6)
        #expect(pair.probability > 0.3)
        #expect(try #require(pair.fitted).upper >= 0)
    }

    @Test func anErrorIsNoPlainMiss() throws {
        let model = try Self.made.get()
        let third = try #require(model.standings.firstIndex { $0.name == "third" })
        let standing = model.standings[third]
        let failed = standing.model.trials.filter {
            $0.record.error != nil && $0.record.trial.isPositive && $0.outcome != nil
        }
        #expect(!failed.isEmpty && standing.positiveErrors == failed.count)
        #expect(standing.answeredRecall.trials == standing.recall.trials - failed.count)
        #expect(standing.answeredRecall.successes == standing.recall.successes)
        let pair = try #require(model.pairs.first { $0.first == 0 && $0.second == third })
        #expect(pair.errors == [0, failed.count])
        let ids = Set(failed.map(\.record.trial.id))
        for lone in model.lone { #expect(lone.failed.contains(third) == ids.contains(lone.trialID)) }
        #expect(model.lone.contains { $0.failed.contains(third) })
    }

    @Test func otherTrialsAreNotCompared() {
        #expect(throws: GateError.self) {
            try ArenaModel([Self.standing("a"), Self.standing("b", panel: "another")])
        }
        #expect(throws: GateError.self) { try ArenaModel([]) }
    }

    @Test func withoutNegativesThereIsNoLeaderboard() throws {
        let positives = Self.standing("a", of: Self.records.filter(\.trial.isPositive))
        let error = try #require(throws: GateError.self) { try ArenaModel([positives]) }
        #expect(error.description.contains("needs negatives"))
    }

    @Test func everyChartHasItsData() throws {
        let library = try #require(ChartLibrary.installed(), "Debian's libjs-chart.js is not installed")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let model = try Self.made.get()
        let page = try ArenaReport(model).write(to: folder, charts: library)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        let canvases = html.matches(of: #/<canvas id="([^"]+)" role="img" aria-label="([^"]+)"/#)
            .map { (id: String($0.output.1), words: String($0.output.2)) }
        let data = try #require(html.firstMatch(of: #/id="drawings">([^<]*)</script>/#)).output.1
        let drawings = try #require(
            try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [[String: Any]])
        #expect(drawings.compactMap { $0["id"] as? String } == canvases.map(\.id))
        #expect(canvases.map(\.id).prefix(2) == ["price-time", "price-index"] && canvases.count > 2)
        for (drawing, canvas) in zip(drawings, canvases) {
            let series = try #require(drawing["series"] as? [[String: Any]])
            #expect(series.compactMap { $0["name"] as? String } == model.standings.map(\.name))
            let points = series.map { ($0["points"] as? [[String: Any]]) ?? [] }
            if canvas.id.hasPrefix("price-") {
                #expect(points.map(\.count) == [1, 1, 1], "one point for each contestant")
                #expect(points.joined().allSatisfy { $0["lower"] as? Double != nil })
                #expect(!canvas.words.contains(": from"), "one point is said once: \(canvas.words)")
            } else {
                #expect(points.allSatisfy { $0.count >= 3 }, "\(canvas.id)")
            }
        }
    }

    /// The ranks stand before all text but what says that a contestant failed.
    @Test func thePageBeginsWithBarsAndShadesConditions() throws {
        let folder = try TemporaryFolder()
        let model = try Self.made.get()
        let page = try String(contentsOfFile: ArenaReport(model).write(to: folder.path), encoding: .utf8)
        let head = try #require(page.components(separatedBy: "<details").first)
        #expect(!head.contains("16-bit WAV files") && page.contains("16-bit WAV files"))
        let bars = head.matches(of: #/<tr><th scope="row">([^<]*)</th><td class="number"><b>([^<]*)</b>/#)
            .map { (name: String($0.output.1), rate: String($0.output.2)) }
        #expect(bars.map(\.name) == ["&lt;b&gt;first|", "second", "third"])
        for (bar, standing) in zip(bars, model.standings) {
            let percent = try #require(Double(bar.rate.prefix { $0 != "\u{A0}" }))
            #expect(abs(percent - 100 * (standing.recall.rate ?? 0)) < 0.06)
        }
        let matrix = try #require(page.firstMatch(of: #/<table class="matrix">(?s:.*?)</table>/#)).output
        let rows = model.standings[0].model.groups.count
        #expect(matrix.components(separatedBy: "<td class=\"number ").count == 1 + 3 * rows)
        #expect(matrix.contains("number heat0"))
    }

    @Test func filesHoldTheSameAndNothingInThemRuns() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let model = try Self.made.get()
        let report = ArenaReport(model)
        let page = try report.write(to: folder)
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        }
        let rows = ReadTable(try text("leaderboard.csv")).rows
        #expect(rows.map { $0["name"] } == ["<b>first|", "second", "third"])
        for (row, standing) in zip(rows, model.standings) {
            let rank = try #require(standing.rank)
            let cells = ["rank", "rankLower", "rankUpper"].map { row[$0] ?? "" }
            #expect(cells == [rank.rank, rank.lower, rank.upper].map { "\($0)" })
            #expect(row["recallAt1PercentFalseAccepts"] == standing.recall.rate.map { "\($0)" })
            #expect(row["errors"] == "\(standing.model.overall.errors)" && row["restarts"] == "2")
            #expect(row["enrolledAudioSecondsPerProcessorSecond"] == "158.4")
            #expect(row["peakMemoryIncludesJudge"] == (standing.name == "<b>first|" ? "true" : "false"))
        }
        #expect(ReadTable(try text("pairs.csv")).rows.count == 3)
        #expect(ReadTable(try text("alone.csv")).rows.count == model.lone.count)
        #expect(ReadTable(try text("cells.csv")).rows.count == 3 * model.standings[0].model.cells.count)
        let markdown = try text("leaderboard.md")
        #expect(markdown.contains(#"\<b\>first\|"#) && !markdown.contains("<script>"))
        let bars = markdown.split(separator: "\n").filter { $0.hasPrefix("| \\<b\\>first\\| | ") }
            .map { line in line.replacing("\\|", with: "").count { $0 == "|" } }
        #expect(bars == [11, 5, 8, 13, 10, 10], "no name makes a column of four tables and two pairs")
        let sections = markdown.components(separatedBy: "\n## ")
        let pairs = try #require(sections.first { $0.hasPrefix("Pairs") }).split(separator: "\n")
            .filter { $0.hasPrefix("| ") }
        #expect(pairs.count == 4 && pairs[0].contains("| difference, points |"))
        #expect(!pairs.dropFirst().contains { $0.contains("%") }, "a difference of percents is no percent")
        // Of LaTeX only a row of a table, whatever the names hold.
        let latex = try text("leaderboard.tex").split(separator: "\n").filter { $0.hasSuffix(#" \\"#) }
        #expect(latex.count == 4 && latex.allSatisfy { $0.matches(of: #/[^\\]&/#).count == 7 })
        #expect(latex[1].hasPrefix(#"\textless{}b\textgreater{}first\textbar{} & 1 ("#))
        #expect(latex[1].contains(#"~\% & "#) && !latex[1].contains("~%"))
        let html = try text("arena.html")
        #expect(
            page == "\(folder)/arena.html" && !html.contains("<script>alert") && !html.contains("<b>first"))
        #expect(html.contains("&lt;script&gt;alert(1)") && html.contains("it said &lt;i&gt;no"))
        for pattern in ["<link", "<img", "<iframe", " src=", "@import"] { #expect(!html.contains(pattern)) }
        let ids = html.matches(of: #/ id="([^"]+)"/#).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count && !html.contains("{{"))
        #expect(report.summary.split(separator: "\n").count == 3)
    }
}
