import AudioCore
import EarshotKit
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Reading and writing tables; `TableMistakeTests` has the invalid ones.
@Suite struct MediaItemTableTests {
    private func items(_ csv: String) throws -> [SHMediaItem] {
        try MediaItemTable(csv: Data(csv.utf8), name: "table.csv").items
    }

    /// A table is the same with any line ends, also where a cell holds one.
    @Test(arguments: ["\n", "\r\n", "\r"]) func lineEndsAreAlike(_ end: String) throws {
        let rows = ["title,artist", "a,b", "", "\"two\nlines\",c", "d,\"e\"", "f,g"]
        let found = try items(rows.joined(separator: end) + end)
        #expect(found.map(\.title) == ["a", "two\nlines", "d", "f"])
        #expect(found.map(\.artist) == ["b", "c", "e", "g"])
    }

    /// A value of any type, nested up to `depth`.
    private func value(_ random: inout SeededGenerator, depth: Int) -> MediaItem.Value {
        let texts = [
            "", " blanks ", "a,b", "say \"so\"", "two\nlines\r\n", "7", "true", "{", "é 𝄞\u{0}", "; ", "-0",
        ]
        let text = texts.randomElement(using: &random) ?? ""
        let numbers: [Double] = [0, -0.0, 1, 1.5, 1e300, 5e-324, -Double.infinity, 0.1]
        let number = numbers.randomElement(using: &random) ?? 0
        let bounds: [Double] = [number, Double.random(in: -9...9, using: &random)].sorted()
        switch Int.random(in: 0..<(depth > 0 ? 14 : 12), using: &random) {
        case 0: return .string(text)
        case 1: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: return .number(number)
        case 3: return .bool(Bool.random(using: &random))
        case 4: return .date(number)
        case 5: return .data((0..<5).map { _ in UInt8.random(in: 0...255, using: &random) })
        case 6: return .single(Float(number))
        case 7: return .url("https://example.org/\(Int.random(in: 0..<9, using: &random))")
        case 8: return .range(bounds[0], bounds[1])
        case 9: return .singleRange(Float(bounds[0]), Float(bounds[1]))
        case 10: return .integerRange(-3, Int64.random(in: -3...9, using: &random))
        case 11: return .instant(Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)))
        case 12: return .list((0..<3).map { _ in value(&random, depth: depth - 1) })
        default:
            let keys = ["$date", "a", "b c", "é"].prefix(Int.random(in: 0...4, using: &random))
            return .dictionary(keys.map { MediaItem.Property($0, value(&random, depth: depth - 1)) })
        }
    }

    @Test(arguments: 0..<40) func tablesRoundTrip(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let keys = [
            "title", "shazamID", "genres", "timeRanges", "frequencySkewRanges", "explicitContent",
            "creationDate",
            "webURL", "Title", "own", "own:text", "a,\"b\"", " blank ", "ISRC", "confidence",
        ]
        let items = (0..<8).map { _ in
            SHMediaItem(
                stored: MediaItem(
                    keys.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)).map {
                        MediaItem.Property($0, value(&random, depth: 3))
                    }))
        }
        let csv = MediaItemTable(items).csv
        #expect(try self.items(csv) == items, "\(csv)")
        #expect(try MediaItemTable(self.items(csv)).csv == csv)
    }

    @Test func everyBuiltInPropertyHasItsType() throws {
        let item = try #require(
            try items(
                """
                \u{FEFF}title,subtitle,artist,shazamID,ISRC,appleMusicID,webURL,appleMusicURL,artworkURL,videoURL,\
                explicitContent,genres,creationDate,timeRanges,frequencySkewRanges\r
                "A ""b"", c",s,a,0123,i,0456,http://a.example,http://b.example,http://c.example,http://d.example,\
                TRUE,Rock; Pop;,2022-06-09T10:00:00.5+02:00,14..<31; 1:00..<1:01:00.25;0..<inf,3%..<4%;-0.5..<-0.25\r

                """
            ).first)
        #expect(item.title == "A \"b\", c" && item.subtitle == "s" && item.artist == "a")
        #expect(item.shazamID == "0123" && item.isrc == "i" && item.appleMusicID == "0456")
        #expect(
            [item.webURL, item.appleMusicURL, item.artworkURL, item.videoURL].map { $0?.host }
                == ["a.example", "b.example", "c.example", "d.example"])
        #expect(item.explicitContent && item.genres == ["Rock", "Pop"])
        #expect(item.creationDate == Date(timeIntervalSince1970: 1_654_761_600.5))
        #expect(item.timeRanges == [14..<31, 60..<3660.25, 0..<Double.infinity])
        #expect(item.frequencySkewRanges == [0.03..<0.04, -0.5 ..< -0.25])
    }

    /// An entry of one list is all that a property needs: reading, writing, help and the article go by it.
    @Test(arguments: MediaItemTable.builtInNames) func oneListDeclaresABuiltInProperty(_ name: String) throws
    {
        let table = try MediaItemTable(csv: Data("\(name),zzz:text\n".utf8), name: "table.csv")
        #expect(table.warnings.isEmpty && (table.references != nil) == (name == "reference"))
        let lines = MediaItemTable.grammar.split(separator: "\n").filter { $0.hasPrefix("  - ") }
        let naming = lines.filter { line in
            let names = line.dropFirst(4).firstRange(of: "   ").map { line[..<$0.lowerBound].dropFirst(4) }
            return names?.split(separator: ", ").contains { $0 == name } ?? false
        }
        #expect(naming.count == 1, "\(naming)")
        let article = try String(
            contentsOfFile: PackageFolder.path + "/Sources/EarshotKit/EarshotKit.docc/MediaItemTables.md",
            encoding: .utf8)
        #expect(article.contains("`\(name)`"))
        let item = SHMediaItem(properties: [.init(name): "https://a.example", .init("a"): 1])
        #expect(MediaItemTable([item]).csv.hasPrefix(name))
    }

    @Test func customPropertiesHaveInferredOrDeclaredTypes() throws {
        let all = try items(
            """
            own,n:number,f:float,t:text,d:date,b:bool,i:integer,x:data,u:url,j:json
            7,1,0.1,7,2022-06-09,false,-1,AAEC,http://a.example,"{""a"":[1,2.5,true,""t""],""b"":{""$float"":""0.5""}}"
            -8,,,,,,,,,
            """)
        #expect(all.map { $0[SHMediaItemProperty("own")] as? Int } == [7, -8])
        let list = try #require(
            try items("own\n\"[1, {\"\"$date\"\":\"\"7.5\"\"}]\"\n")[0][SHMediaItemProperty("own")] as? [Any])
        #expect(list[0] as? Int == 1 && list[1] as? Date == Date(timeIntervalSinceReferenceDate: 7.5))
        let first = all[0]
        #expect(first[SHMediaItemProperty("n")] as? Double == 1)
        #expect(first[SHMediaItemProperty("f")] as? Float == 0.1)
        #expect(first[SHMediaItemProperty("t")] as? String == "7")
        #expect(first[SHMediaItemProperty("d")] as? Date == Date(timeIntervalSince1970: 1_654_732_800))
        #expect(first[SHMediaItemProperty("b")] as? Bool == false)
        #expect(first[SHMediaItemProperty("i")] as? Int == -1)
        #expect(first[SHMediaItemProperty("x")] as? Data == Data([0, 1, 2]))
        #expect((first[SHMediaItemProperty("u")] as? URL)?.host == "a.example")
        let json = try #require(first[SHMediaItemProperty("j")] as? [String: Any])
        #expect((json["a"] as? [Any])?.count == 4 && json["b"] as? Float == 0.5)
        #expect(all[1].stored.properties.count == 1)
    }

    /// The cells of a column without a type have one type, whatever their order, and a mixture is a warning.
    @Test(arguments: [
        (["128", "128.5"], "number"), (["128", "", "-7"], "integer"), (["1.50", "0.0"], "number"),
        (["true", "false"], "bool"), (["{}", "[1]"], "json"), (["007", "1e5"], "text"),
        (["128", "007"], nil),
        (["1.5", "true"], nil), (["[1]", "1"], nil), (["128", "128.5", "-"], nil),
    ])
    func columnsHaveOneType(cells: [String], type: String?) throws {
        for cells in [cells, cells.reversed()] {
            let csv = { header in ([header] + cells.map { "a,\"\($0)\"" }).joined(separator: "\n") }
            let table = try MediaItemTable(csv: Data(csv("title,own").utf8), name: "t.csv")
            #expect(try table.items == items(csv("title,own:\(type ?? "text")")))
            #expect(table.warnings.count == (type == nil ? 1 : 0))
            guard type == nil else { continue }
            #expect(table.warnings[0].hasPrefix("t.csv: line 3, column 3: ") || cells.count > 2)
            #expect(table.warnings[0].hasSuffix("write \"own:text\""))
        }
    }

    @Test func rangesOfAnotherTypeAreRefused() {
        #expect(throws: MediaItemTableError.self) { try items("timeRanges:text\n1..<2\n") }
    }

    /// Halfwidth katakana begin with the first byte of a byte order mark.
    @Test func aHeaderMayBeginWithAnyLetter() throws {
        let item = try #require(try items("\u{FF80}\u{FF72},title\n7,a\n").first)
        #expect(item[SHMediaItemProperty("\u{FF80}\u{FF72}")] as? Int == 7 && item.title == "a")
    }

    @Test func anyLineEndIsReadAndEmptyLinesAreSkipped() throws {
        for end in ["\n", "\r\n"] {
            let csv = ["", "title,artist", "", "a,b", "", "\"c\(end)d\",", "\"\",\"\""].joined(separator: end)
            for last in ["", end, end + end] {
                let read = try items(csv + last)
                #expect(read.map(\.title) == ["a", "c\(end)d", nil])
                #expect(read.map(\.artist) == ["b", nil, nil])
            }
        }
        #expect(try items("title\n").isEmpty)
        #expect(try items("title\n\"\"\n").count == 1)
        #expect(MediaItemTable([]).csv == "title\n")
        #expect(MediaItemTable([SHMediaItem(properties: [:])]).csv == "title\n\"\"\n")
    }

    @Test func unreadableTablesAreNotWritten() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("t.csv")
        let many = (0..<5000).map { MediaItem.Property("own \($0)", .bool(true)) }
        for (properties, reason) in [
            ([MediaItem.Property("", .integer(7))], "line 1, column 1: expected the name of a property"),
            (many, "expected at most 4096 cells in a row"),
        ] {
            let table = MediaItemTable([SHMediaItem(stored: MediaItem(properties))])
            let error = #expect(throws: MediaItemTableError.self) { try table.write(to: path) }
            #expect(error?.description.hasPrefix("\(path): ") == true)
            #expect(error?.description.contains(reason) == true, "\(error as Any)")
        }
        #expect(folder.names().isEmpty)
    }

    @Test func filesAreWrittenAtomically() throws {
        let folder = try TemporaryFolder()
        let table = MediaItemTable([SHMediaItem(properties: [.title: "one"])])
        try table.write(to: folder.file("t.csv"))
        #expect(try MediaItemTable(contentsOf: folder.file("t.csv")).items == table.items)
        #expect(folder.names() == ["t.csv"])
        #expect(throws: (any Error).self) { try table.write(to: folder.file("no/t.csv")) }
    }
}
