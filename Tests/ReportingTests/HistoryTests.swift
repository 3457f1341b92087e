import AudioCore
import Evaluation
import Foundation
import Reporting
import Testing

/// Many runs in order, and where their figures change.
@Suite struct HistoryTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    /// Writes runs of the same trials, day by day; from run `change` on a third of the right answers is lost.
    private func write(runs: Int, change: Int, seed: UInt64 = 1) throws {
        for run in 0..<runs {
            var facts = SampleRun.facts
            facts.startedAt = "2026-10-\(String(format: "%02d", run + 1))T10:00:00Z"
            facts.seed = seed
            facts.panelDigest = "panel of seed \(seed)"
            facts.corpusName = "games <i>"
            facts.commit = "c0ffee\(run)"
            let records = SampleRun.records(positives: 3, negatives: 1).prefix(60).map { record in
                var record = record
                record.latency = .init(milliseconds: 5)
                if run >= change, record.trial.isPositive, record.trial.index % 3 == 0 {
                    record.candidates = []
                }
                return record
            }
            // Written in another order than they were made in.
            try ReportModel(records: records, facts: facts).write(
                to: "\(folder)/run-\((run * 7) % runs)-\(seed)", charts: nil)
        }
    }

    private func report() throws -> HistoryReport {
        HistoryReport(try HistoryRun.paths(under: folder).map(HistoryRun.init(path:)))
    }

    @Test func aLossIsFoundAtItsRun() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(runs: 10, change: 6)
        let report = try report()
        let lines = report.summary.split(separator: "\n")
        #expect(lines[0].hasSuffix("10 runs"))
        #expect(lines.contains { $0.hasPrefix("  run 7: recall ") })
        #expect(!lines.contains { $0.contains("false accepts") && !$0.contains("at 0") })

        let page = try String(
            contentsOfFile: try report.write(to: folder + "/out", charts: nil), encoding: .utf8)
        #expect(page.contains("games &lt;i&gt;") && !page.contains("games <i>") && !page.contains("{{"))
        #expect(page.contains("c0ffee6"))
        let table = ReadTable(try String(contentsOfFile: folder + "/out/history.csv", encoding: .utf8))
        let recall = table.rows.filter { $0["figure"] == "recall" }
        #expect(recall.map { $0["run"] } == (1...10).map { "\($0)" })
        #expect(recall.map { $0["commit"] } == (0..<10).map { "c0ffee\($0)" })
        #expect(recall.filter { $0["changes"] == "1" }.map { $0["run"] } == ["7"])
        #expect(Set(recall.prefix(6).map { $0["level"] }).count == 1)
    }

    /// A free fit that later runs state is not compared with the answered skew of the earlier ones.
    @Test func skewsOfOneKindAreInALine() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for run in 0..<10 {
            var facts = SampleRun.facts
            facts.startedAt = "2026-10-\(String(format: "%02d", run + 1))T10:00:00Z"
            let records = SampleRun.records(positives: 3, negatives: 1).map { record in
                var record = record
                guard let truth = record.truth?.frequencySkew, !record.candidates.isEmpty else {
                    return record
                }
                record.candidates[0].frequencySkew = truth + 0.001
                record.candidates[0].freeFrequencySkew = run < 6 ? nil : truth + 0.00001
                return record
            }
            try ReportModel(records: records, facts: facts).write(to: "\(folder)/\(run)", charts: nil)
        }
        let report = try report()
        #expect(!report.summary.contains("skew"), "\(report.summary)")
        _ = try report.write(to: folder + "/out", charts: nil)
        let table = ReadTable(try String(contentsOfFile: folder + "/out/history.csv", encoding: .utf8))
        let values = table.rows.filter { $0["figure"] == "frequency skew" }
            .compactMap { $0["value"].flatMap(Double.init) }
        #expect(values.count == 10 && values.allSatisfy { abs($0 - 0.1) < 1e-6 }, "\(values)")
    }

    @Test func aSiteNamesTheLossWithItsCommitAndHoldsThePagesOfTheRuns() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(runs: 20, change: 12)
        let site = HistorySite(try HistoryRun.paths(under: folder).map(HistoryRun.init(path:)))
        let line = try #require(
            site.summary.split(separator: "\n").first { $0.hasPrefix("  run 13: recall ") })
        #expect(line.hasSuffix(", worse since commit c0ffee12"))
        let index = try String(contentsOfFile: site.write(to: folder + "/site", charts: nil), encoding: .utf8)
        #expect(index.contains("for the worse: ") && index.contains(" since commit c0ffee12"))
        let links = index.matches(of: #/href="(runs/[^"]+/report.html)"/#).map { String($0.output.1) }
        #expect(Set(links).count == 20)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: "\(folder)/site/\(link)"), "\(link)")
        }
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: folder + "/site/history.json")))
        let panel = try #require((json as? [[String: Any]])?.first)
        let changes = try #require(panel["changes"] as? [[String: Any]])
        #expect(
            changes.contains { $0["figure"] as? String == "recall" && $0["commit"] as? String == "c0ffee12" })
        // A site may be written again; another folder is left alone.
        try HistorySite.requireSite(folder + "/site")
        try HistorySite.requireSite(folder + "/none")
        #expect(throws: HistoryError.self) { try HistorySite.requireSite(folder) }
    }

    @Test func equalRunsChangeNothing() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(runs: 9, change: 9)
        #expect(try report().summary.hasSuffix("no figure changes its level"))
    }

    @Test func runsOfDifferentTrialsAreSeparate() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(runs: 2, change: 2, seed: 1)
        try write(runs: 3, change: 3, seed: 2)
        let heads = try report().summary.split(separator: "\n").filter { !$0.hasPrefix("  ") }
        #expect(heads.map { $0.suffix(6) } == ["2 runs", "3 runs"])
        let page = try String(
            contentsOfFile: try report().write(to: folder + "/out", charts: nil), encoding: .utf8)
        #expect(page.contains("<bdi>run 1 of section 1, run 2 of section 1: 1; run 1 of section 2, "))
        #expect(
            !page.contains("Changes of level") && page.contains("Latency, found<small>ms, median</small>"))
    }

    @Test(arguments: [
        ("[1]", "a JSON object"), ("{", "a JSON object"),
        (#"{"schemaVersion": 6}"#, Release.newer), (#"{"schemaVersion": 4294967295}"#, Release.newer),
        (#"{"schemaVersion": 0}"#, "has format 0; Earshot \(Release.number) reads 1 to 5"),
        (#"{"schemaVersion": "3"}"#, "has no `schemaVersion`"),
        (#"{"schemaVersion": 3}"#, "`overall` is missing"),
        (#"{"schemaVersion": 3, "overall": 5}"#, "`overall` is no object"),
    ])
    func whatIsNoSummaryIsRefusedByName(text: String, message: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/summary.json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let error = try #require(throws: HistoryError.self) { try HistoryRun(path: path) }
        #expect(error.description.hasPrefix(path) && error.description.contains(message), "\(error)")
    }

    @Test func anEmptyFolderIsRefused() throws {
        #expect(throws: HistoryError.self) { try HistoryRun.paths(under: "/proc/self/fd") }
        #expect(throws: HistoryError.self) { try HistoryRun.paths(under: folder) }
    }
}
