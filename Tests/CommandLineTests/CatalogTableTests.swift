import AudioCore
import AudioIO
import EarshotKit
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Media items from tables to catalogs and back, with the flags of `shazam`.
@Suite struct CatalogTableTests {
    private let folder: TemporaryFolder
    private let catalog: String

    private static let lessons = """
        title,timeRanges,frequencySkewRanges,question,payload:json,genres
        Lesson 1,,,,"{""answer"":42}",Rock; Pop
        ,14..<31; 1:00..<1:30.5,,1,,
        Chorus,,3%..<4%,,,

        """

    /// Signatures of three pieces, and a table of the first.
    init() throws {
        folder = try TemporaryFolder()
        catalog = folder.file("m.earcatalog")
        for name in ["one", "two", "three"] {
            let song = ScoreSong(seed: StableHash.of(name), seconds: 12)
            let signature = try SignatureExtractor.signature(of: song.render())
            try signature.write(to: folder.file(name + ".earsignature"))
        }
        try Data(Self.lessons.utf8).write(to: URL(fileURLWithPath: folder.file("one.csv")))
    }

    private func earshot(_ arguments: String..., status: Int32 = 0) throws -> EarshotProcess {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(words)")
        #expect(run.status == status, "\(arguments): \(run.errors)")
        return run
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    }

    private func items(_ reference: String, in name: String = "m.earcatalog") throws -> [SHMediaItem] {
        let opened = try CatalogFile.open(folder.file(name))
        let place = try #require(try opened.place(ofID: reference))
        return try opened.items(at: place)
    }

    @Test func theFlowOfTheManual() throws {
        _ = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "-m", "one.csv", "-o", "m.earcatalog")
        _ = try earshot(
            "custom-catalog", "update", "-i", "m.earcatalog", "-s", "two.earsignature", "-m", "one.csv", "-o",
            "more.earcatalog")
        _ = try earshot("custom-catalog", "update", "--input", "m.earcatalog", "-s", "three.earsignature")
        #expect(try CatalogFile.open(folder.file("more.earcatalog")).entries.map(\.id) == ["one", "two"])
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["one", "three"])
        let lesson = try items("one")
        #expect(lesson.map(\.title) == ["Lesson 1", nil, "Chorus"])
        #expect(lesson[0].genres == ["Rock", "Pop"] && lesson[1].timeRanges == [14..<31, 60..<90.5])
        #expect(lesson[2].frequencySkewRanges == [0.03..<0.04])
        #expect(lesson[1][SHMediaItemProperty("question")] as? Int == 1)
        #expect((lesson[0][SHMediaItemProperty("payload")] as? [String: Any])?["answer"] as? Int == 42)
        #expect(try items("two", in: "more.earcatalog").map(\.stored) == lesson.map(\.stored))
        #expect(try items("three").map(\.title) == ["three"])
    }

    /// One table of all songs, by identifiers and files.
    @Test func aTableMayBeOfSeveralReferences() throws {
        let table = "reference,title,year\none,First,1999\ntwo.earsignature,Second,2001\none,Coda,1999\n"
        try Data(table.utf8).write(to: URL(fileURLWithPath: folder.file("songs.csv")))
        _ = try earshot("custom-catalog", "create", "-s", ".", "-m", "songs.csv", "-o", "m.earcatalog")
        #expect(try items("one").map(\.title) == ["First", "Coda"])
        #expect(try items("two").map { $0[SHMediaItemProperty("year")] as? Int } == [2001])
        #expect(try items("two")[0][SHMediaItemProperty("reference")] as? String == nil)
        #expect(try items("three").map(\.title) == ["three"])
        // More items for references of a catalog.
        try Data("title,reference\nNew,three\nNewer,two\n".utf8)
            .write(to: URL(fileURLWithPath: folder.file("more.csv")))
        _ = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-m", "more.csv")
        #expect(try items("three").map(\.title) == ["three", "New"])
        #expect(try items("two").map(\.title) == ["Second", "Newer"])
        for (csv, reason) in [
            ("reference,title\nfour,a\n", "no source with the identifier or file \"four\"")
        ] {
            try Data(csv.utf8).write(to: URL(fileURLWithPath: folder.file("bad.csv")))
            let run = try earshot(
                "custom-catalog", "create", "-s", ".", "-m", "bad.csv", "-o", "no.earcatalog", status: 1)
            #expect(run.errors.contains(reason), "\(run.errors)")
        }
    }

    /// An episode a folder, each with files of the same names, added one after the other or together.
    @Test func equalFileNamesTakeTheFoldersName() throws {
        for (episode, name) in [("s1", "one"), ("s2", "two")] {
            try FileManager.default.createDirectory(
                atPath: folder.file(episode), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: folder.file(name + ".earsignature"),
                toPath: folder.file(episode + "/video.earsignature"))
            try Data("title\nEpisode \(episode)\n".utf8)
                .write(to: URL(fileURLWithPath: folder.file(episode + "/video.csv")))
        }
        let both = ["s1/video.earsignature", "s2/video.earsignature"]
        let tables = ["s1/video.csv", "s2/video.csv"]
        _ = try earshot(
            "custom-catalog", "create", "-s", both[0], both[1], "-m", tables[0], tables[1], "-o",
            "m.earcatalog")
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["s1/video", "s2/video"])
        #expect(try items("s2/video").map(\.title) == ["Episode s2"])
        _ = try earshot("custom-catalog", "create", "-s", both[0], "-m", tables[0], "-o", "m.earcatalog")
        let update = ["custom-catalog", "update", "-i", "m.earcatalog", "-s"]
        let run = try EarshotProcess(
            shell:
                "cd '\(folder.path)' && \"$EARSHOT\" \(update.joined(separator: " ")) \(both[1]) -m \(tables[1])"
        )
        #expect(run.status == 0 && run.errors.contains("has the identifier \"s2/video\""), "\(run.errors)")
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["video", "s2/video"])
        #expect(try items("s2/video").map(\.title) == ["Episode s2"])
        // The same recording again is still an error.
        _ = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-s", both[0], status: 1)
        _ = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-s", both[1], status: 1)
    }

    /// A recording without a table has the properties of its tags; a table replaces them.
    @Test func tagsBecomeProperties() throws {
        func frame(_ name: String, _ text: String) -> [UInt8] {
            Array(name.utf8) + [0, 0, 0, UInt8(text.utf8.count + 1), 0, 0, 3] + Array(text.utf8)
        }
        let frames =
            frame("TIT2", "Song № 1") + frame("TPE1", "Ms. Rivera") + frame("TALB", "Lessons")
            + frame("TCON", "(8)") + frame("TSRC", "DEA001")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let song = ScoreSong(seed: 1, seconds: 5).render()
        try AudioFile.write(song, to: folder.file("plain.wav"), as: wav)
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(frames.count >> 7), UInt8(frames.count & 0x7F)]
        try (Data(tag + frames) + bytes("plain.wav")).write(
            to: URL(fileURLWithPath: folder.file("tagged.wav")))
        _ = try earshot("custom-catalog", "create", "-s", "plain.wav", "tagged.wav", "-o", "m.earcatalog")
        let item = try items("tagged")[0]
        #expect(item.title == "Song № 1" && item.artist == "Ms. Rivera" && item.isrc == "DEA001")
        #expect(item.genres == ["Jazz"] && item[SHMediaItemProperty("album")] as? String == "Lessons")
        #expect(try items("plain").map(\.title) == ["plain"])
        try Data("title\nGiven\n".utf8).write(to: URL(fileURLWithPath: folder.file("tagged.csv")))
        _ = try earshot(
            "custom-catalog", "create", "-s", "tagged.wav", "-m", "tagged.csv", "-o", "t.earcatalog")
        let given = try items("tagged", in: "t.earcatalog")
        #expect(given.map(\.title) == ["Given"] && given[0].artist == nil)
    }

    @Test func resultsInFoldersKeepApplesExtensions() throws {
        try FileManager.default.copyItem(
            atPath: folder.file("one.earsignature"), toPath: folder.file("ep.shazamsignature"))
        _ = try FileManager.default.createDirectory(
            atPath: folder.file("out"), withIntermediateDirectories: true)
        _ = try earshot("custom-catalog", "create", "-s", "ep.shazamsignature", "-o", "out")
        _ = try earshot("custom-catalog", "export", "-i", "out/ep.shazamcatalog", "-o", "files")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("files")).sorted()
                == ["ep.csv", "ep.shazamsignature"])
        _ = try earshot(
            "custom-catalog", "update", "-i", "out/ep.shazamcatalog", "-s", "two.earsignature", "-o", ".")
        #expect(try CatalogFile.open(folder.file("ep.shazamcatalog")).entries.map(\.id) == ["ep", "two"])
    }

    @Test func matchShowsTheFirstTitleOfATable() throws {
        _ = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "-m", "one.csv", "-o", "m.earcatalog")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let query = ScoreSong(seed: StableHash.of("one"), seconds: 12).render(from: 3, seconds: 6)
        try AudioFile.write(query, to: folder.file("q.wav"), as: wav)
        let answer = try earshot("match", "--catalog", "m.earcatalog", "q.wav").output
        #expect(answer.contains("\"title\":\"Lesson 1\""), "\(answer)")
    }

    @Test func displayExportAndCreateGiveTheCatalogBack() throws {
        try FileManager.default.copyItem(atPath: folder.file("one.csv"), toPath: folder.file("three.csv"))
        _ = try earshot("custom-catalog", "create", "-s", ".", "-m", ".", "-o", "m.earcatalog")
        _ = try earshot("custom-catalog", "export", "-i", "m.earcatalog", "-o", "out/here")
        let files = [
            "one.csv", "one.earsignature", "three.csv", "three.earsignature", "two.csv", "two.earsignature",
        ]
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("out/here")).sorted() == files)
        #expect(try bytes("out/here/two.csv") == Data("title\ntwo\n".utf8))
        _ = try earshot(
            "custom-catalog", "create", "-s", "out/here", "-m", "out/here", "-o", "again.earcatalog")
        #expect(try bytes("again.earcatalog") == bytes("m.earcatalog"))
        for form in [[], ["--json"]] {
            let shown = try ["m", "again"].map { name in
                try EarshotProcess(
                    shell:
                        "\"$EARSHOT\" custom-catalog display -i '\(folder.file(name)).earcatalog' \(form.joined())"
                )
            }
            #expect(shown[0].output == shown[1].output && shown[0].output.contains("Chorus"))
        }
    }

    @Test("What steers a terminal is replaced in the table of a catalog")
    func displaySteersNoTerminal() throws {
        let hostile = "a\u{2066}b\u{202E}c\u{1B}[31m"
        try Data("title,genres\n\(hostile),\(hostile)\n".utf8)
            .write(to: URL(fileURLWithPath: folder.file("one.csv")))
        _ = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "-m", "one.csv", "-o", "m.earcatalog")
        let shown = try earshot("custom-catalog", "display", "-i", "m.earcatalog").output
        #expect(shown.components(separatedBy: "a\u{FFFD}b\u{FFFD}c\u{FFFD}[31m").count == 4, "\(shown)")
    }

    /// Identifiers with slashes, references of no item, and values that only JSON can hold, made by a program.
    @Test func catalogsOfProgramsComeBackToo() throws {
        let signature = try Signature(contentsOf: folder.file("one.earsignature"))
        let strange = SHMediaItem(properties: [
            .title: "", SHMediaItemProperty("when"): Date(timeIntervalSinceReferenceDate: 0.1),
            SHMediaItemProperty("$"): ["$date": [1, 2.0, Float(3), Data([1])]], .explicitContent: "maybe",
        ])
        try CatalogFile.write(
            [
                Reference(
                    id: "a/b c", mediaItem: try MediaItem(items: [strange, SHMediaItem(properties: [:])]),
                    signature: signature),
                Reference(id: "d.e", mediaItem: try MediaItem(items: []), signature: signature),
            ], to: catalog)
        _ = try earshot("custom-catalog", "export", "-i", "m.earcatalog", "-o", "out")
        _ = try earshot(
            "custom-catalog", "create", "-s", "out", "-m", "out", "--ids", "relative-path", "-o",
            "again.earcatalog")
        #expect(try bytes("again.earcatalog") == bytes("m.earcatalog"))
    }

    @Test(
        "A table with too many rows of a reference is refused at the row, and many references may share a table"
    )
    func rowsOfAReferenceAreBounded() throws {
        let rows = (0..<10_001).map { "one,\($0)\n" }.joined()
        try Data(("reference,title\ntwo,first\n" + rows).utf8).write(
            to: URL(fileURLWithPath: folder.file("many.csv")))
        let refused = try earshot(
            "custom-catalog", "create", "-s", ".", "-m", "many.csv", "-o", "m.earcatalog", status: 1)
        #expect(
            refused.errors.contains(
                "many.csv: line 10003, column 1: expected at most 10000 rows of one reference"))
        #expect(!folder.names().contains("m.earcatalog"))
        let most = rows.replacingOccurrences(of: "one,10000\n", with: "three,10000\n")
        try Data(("reference,title\ntwo,first\n" + most).utf8).write(
            to: URL(fileURLWithPath: folder.file("many.csv")))
        _ = try earshot("custom-catalog", "create", "-s", ".", "-m", "many.csv", "-o", "m.earcatalog")
        let full = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-m", "one.csv", status: 1)
        #expect(full.errors.contains("m.earcatalog: reference \"one\": a reference has 10003 media items"))
    }

    /// Catalogs of earlier releases have as many items as they were given.
    @Test("The items of a reference that do not apply take little memory of a query")
    func aQueryHoldsTheItemsThatApply() throws {
        let signature = try Signature(contentsOf: folder.file("one.earsignature"))
        func kilobytes(items count: Int) throws -> Int {
            let items =
                (0..<count).map { number in
                    MediaItem.Value.dictionary([
                        .init("artist", .string("An artist of some fame")),
                        .init("timeRanges", .list([.range(Double(number) + 100, Double(number) + 101)])),
                    ])
                } + [.dictionary([.init("title", .string("here"))])]
            try CatalogFile.write(
                [
                    Reference(
                        id: "one", mediaItem: MediaItem([.init("items", .list(items))]), signature: signature)
                ],
                to: catalog)
            let run = try EarshotProcess(
                shell: """
                    cd '\(folder.path)' && python3 -c 'import resource, subprocess, sys
                    subprocess.run(sys.argv[1:], check=True)
                    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
                        "$EARSHOT" match --catalog m.earcatalog one.earsignature --json
                    """)
            #expect(run.output.contains("\"title\":\"here\""), "\(run)")
            return try #require(run.output.split(separator: "\n").last.flatMap { Int($0) }, "\(run)")
        }
        let few = try kilobytes(items: 1)
        #expect(try kilobytes(items: 200_000) < few + 120_000)
    }

    @Test func removeTakesReferencesAndItems() throws {
        _ = try earshot("custom-catalog", "create", "-s", ".", "-m", "one.csv", "-o", "m.earcatalog")
        let ids = try items("one").map(\.id.uuidString)
        _ = try earshot(
            "custom-catalog", "remove", "-i", "m.earcatalog", "-s", "two", "-o", "less.earcatalog")
        #expect(try CatalogFile.open(folder.file("less.earcatalog")).entries.map(\.id) == ["one", "three"])
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["one", "three", "two"])
        let before = try bytes("m.earcatalog")
        for (arguments, part) in [
            (["-s", "four"], "has no reference \"four\""),
            (["-s", "two", "-s", "four"], "has no reference \"four\""),
            (
                [
                    "-m",
                    "\(ids[0]),\(UUID(uuidString: "4FFB8B84-CBDF-4558-BB8A-CA555A7DE356")?.uuidString ?? "")",
                ], "has no media item 4FFB8B84"
            ),
        ] {
            let words = arguments.map { "'\($0)'" }.joined(separator: " ")
            let run = try EarshotProcess(shell: "\"$EARSHOT\" custom-catalog remove -i '\(catalog)' \(words)")
            #expect(run.status == 1 && run.errors.contains("m.earcatalog: \(part)"), "\(run.errors)")
            #expect(try bytes("m.earcatalog") == before)
        }
        _ = try earshot(
            "custom-catalog", "remove", "-i", "m.earcatalog", "-m", "\(ids[0]),\(ids[1])", "-s", "three")
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["two", "one"])
        #expect(try items("one").map(\.title) == ["Chorus"])
        _ = try earshot(
            "custom-catalog", "remove", "-i", "m.earcatalog", "-m", try items("one")[0].id.uuidString)
        #expect(try items("one").isEmpty)
        // What stays is found as before.
        #expect(
            try earshot("custom-catalog", "verify", "-i", "m.earcatalog").output.contains(
                "sound, 2 references"))
    }

    @Test func itemsKeepTheirIdentifiersOverRemovals() throws {
        _ = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "-m", "one.csv", "-o", "m.earcatalog")
        let signature = try signature("one")
        let ids = try items("one").map(\.id)
        _ = try earshot("custom-catalog", "remove", "-i", "m.earcatalog", "-m", ids[0].uuidString)
        #expect(try items("one").map(\.id) == Array(ids[1...]))
        _ = try earshot("custom-catalog", "remove", "-i", "m.earcatalog", "-m", ids[1].uuidString)
        let left = try items("one")
        #expect(left.map(\.id) == [ids[2]] && left.map(\.title) == ["Chorus"])
        let gone = try earshot(
            "custom-catalog", "remove", "-i", "m.earcatalog", "-m", ids[0].uuidString, status: 1)
        #expect(gone.errors.contains("has no media item \(ids[0].uuidString)"))
        #expect(try self.signature("one") == signature)
        // Identifiers come back through tables.
        _ = try earshot("custom-catalog", "export", "-i", "m.earcatalog", "-o", "out")
        _ = try earshot("custom-catalog", "create", "-s", "out", "-m", "out", "-o", "again.earcatalog")
        #expect(try bytes("again.earcatalog") == bytes("m.earcatalog"))
    }

    private func signature(_ reference: String) throws -> Signature {
        let opened = try CatalogFile.open(catalog)
        return opened.signature(at: try #require(try opened.place(ofID: reference)))
    }

    @Test func itemsAreAddedToAReferenceWithoutItsSignature() throws {
        _ = try earshot("custom-catalog", "create", "-s", ".", "-m", "one.csv", "-o", "m.earcatalog")
        let (before, signature) = (try items("one"), try signature("one"))
        try Data("title\nBridge\nBridge\n".utf8).write(to: URL(fileURLWithPath: folder.file("more.csv")))
        let added = try earshot(
            "custom-catalog", "update", "-i", "m.earcatalog", "-m", "more.csv", "--id", "one")
        #expect(added.errors == "m.earcatalog: 2 media items added to 1 reference\n")
        let after = try items("one")
        #expect(after.map(\.title) == ["Lesson 1", nil, "Chorus", "Bridge", "Bridge"])
        #expect(after.prefix(3).map(\.id) == before.map(\.id) && Set(after.map(\.id)).count == 5)
        #expect(try self.signature("one") == signature)
        // The removed one's identifier is not that of the next.
        _ = try earshot("custom-catalog", "remove", "-i", "m.earcatalog", "-m", after[3].id.uuidString)
        _ = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-m", "one.csv")
        #expect(try items("one").map(\.id).prefix(4) == [after[0].id, after[1].id, after[2].id, after[4].id])
        #expect(try items("one").count == 7 && Set(try items("one").map(\.id)).count == 7)
        let none = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-m", "more.csv", status: 1)
        #expect(none.errors.contains("m.earcatalog: has no reference \"more\""), "\(none.errors)")
        #expect(
            try earshot("custom-catalog", "update", "-i", "m.earcatalog", status: 64).errors.contains(
                "Say what"))
        try Data("title,mediaItemID\na,7\n".utf8).write(to: URL(fileURLWithPath: folder.file("one.csv")))
        let bad = try earshot("custom-catalog", "update", "-i", "m.earcatalog", "-m", "one.csv", status: 1)
        #expect(bad.errors.contains("one.csv: line 2, column 3: expected an identifier"), "\(bad.errors)")
    }

    /// Seasons with a folder for each episode, whose files are called alike.
    @Test func foldersWithFilesOfEqualNamesMakeOneCatalog() throws {
        _ = try folder.makeFolder("S1")
        for name in ["one", "two"] {
            _ = try folder.makeFolder("S1/\(name)")
            try FileManager.default.copyItem(
                atPath: folder.file("\(name).earsignature"),
                toPath: folder.file("S1/\(name)/video.earsignature"))
            try Data("title\nEpisode \(name)\n".utf8).write(
                to: URL(fileURLWithPath: folder.file("S1/\(name)/items.csv")))
        }
        _ = try earshot(
            "custom-catalog", "create", "-s", "three.earsignature", "-o", "m.earcatalog", "--id", "third")
        let loop = try EarshotProcess(
            shell: """
                cd '\(folder.path)/S1' && for e in *; do
                "$EARSHOT" custom-catalog update -i ../m.earcatalog -s $e/video.earsignature -m $e/items.csv --id $e || exit 1
                done
                """)
        #expect(loop.status == 0, "\(loop.errors)")
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["third", "one", "two"])
        #expect(try items("two").map(\.title) == ["Episode two"])
        _ = try earshot(
            "custom-catalog", "create", "-s", "S1", "-m", "S1", "--ids", "relative-path", "-o",
            "all.earcatalog")
        #expect(try items("two/video", in: "all.earcatalog").map(\.title) == ["Episode two"])
        let twice = try earshot(
            "custom-catalog", "update", "-i", "m.earcatalog", "-s", "S1/one/video.earsignature", "--id",
            "one",
            status: 1)
        #expect(twice.errors.contains("already has a reference \"one\"") && twice.errors.contains("--id"))
        let many = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "two.earsignature", "--id", "x", "-o",
            "n.earcatalog",
            status: 1)
        #expect(many.errors.contains("--id names one reference, but there are 2 sources"))
    }

    @Test func catalogsMergeIntoOne() throws {
        for (names, output) in [(["one", "two"], "a"), (["two", "three"], "b")] {
            _ = try EarshotProcess(
                shell: "cd '\(folder.path)' && \"$EARSHOT\" custom-catalog create -o \(output).earcatalog -s "
                    + names.map { $0 + ".earsignature" }.joined(separator: " "))
        }
        _ = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "--id", "two", "-o", "c.earcatalog")
        _ = try earshot(
            "custom-catalog", "merge", "a.earcatalog", "b.earcatalog", "c.earcatalog", "-o", "m.earcatalog")
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["one", "two", "three", "two-2"])
        _ = try earshot("custom-catalog", "verify", "-i", "m.earcatalog")
        let missing = try earshot(
            "custom-catalog", "merge", "a.earcatalog", "none.earcatalog", "-o", "n.earcatalog", status: 1)
        #expect(missing.errors.contains("none.earcatalog"), "\(missing.errors)")
    }

    /// Aliases of options.
    @Test func inputAndCatalogNameSourcesAndCatalogs() throws {
        _ = try earshot("custom-catalog", "create", "--input", "one.earsignature", "--output", "m.earcatalog")
        _ = try earshot(
            "custom-catalog", "update", "--input", "two.earsignature", "--catalog", "m.earcatalog")
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["one", "two"])
        #expect(try earshot("custom-catalog", "display", "--catalog", "m.earcatalog").output.contains("two"))
        _ = try earshot("custom-catalog", "create", "-o", "m.earcatalog", status: 64)
        _ = try earshot("custom-catalog", "update", "--catalog", "m.earcatalog", "x.earcatalog", status: 64)
    }

    @Test func outputsAreNamedAfterInputsInFolders() throws {
        let wav = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(
            ScoreSong(seed: 1, seconds: 5).render(), to: folder.file("song.take.wav"), as: wav)
        _ = try folder.makeFolder("out")
        _ = try earshot("signature", "-i", "song.take.wav", "-o", "out")
        _ = try earshot("signature", "--input", "song.take.wav")
        _ = try earshot("signature", "-i", "song.take.wav", "-o", "x.shazamsignature", "-v")
        #expect(try bytes("out/song.take.earsignature") == bytes("song.take.earsignature"))
        _ = try earshot("custom-catalog", "create", "-s", "x.shazamsignature", "-o", "out")
        _ = try earshot(
            "custom-catalog", "update", "-i", "out/x.shazamcatalog", "-s", "one.earsignature", "-o", ".")
        #expect(try CatalogFile.open(folder.file("x.shazamcatalog")).entries.map(\.id) == ["x", "one"])
    }

    /// One song as a reference, by its signature and by its audio.
    @Test func signaturesServeAsQueriesAndGiveTheSameCatalog() throws {
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let song = ScoreSong(seed: 1, seconds: 12).render()
        try AudioFile.write(song, to: folder.file("song.wav"), as: wav)
        _ = try earshot("signature", "-i", "song.wav")
        let signature = try Signature(contentsOf: folder.file("song.earsignature"))
        #expect(
            try signature
                == SignatureExtractor.signature(
                    of: AudioFile.read(folder.file("song.wav")), detail: .query))
        for (source, name) in [("song.wav", "audio"), ("song.earsignature", "signature")] {
            _ = try earshot("custom-catalog", "create", "-s", source, "-o", name + ".earcatalog")
        }
        #expect(try bytes("audio.earcatalog") == bytes("signature.earcatalog"))
    }

    @Test func mistakesNameFileLineAndColumn() throws {
        try Data("title,timeRanges\na,31..<14\n".utf8).write(to: URL(fileURLWithPath: folder.file("bad.csv")))
        let bad = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "-m", "bad.csv", "-o", "m.earcatalog",
            status: 1)
        #expect(
            bad.errors
                == "Error: bad.csv: line 2, column 3: expected a range whose end is not before its start, found"
                + " \"31..<14\"\n", "\(bad.errors)")
        let stray = try earshot(
            "custom-catalog", "create", "-s", ".", "-m", "one.csv", "bad.csv", "-o", "m.earcatalog", status: 1
        )
        #expect(stray.errors.contains("bad.csv: there is no source of this name"), "\(stray.errors)")
        let twice = try earshot(
            "custom-catalog", "create", "-s", ".", "-m", "one.csv", "./one.csv", "-o", "m.earcatalog",
            status: 1)
        #expect(twice.errors.contains("both tables of the reference \"one\""), "\(twice.errors)")
        _ = try folder.makeFolder("empty")
        let none = try earshot(
            "custom-catalog", "create", "-s", ".", "-m", "empty", "-o", "m.earcatalog", status: 1)
        #expect(none.errors.contains("empty: the folder holds no tables"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: catalog))
        try CatalogFile.write(
            [Reference(id: "../up", signature: Signature(contentsOf: folder.file("one.earsignature")))],
            to: catalog)
        let up = try earshot("custom-catalog", "export", "-i", "m.earcatalog", "-o", "out", status: 1)
        #expect(up.errors.contains("\"../up\" cannot be the name of a file"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("up.csv")))
    }
}
