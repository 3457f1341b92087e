import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import TestSupport
import Testing

/// What tables say of their columns, and the article and the data of the wheel that are made from it.
@Suite struct ColumnsTests {
    private static let model = ReportModel(
        records: SampleRun.records(positives: 4, negatives: 2), facts: SampleRun.facts)

    @Test func everyColumnHasItsUnitAndMeaning() throws {
        let written = try WrittenReport(Self.model).tables
        #expect(Set(written.keys) == Set(RunTable.all.map(\.name)))
        for table in RunTable.all {
            let names = ReadTable(try #require(written[table.name])).columns
            #expect(names == table.columns.map(\.name), "\(table.name)")
            #expect(Set(names).count == names.count, "\(table.name) has a column twice")
            for column in table.columns {
                #expect(!column.unit.isEmpty && !column.meaning.isEmpty, "\(table.name) \(column.name)")
            }
        }
    }

    @Test func theArticleListsTheColumns() throws {
        try expect(Self.article(), in: "Sources/Reporting/Reporting.docc/Columns.md")
    }

    /// The wheel reads runs of programs that wrote no `columns.json`.
    @Test func theWheelHasTheColumns() throws {
        try expect(WrittenReport(Self.model).columns, in: "python/earshot_judge/columns.json")
    }

    /// `EARSHOT_RECORD=1` writes the file.
    private func expect(_ text: String, in file: String) throws {
        let path = PackageFolder.path + "/" + file
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    private static func article() throws -> String {
        var text = """
            # Columns of the tables

            What each column of the CSV files of a run means.

            ## Overview

            This article is made from the code: `EARSHOT_RECORD=1 swift test --filter ColumnsTests` writes it.

            Files are UTF-8 after RFC 4180, with CR LF line ends. An empty field is a missing value. Latency columns come
            last, so that the rest can be compared between runs byte by byte. `scripts/notebook.py` reads them with pandas.
            `columns.json` beside them has the tables below as data. The type of a column is `text`, `flag`, `integer` or `number`.

            The `schemaVersion` in `summary.json` is \(ReportModel.schemaVersion). A later version of Earshot still reads it.

            """
        let evidence =
            try Contestants.earshot.make().powers.examination.map { [EvidenceTable.described($0.values)] }
            ?? []
        for table in RunTable.all + evidence {
            text += "\n## \(table.name)\n\n\(table.rows)\n\n| column | unit | meaning |\n|---|---|---|\n"
            for column in table.columns {
                let meaning = column.meaning.replacing("|", with: "\\|")
                text += "| `\(column.name)` | \(column.unit) | \(meaning) |\n"
            }
        }
        return text
    }
}
