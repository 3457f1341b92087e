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
        return try opened.entry(at: place).mediaItem.items(ofReference: reference)
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

    @Test func matchShowsTheFirstTitleOfATable() throws {
        _ = try earshot(
            "custom-catalog", "create", "-s", "one.earsignature", "-m", "one.csv", "-o", "m.earcatalog")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let query = ScoreSong(seed: StableHash.of("one"), seconds: 12).render(from: 3, seconds: 6)
        try AudioFile.write(query, to: folder.file("q.wav"), as: wav)
        let answer = try earshot("match", "--catalog", "m.earcatalog", "q.wav").output
        #expect(answer.contains("\"id\": \"one\", \"title\": \"Lesson 1\""), "\(answer)")
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
                    id: "a/b c", mediaItem: MediaItem(items: [strange, SHMediaItem(properties: [:])]),
                    signature: signature),
                Reference(id: "d.e", mediaItem: MediaItem(items: []), signature: signature),
            ], to: catalog)
        _ = try earshot("custom-catalog", "export", "-i", "m.earcatalog", "-o", "out")
        _ = try earshot(
            "custom-catalog", "create", "-s", "out", "-m", "out", "--ids", "relative-path", "-o",
            "again.earcatalog")
        #expect(try bytes("again.earcatalog") == bytes("m.earcatalog"))
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
            "custom-catalog", "update", "-i", "out/x.earcatalog", "-s", "one.earsignature", "-o", ".")
        #expect(try CatalogFile.open(folder.file("x.earcatalog")).entries.map(\.id) == ["x", "one"])
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
        #expect(up.errors.contains("\"../up\" cannot be the name of a file; nothing was written"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("up.csv")))
    }
}
