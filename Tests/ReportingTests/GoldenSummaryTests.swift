import Foundation
import Reporting
import TestSupport
import Testing

/// Summaries and tables that programs since 0.1.0 wrote.
@Suite struct GoldenSummaryTests {
    private static let golden = PackageFolder.path + "/Tests/EvaluationTests/Golden"
    private static let runs = ["run-3", "run-4", "run-5"]

    @Test func theHistoryReadsEachSummary() throws {
        let report = HistoryReport(
            try Self.runs.map { try HistoryRun(path: "\(Self.golden)/\($0)/summary.json") })
        // The oldest has other digests of its queries.
        let heads = report.summary.split(separator: "\n").filter { !$0.hasPrefix("  ") }
        #expect(heads.map { $0.suffix(6) } == ["2 runs", " 1 run"])
    }

    /// A table and a summary lose no column and no key.
    @Test(arguments: runs) func whatWasWrittenIsStillWritten(run: String) throws {
        for table in ["trials", "cells", "recordings"] {
            let text = try String(contentsOfFile: "\(Self.golden)/\(run)/\(table).csv", encoding: .utf8)
            let today = try #require(RunTable.all.first { $0.name == "\(table).csv" }).columns.map(\.name)
            #expect(Set(ReadTable(text).columns).subtracting(today) == [], "\(table)")
        }
        var facts = SampleRun.facts
        facts.stageSeconds = ["matching": 1]
        facts.stageTrialCount = 1
        let model = ReportModel(records: SampleRun.records(positives: 4, negatives: 2), facts: facts)
        let today = try JSONSerialization.jsonObject(with: Data(WrittenReport(model).summary.utf8))
        let golden = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: "\(Self.golden)/\(run)/summary.json")))
        func keys(_ value: Any?, _ part: String) -> Set<String> {
            let object = value as? [String: Any]
            return Set(((part.isEmpty ? object : object?[part] as? [String: Any]) ?? [:]).keys)
        }
        for part in ["", "overall", "cost"] {
            #expect(keys(golden, part).subtracting(keys(today, part)) == [], "\(part)")
        }
    }
}
