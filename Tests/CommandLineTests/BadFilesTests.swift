import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Some bad files among many: the others are used, and the bad ones are named.
@Suite struct BadFilesTests {
    private let folder: TemporaryFolder
    private let music: String
    private static let good = 6
    private static let song = ScoreSong(seed: 7, seconds: 14).render()

    /// Files that cannot be read, by name.
    private static let bad: [(name: String, bytes: [UInt8])] = [
        ("empty.wav", []), ("text.mp3", Array("this is no audio at all, but long enough".utf8)),
        ("header.wav", Array("RIFF\u{24}\u{0}\u{0}\u{0}WAVEfmt ".utf8)),
        ("binary.ogg", (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 37) }),
        ("old.earsignature", Array("no signature".utf8)),
    ]

    init() throws {
        folder = try TemporaryFolder()
        music = try folder.makeFolder("music")
        let rate = Self.song.sampleRate
        for place in 0..<Self.good {
            let part = Self.song.frames((place * rate)..<((place + 8) * rate))
            try AudioFile.write(
                part, to: "\(music)/song \(place).wav", as: #require(AudioEncoding("wav-pcm16")))
        }
        for file in Self.bad { try Data(file.bytes).write(to: URL(fileURLWithPath: "\(music)/\(file.name)")) }
        let float = try #require(AudioEncoding("wav-float"))
        let nan = AudioBuffer(samples: [0, .nan, 0], sampleRate: 8000)
        try AudioFile.write(nan, to: "\(music)/nan.wav", as: float)
    }

    /// What fails when it is read.
    private static let failing = bad.map(\.name) + ["nan.wav"]

    private func earshot(_ arguments: String, status: Int32 = 0) throws -> EarshotProcess {
        let run = try EarshotProcess(shell: "cd '\(folder.path)' && \(arguments)")
        #expect(run.status == status && !run.isSignalled, "\(arguments): \(run.errors)")
        return run
    }

    private func ids(_ catalog: String) throws -> [String] {
        try CatalogFile.open(folder.file(catalog)).entries.map(\.id).sorted()
    }

    private func expectNamed(_ run: EarshotProcess, and others: [String] = []) {
        let errors = run.errors.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
        let names = Self.failing.map { "music/\($0)" } + others
        #expect(errors.count == names.count, "\(run.errors)")
        for name in names { #expect(errors.contains { $0.hasPrefix("Error: \(name): ") }, "\(name)") }
        #expect(run.errors.hasSuffix("\(names.count) files failed\n"), "\(run.errors)")
    }

    private let names = (0..<good).map { "song \($0)" }.sorted()

    @Test func createEnrolsTheOthers() throws {
        let run = try earshot("$EARSHOT custom-catalog create -s music missing -o c.earcatalog", status: 1)
        expectNamed(run, and: ["missing"])
        #expect(try ids("c.earcatalog") == names)
        let none = try earshot("$EARSHOT custom-catalog create -s music -o d --all-or-nothing", status: 1)
        #expect(none.errors.split(separator: "\n").filter { $0.hasPrefix("Error: ") }.count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.file("d")))
        // Of bad files alone there is no catalog.
        let bad = try earshot(
            "cd music && $EARSHOT custom-catalog create -s empty.wav nan.wav -o d", status: 1)
        #expect(bad.errors.contains("empty.wav") && bad.errors.contains("nan.wav"))
        #expect(!FileManager.default.fileExists(atPath: music + "/d"))
    }

    @Test func updateEnrolsTheOthers() throws {
        _ = try earshot("$EARSHOT custom-catalog create -s 'music/song 0.wav' -o c.earcatalog")
        expectNamed(try earshot("$EARSHOT custom-catalog update c.earcatalog -s music --replace", status: 1))
        #expect(try ids("c.earcatalog") == names)
    }

    @Test func signaturesOfTheOthersAreMade() throws {
        _ = try folder.makeFolder("out")
        try FileManager.default.removeItem(atPath: music + "/old.earsignature")
        let run = try earshot("$EARSHOT signature -i music/* -o out", status: 1)
        let failing = Self.failing.filter { !$0.hasSuffix("earsignature") }
        for name in failing { #expect(run.errors.contains("Error: music/\(name): "), "\(name)") }
        let written = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
        #expect(written == names.map { $0 + ".earsignature" })
        let none = try earshot(
            "mkdir all && $EARSHOT signature -i music/* -o all --all-or-nothing", status: 1)
        #expect(none.errors.contains("Error: music/"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("all")).isEmpty)
        // Two inputs of one name do not replace each other's signature.
        let twice = try earshot(
            "cp 'music/song 1.wav' 'song 1.wav' && $EARSHOT signature -i music/song*1.wav song*.wav -o all",
            status: 1)
        #expect(twice.errors.contains("song 1.wav: has the name of music/song 1.wav"), "\(twice.errors)")
        let file = try earshot("$EARSHOT signature -i music/song*.wav -o x.earsignature", status: 64)
        #expect(file.errors.contains("need a folder"))
    }

    @Test func exportWritesTheOthers() throws {
        let signature = try Signature(ofAudioFile: music + "/song 1.wav")
        try CatalogFile.write(
            ["a", "../up", "b/c", ".hidden"].map { Reference(id: $0, signature: signature) },
            to: folder.file("c.earcatalog"))
        let run = try earshot("$EARSHOT custom-catalog export c.earcatalog -o out", status: 1)
        #expect(run.errors.contains("\"../up\" cannot be") && run.errors.contains("\".hidden\" cannot be"))
        #expect(run.errors.contains("out: 2 references\n") && run.errors.hasSuffix("2 files failed\n"))
        #expect(try Signature(contentsOf: folder.file("out/a.earsignature")) == signature)
        #expect(try Signature(contentsOf: folder.file("out/b/c.earsignature")) == signature)
        _ = try earshot("$EARSHOT custom-catalog export c.earcatalog -o none --all-or-nothing", status: 1)
        #expect(!FileManager.default.fileExists(atPath: folder.file("none")))
    }

    /// What a search passes over is counted and named; it is no failure.
    @Test func whatIsLeftOutIsNamed() throws {
        let library = try folder.makeFolder("library")
        _ = try earshot(
            """
            cp 'music/song 1.wav' library/a.wav; cp 'music/song 2.wav' library/.b.wav; ln -s /nonexistent/c library/c.wav
            ln -s loop library/loop; mkfifo library/pipe; echo > library/cover.jpg; echo title > library/a.csv
            """)
        let run = try earshot("$EARSHOT custom-catalog create -s library -m library -o c.earcatalog")
        #expect(
            run.errors.contains(
                "warning: 5 files left out: library/.b.wav (hidden), library/c.wav (the link points to nothing),"
            ),
            "\(run.errors)")
        for name in ["loop", "pipe", "cover.jpg"] { #expect(run.errors.contains("library/\(name) (")) }
        for number in 1...10 {
            try Data().write(to: URL(fileURLWithPath: "\(library)/\(number).txt"))
        }
        let many = try earshot("$EARSHOT custom-catalog create -s library -o c.earcatalog")
        #expect(
            many.errors.contains("warning: 15 files left out: ")
                && many.errors.contains(" and 5 more, which --verbose"))
        let all = try earshot("$EARSHOT custom-catalog create -s library -o c.earcatalog --verbose")
        #expect(
            all.errors.split(separator: "\n").filter { $0.hasPrefix("  library/") }.count == 15,
            "\(all.errors)")
        for (options, named) in [("", 0), (" -v", 15)] {
            let cut = try earshot("$EARSHOT degrade library --output queries\(named) --length 1\(options)")
            #expect(cut.errors.contains("warning: 15 files left out:"), "\(cut.errors)")
            #expect(cut.errors.split(separator: "\n").count { $0.hasPrefix("  library/") } == named)
        }
    }

    @Test func longNamesAreShortened() throws {
        let stems = ["", "ю"].map { String(repeating: "я", count: 123) + $0 }
        for (place, stem) in stems.enumerated() {
            try FileManager.default.copyItem(
                atPath: "\(music)/song \(place).wav", toPath: folder.file(stem + ".wav"))
        }
        _ = try folder.makeFolder("out")
        _ = try earshot("$EARSHOT signature -i я*.wav -o out")
        _ = try earshot("$EARSHOT custom-catalog create -s я*.wav 'music/song 3.wav' -o c.earcatalog")
        #expect(try Set(ids("c.earcatalog")) == Set(stems + ["song 3"]))
        _ = try earshot("$EARSHOT custom-catalog export c.earcatalog -o export")
        func names(_ folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: self.folder.file(folder)).sorted()
        }
        let made = try names("out")
        #expect(made.count == 2 && made.allSatisfy { $0.hasPrefix("яя") && $0.utf8.count <= 255 })
        #expect(
            try names("export").filter { $0.hasSuffix(".earsignature") } == ["song 3.earsignature"] + made)
        // Tables have the names of their signatures, and the same names come again.
        _ = try earshot("$EARSHOT custom-catalog create -s export -m export -o again.earcatalog")
        _ = try earshot("$EARSHOT custom-catalog export again.earcatalog -o export")
        #expect(try names("export").count == 6)
    }

    @Test(arguments: [
        "cat 'music/song 4.wav' | $EARSHOT match --catalog c.earcatalog -",
        "$EARSHOT match --catalog c.earcatalog - < 'music/song 4.wav'",
        "cat 'music/song 4.wav' | $EARSHOT match --catalog c.earcatalog /dev/stdin",
        "mkfifo pipe; cat 'music/song 4.wav' > pipe & $EARSHOT match --catalog c.earcatalog pipe",
    ]) func pipesAreMatched(_ command: String) throws {
        _ = try earshot("$EARSHOT custom-catalog create -s 'music/song 4.wav' -o c.earcatalog")
        let run = try earshot(command)
        #expect(run.output.contains("\"reference\":\"song 4\""), "\(run.output)")
    }

    @Test func pipesOfNoAudioAreNamed() throws {
        _ = try earshot("$EARSHOT custom-catalog create -s 'music/song 4.wav' -o c.earcatalog")
        for (input, reason) in [(": ", "is empty"), ("echo no audio at all", "-: found text")] {
            let run = try earshot("\(input) | $EARSHOT match --catalog c.earcatalog -", status: 1)
            #expect(run.output.contains("\"error\":\"-: ") && run.output.contains(reason), "\(run.output)")
            #expect(!run.output.contains("/proc/"))
        }
        let signature = try earshot(
            "cat 'music/song 4.wav' | $EARSHOT signature -i - && ls stdin.earsignature")
        #expect(signature.output == "stdin.earsignature\n")
    }
}
