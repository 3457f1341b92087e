import AudioCore
import EarshotKit
import Foundation
import TestSupport
import Testing

/// Invalid tables and the positions of their errors.
@Suite struct TableMistakeTests {
    /// A text, the position of its error and part of the message.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let csv: String
        let line: Int
        let column: Int
        let reason: String

        init(_ csv: String, _ line: Int, _ column: Int, _ reason: String) {
            self.csv = csv
            self.line = line
            self.column = column
            self.reason = reason
        }

        var testDescription: String { reason }
    }

    static let mistakes = [
        Mistake("", 1, 1, "expected a header"), Mistake("\n\n", 1, 1, "expected a header"),
        // The header.
        Mistake("title,title\n", 1, 7, "each column once"),
        Mistake("title,title:text\n", 1, 7, "each column once"),
        Mistake("title,,artist\n", 1, 7, "the name of a property"),
        Mistake("title,Timeranges\n", 1, 7, "\"timeRanges\""),
        Mistake("title,isrc\n", 1, 7, "\"ISRC\""),
        Mistake("title,n:nummer\n", 1, 9, "a type after the colon: text, integer"),
        Mistake("title,:text\n", 1, 7, "before the colon"),
        Mistake("title;artist\na;b\n", 1, 6, "commas between the names"),
        Mistake("title\tartist\na\tb\n", 1, 6, "commas between the names"),
        Mistake("title|artist\na|b\n", 1, 6, "commas between the names"),
        Mistake("title\tartist,year\na,b\n", 1, 6, "a property without control characters"),
        Mistake("title,\"a\u{7}b:text\"\na,b\n", 1, 9, "a property without control characters"),
        Mistake("title\ra\r\"b\r\n", 3, 1, "the closing quote"),
        // Rows.
        Mistake("title,artist,genres\na,b\n", 2, 3, "the column \"genres\" is missing"),
        Mistake("title\n\"a\"\nb,c\n", 3, 3, "expected 1 cells as in the header, found 2"),
        Mistake("a,a:text\n7,7\n", 2, 3, "one cell per row for \"a\""),
        // Quotes.
        Mistake("title\na\"b\n", 2, 2, "no quote within a cell"),
        Mistake("title,artist\né,\"ab\n", 2, 3, "the closing quote"),
        Mistake("title,artist\n\"a\nb\"c,\n", 3, 3, "a comma or the end of the line"),
        // Ranges.
        Mistake("title,timeRanges\na,14..31\n", 2, 3, "a range such as 14..<31, found \"14..31\""),
        Mistake("title,timeRanges\na,\"1..<2; 31..<14\"\n", 2, 11, "end is not before its start"),
        Mistake("timeRanges\n1..<\n", 2, 1, "a range"), Mistake("timeRanges\n1..<nan\n", 2, 1, "a range"),
        Mistake("timeRanges\n1:60..<2:00\n", 2, 1, "a range"),
        Mistake("timeRanges\n1:2:3:4..<9:00:00\n", 2, 1, "a range"),
        Mistake("frequencySkewRanges\n0.01..<0.02;3%..<2%\n", 2, 13, "end is not before"),
        Mistake("frequencySkewRanges\n0.01-0.02\n", 2, 1, "a range"),
        // Other cells.
        Mistake("explicitContent\nyes\n", 2, 1, "true or false, found \"yes\""),
        Mistake("creationDate\n9.6.2022\n", 2, 1, "a date such as"),
        Mistake("creationDate\n2022-13-40\n", 2, 1, "a date such as"),
        Mistake("creationDate\n2023-02-30\n", 2, 1, "a date such as"),
        Mistake("creationDate\n2023-02-29T10:00:00.5Z\n", 2, 1, "a date such as"),
        Mistake("creationDate\n2023-02-28T24:30:00+01:00\n", 2, 1, "a date such as"),
        Mistake("creationDate\n2023-02-28T10:00:00+24:00\n", 2, 1, "a date such as"),
        Mistake("webURL\n\"http://[\"\n", 2, 2, "an address"),
        Mistake("i:integer\n1.5\n", 2, 1, "a whole number"),
        Mistake("i:integer\n9223372036854775808\n", 2, 1, "a whole number"),
        Mistake("n:number\nx\n", 2, 1, "a number"), Mistake("x:data\n?\n", 2, 1, "base 64"),
        Mistake("j:json\n{\n", 2, 1, "JSON"), Mistake("j:json\nnull\n", 2, 1, "JSON without null"),
        Mistake("j:json\n\"{\"\"$date\"\":1}\"\n", 2, 2, "a valid value of \"$date\""),
        Mistake("j:json\n\"{\"\"$range\"\":[\"\"2\"\",\"\"1\"\"]}\"\n", 2, 2, "\"$range\""),
        Mistake("title,reference\na,\n", 2, 3, "the reference of the row"),
        Mistake("own\n[Live]\n", 2, 1, "a column headed \"own:text\""),
        Mistake(
            "j:json\n" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40), 2, 1, "deep"),
        Mistake("j:json\n" + String(repeating: "[", count: 100_000), 2, 1, "JSON"),
    ]

    @Test(arguments: mistakes) func mistakesHaveAPosition(_ mistake: Mistake) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("table.csv")
        try Data(mistake.csv.utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: MediaItemTableError.self) { _ = try MediaItemTable(contentsOf: path) }
        #expect(
            error?.place?.line == mistake.line && error?.place?.column == mistake.column, "\(error as Any)")
        #expect(error?.reason.contains(mistake.reason) == true, "\(error as Any)")
        #expect(error?.description.hasPrefix("\(path): line \(mistake.line), column ") == true)
    }

    @Test(arguments: [("titel", "title"), ("artst", "artist"), ("genre", "genres"), ("web-URL", "webURL")])
    func aColumnThatIsNearlyABuiltInOneIsAWarning(column: String, builtIn: String) throws {
        func warnings(_ header: String) throws -> [String] {
            try MediaItemTable(csv: Data("mood,\(header)\n".utf8), name: "t.csv").warnings
        }
        let found = try warnings(column)
        #expect(found.count == 1 && found[0].hasPrefix("t.csv: line 1, column 6: \"\(column)\""), "\(found)")
        #expect(found[0].hasSuffix("write \"\(column):text\", else \"\(builtIn)\""), "\(found)")
        for header in ["\(column):text", builtIn, "season"] { #expect(try warnings(header).isEmpty) }
    }

    @Test func textOfAnotherEncodingIsRefused() {
        let error = #expect(throws: MediaItemTableError.self) {
            _ = try MediaItemTable(csv: Data([0x74, 0x0A, 0x61, 0x2C, 0xFF, 0x0A]), name: "latin.csv")
        }
        #expect(error?.description == "latin.csv: line 2, column 3: expected UTF-8 in this cell")
    }

    @Test func aRowOfTooManyCellsIsRefused() {
        let error = #expect(throws: MediaItemTableError.self) {
            _ = try MediaItemTable(csv: Data(repeating: UInt8(ascii: ","), count: 5000), name: "wide.csv")
        }
        #expect(error?.description == "wide.csv: line 1, column 4097: expected at most 4096 cells in a row")
    }

    @Test func missingFilesAndFoldersAreNamed() throws {
        let folder = try TemporaryFolder()
        for path in [folder.file("none.csv"), folder.path] {
            let error = #expect(throws: MediaItemTableError.self) { _ = try MediaItemTable(contentsOf: path) }
            #expect(error?.place == nil && error?.description.hasPrefix("\(path): cannot be read") == true)
        }
    }

    /// A line of 1 GB in a sparse file.
    @Test func aLineOfAGigabyteIsRefusedAtItsPosition() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("long.csv")
        try Data("title\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(truncate(path, 6 + 1 << 30) == 0)
        let error = #expect(throws: MediaItemTableError.self) { _ = try MediaItemTable(contentsOf: path) }
        #expect(
            error?.description == "\(path): line 2, column 16777218: expected rows of at most 16777216 bytes")
    }

    /// Arbitrary bytes either parse or throw.
    @Test(arguments: 0..<60) func arbitraryBytesParseOrThrow(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "title", ",", "\"", "\n", "\r", "..<", "1", ";", "{", "[", ":json", "é", "$date", " ",
            "timeRanges",
        ]
        for _ in 0..<200 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
                if Int.random(in: 0..<20, using: &random) == 0 {
                    bytes.append(.random(in: 0...255, using: &random))
                }
            }
            do {
                let items = try MediaItemTable(csv: Data(bytes), name: "t").items
                #expect(
                    try MediaItemTable(csv: Data(MediaItemTable(items).csv.utf8), name: "t").items == items)
            } catch {
                #expect(error is MediaItemTableError, "\(error)")
            }
        }
    }
}
