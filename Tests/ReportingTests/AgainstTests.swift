import Evaluation
import Foundation
import Reporting
import TestSupport
import Testing

/// What a report says of a baseline, and the page of a comparison.
@Suite struct AgainstTests {
    private static let facts: RunFacts = {
        var facts = SampleRun.facts
        facts.panelDigest = "one"
        return facts
    }()
    private static let records = SampleRun.records(positives: 12, negatives: 4)

    /// The sample run in which a condition finds nothing.
    private static func without(_ degradation: String) -> [TrialRecord] {
        records.map { record in
            var record = record
            if record.trial.cell.degradation == degradation, record.trial.isPositive {
                record.candidates = []
            }
            return record
        }
    }

    private static let lost = "pink noise"

    private static func rules() throws -> GateRules {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try """
        rules:
          - measure: recall
            noLossBeyond: 0.01
        """.write(toFile: path, atomically: true, encoding: .utf8)
        return try GateRules(path: path)
    }

    private static func against(_ records: [TrialRecord]) throws -> BaselineComparison {
        let before = try ScoredRun(records: Self.records, facts: facts, folder: "before")
        let now = try ScoredRun(records: records, facts: facts, folder: "now")
        return try BaselineComparison(now, baseline: Baseline(before), name: "main <i>", rules: rules())
    }

    private static func page(_ against: BaselineComparison?, _ records: [TrialRecord]) throws -> String {
        var model = ReportModel(records: records, facts: facts)
        model.against = against
        return try WrittenReport(model).markup
    }

    @Test func theFirstScreenShowsALoss() throws {
        let records = Self.without(Self.lost)
        let comparison = try Self.against(records)
        #expect(comparison.report.verdict == .fail)
        let page = try Self.page(comparison, records)
        #expect(page.contains("badge fail"))
        #expect(page.contains("Worse than allowed: <bdi>main &lt;i&gt;</bdi>") && !page.contains("main <i>"))
        let first = try #require(
            page.firstMatch(of: #/<table class="changes">[\s\S]*?<tbody>\s*<tr><th[^>]*><bdi>([^<]*)/#))
        #expect(first.output.1.hasPrefix(Self.lost))
    }

    @Test func changesComeFromTheCellsThatChangedAlone() throws {
        let changes = try Self.against(Self.without(Self.lost)).changes
        #expect(!changes.mostChanged.isEmpty)
        #expect(changes.mostChanged.allSatisfy { $0.words.hasPrefix(Self.lost) })
        let lost = changes.mostChanged.reduce(0) { $0 + $1.positives.onlyBefore }
        #expect(lost == changes.overall.positives.onlyBefore && lost > 0)
        #expect(changes.overall.positives.onlyAfter == 0)
    }

    @Test func theSameRunChangedNothing() throws {
        let page = try Self.page(try Self.against(Self.records), Self.records)
        #expect(page.contains("Every trial has the same outcome as in the baseline."))
        #expect(!page.contains("<table class=\"changes\">"))
    }

    @Test func thePreviousRunOfTheSameTrialsIsCompared() throws {
        let before = Self.without(Self.lost)
        func previous(_ change: (inout RunFacts) -> Void) throws -> PreviousRun? {
            var earlier = Self.facts
            earlier.startedAt = "2026-11-19T00:00:00Z"
            change(&earlier)
            return try PreviousRun(of: Self.records, Self.facts, among: [earlier], folder: "now") { _ in
                before
            }
        }
        var model = ReportModel(records: Self.records, facts: Self.facts)
        model.previous = try previous { _ in }
        let header = try #require(try WrittenReport(model).markup.components(separatedBy: "</header>").first)
        #expect(
            header.contains("Against the previous run")
                && header.contains(" 0 lost. Most changed: \(Self.lost)"))
        #expect(SummaryTable.brief(model).contains("Against the previous run"))
        #expect(try previous { $0.panelDigest = "two" } == nil)
        #expect(try previous { $0.seed += 1 } == nil)
        #expect(try previous { $0.startedAt = "2027-01-01T00:00:00Z" } == nil)
    }

    @Test func withoutABaselineThereIsNoComparison() throws {
        let page = try Self.page(nil, Self.records)
        #expect(!page.contains("id=\"against\""))
    }

    private static func report(_ comparison: RunComparison, names: [String] = ["a", "b"]) -> ComparisonReport
    {
        ComparisonReport(comparison, names: names, facts: [facts, facts])
    }

    private static func page(_ comparison: RunComparison, names: [String] = ["a", "b"]) throws -> String {
        try #require(report(comparison, names: names).files(charts: nil).last).text()
    }

    @Test func theComparisonPageIsWholeAndEscapes() throws {
        let comparison = try RunComparison(
            first: (Self.records, Self.facts, "a"), second: (Self.without(Self.lost), Self.facts, "b"))
        let page = try Self.page(comparison, names: ["a<script>", "b\"&'"])
        #expect(page.contains("a&lt;script&gt;") && !page.contains("<script") && !page.contains("{{"))
        #expect(page.contains("more than chance"))
        for pattern in ["<link", "<img", " src=", "@import", "url(", "http://", "https://"] {
            #expect(!page.contains(pattern), "\(pattern)")
        }
        let ids = page.matches(of: #/ id="([^"]+)"/#).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        for target in page.matches(of: #/href="#([^"]*)"/#) { #expect(ids.contains(String(target.output.1))) }
        for trial in comparison.onlyFirst.prefix(20) { #expect(page.contains(trial)) }
    }

    @Test func trialsOfAComparisonLeadToThePagesOfTheRuns() throws {
        let folder = try TemporaryFolder()
        let runs = [try folder.makeFolder("a: b#"), try folder.makeFolder("second")]
        try "page".write(toFile: runs[0] + "/report.html", atomically: true, encoding: .utf8)
        let comparison = try RunComparison(
            first: (Self.records, Self.facts, runs[0]), second: (Self.without(Self.lost), Self.facts, runs[1])
        )
        let report = ComparisonReport(
            comparison, names: runs, facts: [Self.facts, Self.facts], folder: folder.file("out/pages"))
        let page = try #require(report.files(charts: nil).last).text()
        let targets = Set(page.matches(of: #/href="([^"#][^"]*)"/#).map { String($0.output.1) })
        // The second run has no page.
        let expected = comparison.onlyFirst.prefix(200) + comparison.mostDifferent.map(\.trialID)
        #expect(!expected.isEmpty)
        #expect(
            targets
                == Set(
                    expected.map {
                        let name = $0.replacing("/", with: "%2F").replacing(" ", with: "%20")
                            .replacing("+", with: "%2B")
                        return "./../../a%3A%20b%23/report.html#trial=\(name)"
                    }))
    }

    @Test func aRunWithoutSettingsSharesNone() throws {
        var other = Self.facts
        other.matcher.settings = [:]
        let comparison = try RunComparison(
            first: (Self.records, Self.facts, "a"), second: (Self.records, other, "b"))
        let page = try Self.page(comparison)
        #expect(page.contains("<td class=\"text\">none</td>") && !page.contains("the same settings"))
    }

    /// Names come from plans and adapters, and their texts end in summaries and spreadsheets.
    @Test(arguments: [
        "=HYPERLINK(\"http://a\")", "@SUM(A1)", "-2+3+cmd|' /C calc'!A0", "<img src=x onerror=a>",
        "[a](http://a)",
    ])
    func namesAreNeitherMarkupNorFormulas(name: String) throws {
        func renamed(_ records: [TrialRecord]) -> [TrialRecord] {
            records.map { record in
                var record = record
                if record.trial.cell.degradation == Self.lost { record.trial.cell.degradation = name }
                return record
            }
        }
        let comparison = try RunComparison(
            first: (renamed(Self.records), Self.facts, name),
            second: (renamed(Self.without(Self.lost)), Self.facts, "b"))
        let report = Self.report(comparison, names: [name, "b"])
        let csv = try #require(report.files(charts: nil).first { $0.name.hasSuffix(".csv") }).text()
        for row in csv.split(separator: "\r\n") {
            let cell = row.trimmingPrefix("\"")
            #expect(!cell.hasPrefix("=") && !cell.hasPrefix("@") && !cell.hasPrefix("-"), "\(row)")
        }
        let markup = report.markdown.replacing("\\<", with: "").replacing("\\[", with: "")
        #expect(!markup.contains("<img") && !markup.contains("[a"), "\(markup)")
    }

    @Test func namesMakeNoColumns() throws {
        func renamed(_ records: [TrialRecord]) -> [TrialRecord] {
            records.map { record in
                var record = record
                if record.trial.cell.degradation == Self.lost { record.trial.cell.degradation = "a|b" }
                return record
            }
        }
        let comparison = try RunComparison(
            first: (renamed(Self.records), Self.facts, "a"),
            second: (renamed(Self.without(Self.lost)), Self.facts, "b"))
        let rows = Self.report(comparison).markdown.split(separator: "\n")
            .filter { $0.hasPrefix("| a") }
        #expect(rows.contains { $0.hasPrefix(#"| a\|b"#) })
        for row in rows { #expect(row.replacing(#"\|"#, with: "").count { $0 == "|" } == 11, "\(row)") }
    }

    @Test func theTerminalListsTheChangesInColumns() throws {
        let comparison = try RunComparison(
            first: (Self.records, Self.facts, "a"), second: (Self.without(Self.lost), Self.facts, "b"))
        let lines = Self.report(comparison).summary.split(separator: "\n")
        #expect(lines[0] == "b against a" && !lines.contains { $0.contains("|") })
        let head = try #require(lines.firstIndex { $0.hasPrefix("  trials ") })
        #expect(lines[head + 1].hasPrefix("  all trials ") && lines[head + 2].hasPrefix("  \(Self.lost)"))
        #expect(Set(lines[head...(head + 2)].map(\.count)).count == 1)
    }

    @Test func theReasonsOfLossesAreInEachForm() throws {
        let comparison = try RunComparison(
            first: (Self.records, Self.facts, "a"), second: (Self.without(Self.lost), Self.facts, "b"))
        #expect(!comparison.losses.isEmpty)
        let report = Self.report(comparison)
        let page = try Self.page(comparison)
        for (text, head) in [(report.summary, "  reason "), (report.markdown, "## Why"), (page, "Reasons")] {
            let found = try #require(text.range(of: head), "\(head)")
            #expect(text[found.upperBound...].contains("no candidate"))
        }
        let same = try RunComparison(
            first: (Self.records, Self.facts, "a"), second: (Self.records, Self.facts, "b"))
        #expect(!Self.report(same).summary.contains("reason"))
    }

    @Test func scoresMayBeOfAnySize() throws {
        let huge = Self.records.map { record in
            var record = record
            if !record.candidates.isEmpty { record.candidates[0].score = 1e300 }
            return record
        }
        let comparison = try RunComparison(
            first: (Self.records, Self.facts, "a"), second: (huge, Self.facts, "b"))
        let report = Self.report(comparison)
        #expect(report.markdown.contains(" at 1e+300"))
        #expect(try Self.page(comparison).contains(" at 1e+300"))
    }
}
