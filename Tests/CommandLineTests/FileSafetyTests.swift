import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Damaged inputs are named, and outputs destroy no input.
@Suite struct FileSafetyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let song = ScoreSong(seed: 5, seconds: 30).render()
        let encoding = try #require(AudioEncoding("flac-16"))
        var bytes = try AudioFile.encode(song, as: encoding)
        try AtomicFile.write(bytes, to: folder.file("song.flac"))
        var generator = SeededGenerator(seed: 2)
        for place in (bytes.count / 2)..<(bytes.count / 2 + 3000) {
            bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        }
        try FileManager.default.createDirectory(
            atPath: folder.file("bad"), withIntermediateDirectories: false)
        try AtomicFile.write(bytes, to: folder.file("bad/bad.flac"))
    }

    private func earshot(_ arguments: String, status: Int32 = 0) throws -> EarshotProcess {
        let run = try EarshotProcess(shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(arguments)")
        #expect(run.status == status, "\(arguments): \(run.errors)")
        return run
    }

    private func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.file(name)) }

    @Test(arguments: ["custom-catalog create -s bad -o out", "signature -i bad/bad.flac -o out"])
    func damagedAudioIsAWarning(command: String) throws {
        let run = try earshot(command)
        #expect(run.errors.contains("warning: bad/bad.flac: damaged at 1"), "\(run.errors)")
        let strict = try earshot(command + "2 --strict", status: 1)
        #expect(strict.errors.contains("bad/bad.flac: damaged at 1"), "\(strict.errors)")
        #expect(bytes("out") != nil && bytes("out2") == nil)
    }

    @Test func aDamagedQueryIsAWarning() throws {
        _ = try earshot("custom-catalog create -s song.flac -o c.earcatalog")
        let run = try earshot("match --catalog c.earcatalog bad/bad.flac")
        #expect(run.errors.contains("warning: bad/bad.flac: damaged at 1"), "\(run.errors)")
        #expect(run.output.contains("\"reference\":\"song\""))
        let strict = try earshot("match --catalog c.earcatalog --strict bad/bad.flac song.flac", status: 1)
        #expect(strict.output.contains("\"error\":\"bad/bad.flac: damaged at 1"))
        #expect(strict.output.contains("\"reference\":\"song\""))
    }

    @Test(arguments: [
        "signature -i song.flac -o song.flac", "signature -i song.flac -o link.earsignature",
        "signature -i song.flac -o hard.earsignature", "custom-catalog create -s song.flac -o song.flac",
        "custom-catalog create -s song.flac -o link.earsignature --force",
        "custom-catalog create -s . -o bad/bad.flac",
        "custom-catalog create -s song.flac -m song.csv -o song.csv",
    ])
    func anInputIsNeverReplaced(command: String) throws {
        try AtomicFile.write("title\nSong\n", to: folder.file("song.csv"))
        symlink("song.flac", folder.file("link.earsignature"))
        link(folder.file("song.flac"), folder.file("hard.earsignature"))
        let names = ["song.flac", "bad/bad.flac", "song.csv"]
        let before = names.map { bytes($0) }
        let run = try earshot(command, status: 1)
        #expect(run.errors.contains("is the input"), "\(run.errors)")
        #expect(names.map { bytes($0) } == before)
    }

    @Test func aFileOfAnotherKindNeedsForce() throws {
        try AtomicFile.write("my thesis", to: folder.file("thesis.txt"))
        for command in [
            "signature -i song.flac -o thesis.txt", "custom-catalog create -s song.flac -o thesis.txt",
        ] {
            let run = try earshot(command, status: 1)
            #expect(run.errors.contains("thesis.txt: is another kind of file"), "\(run.errors)")
            #expect(bytes("thesis.txt") == Data("my thesis".utf8))
        }
        _ = try earshot("signature -i song.flac -o thesis.txt --force")
        _ = try earshot("custom-catalog create -s song.flac -o thesis.txt")
        #expect(try CatalogFile.open(folder.file("thesis.txt")).entries.count == 1)
    }

    @Test func exportKeepsTablesThatSayMore() throws {
        _ = try earshot("custom-catalog create -s song.flac -o c.earcatalog")
        _ = try earshot("custom-catalog export -i c.earcatalog -o .")
        _ = try earshot("custom-catalog export -i c.earcatalog -o .")
        try AtomicFile.write("title\nMine\n", to: folder.file("song.csv"))
        let run = try earshot("custom-catalog export -i c.earcatalog -o .", status: 1)
        #expect(run.errors.contains("song.csv: says something else than the catalog"), "\(run.errors)")
        #expect(bytes("song.csv") == Data("title\nMine\n".utf8))
        _ = try earshot("custom-catalog export -i c.earcatalog -o . --force")
        #expect(bytes("song.csv") != Data("title\nMine\n".utf8))
    }

    /// The input is missing too, but the output is tried first.
    @Test(arguments: ["nodir/x", "link", "bad"]) func theOutputIsTriedBeforeTheWork(output: String) throws {
        symlink("nothing", folder.file("link"))
        let run = try earshot(
            "custom-catalog create -s bad song.flac -o \(output == "bad" ? "bad/bad.flac/x" : output) --strict",
            status: 1)
        #expect(
            run.errors.contains("nothing was written") && !run.errors.contains("damaged"), "\(run.errors)")
        #expect(bytes("nothing") == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
                !$0.hasSuffix(".part")
            })
    }

    @Test func whatAKilledCommandLeftIsRemoved() throws {
        try AtomicFile.write("half", to: folder.file(".c.earcatalog.77.1.part"))
        _ = try earshot("custom-catalog create -s song.flac -o c.earcatalog")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["bad", "c.earcatalog", "song.flac"])
    }

    @Test func anExportThatEndsInTheMiddleSaysSo() throws {
        let song = ScoreSong(seed: 6, seconds: 600).render()
        try SignatureExtractor.signature(of: song).write(to: folder.file("zong.earsignature"))
        _ = try earshot("custom-catalog create -s song.flac zong.earsignature -o c.earcatalog")
        let run = try EarshotProcess(
            shell:
                "cd '\(folder.path)' && ulimit -f 60 && exec \"$EARSHOT\" custom-catalog export -i c.earcatalog -o out"
        )
        #expect(run.status == 1)
        #expect(
            run.errors.contains("out/zong.earsignature: cannot write")
                && run.errors.contains("nothing was written of it; 1 reference was written before"),
            "\(run.errors)")
        #expect(try Signature(contentsOf: folder.file("out/song.earsignature")).peaks.count > 10)
    }

    @Test func aNameThatIsNotUTF8IsLeftOut() throws {
        let copy = try EarshotProcess(
            shell: "cd '\(folder.path)' && mkdir music && cp song.flac music/a.flac && "
                + "cp song.flac \"$(printf 'music/caf\\351.flac')\"")
        #expect(copy.status == 0, "\(copy.errors)")
        let run = try earshot("custom-catalog create -s music -o c.earcatalog")
        #expect(run.errors.contains("warning: 1 file left out: music/caf"), "\(run.errors)")
        #expect(run.errors.contains("(its name is not UTF-8)"), "\(run.errors)")
        #expect(try CatalogFile.open(folder.file("c.earcatalog")).entries.map(\.id) == ["a"])
    }

    /// Swift repairs arguments, and would look for a file of another name.
    @Test(
        "An argument that is not UTF-8 is named as such, and costs no other file",
        arguments: [
            ("match -c c.earcatalog $NAME song.flac", 1), ("match -c $NAME song.flac", 1),
            ("match -c c.earcatalog --files=$NAME", 1), ("signature -i $NAME song.flac -o .", 1),
            ("custom-catalog create -s $NAME song.flac -o d.earcatalog", 1),
            ("custom-catalog display $NAME", 1), ("degrade $NAME -o out --length 1", 1),
            ("evaluate --folder $NAME", 1), ("report $NAME", 1),
        ])
    func anArgumentThatIsNotUTF8IsNamed(command: String, status: Int32) throws {
        _ = try earshot("custom-catalog create -s song.flac -o c.earcatalog")
        let run = try EarshotProcess(
            shell: "cd '\(folder.path)' && NAME=$(printf 'caf\\351') && exec \"$EARSHOT\" \(command)")
        #expect(run.status == status, "\(run.errors)")
        let text = run.output + run.errors
        #expect(text.contains("caf\u{FFFD}: its name is not UTF-8. Rename it."), "\(text)")
        #expect(!text.contains("no such"))
        if command.contains("create") { #expect(FileStamp(path: folder.file("d.earcatalog")) != nil) }
        if command.hasPrefix("match") && command.hasSuffix("$NAME song.flac") && command.contains("c.ear") {
            #expect(run.output.contains("\"reference\":\"song\""), "\(run.output)")
        }
    }

    @Test("With EARSHOT_WARNINGS=json the warnings are the same, each a line of JSON")
    func programsReadWarnings() throws {
        _ = try folder.makeFolder("music")
        for name in ["a.wav", ".b.wav"] {
            try AudioFile.write(
                AudioBuffer(samples: [Float](repeating: 0.1, count: 8000), sampleRate: 8000),
                to: folder.file("music/" + name), as: #require(AudioEncoding("wav-pcm16")))
        }
        let command =
            "cd '\(folder.path)' && exec \"$EARSHOT\" custom-catalog create -s music -o c.earcatalog"
        let lines = try ["", "json"].map { form in
            try EarshotProcess(shell: command, environment: ["EARSHOT_WARNINGS": form]).errors
                .split(separator: "\n").map(String.init)
        }
        #expect(lines[0].count == lines[1].count && lines[0].contains { $0.hasPrefix("warning: ") })
        for (text, json) in zip(lines[0], lines[1]) {
            let warning = try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))["warning"]
            #expect(warning.map { "warning: " + $0 } ?? json == text)
        }
    }

    /// Names with escapes that would colour, clear or retitle the terminal, or turn the direction of reading.
    @Test func namesDoNotSteerTheTerminal() throws {
        let name = "a\u{1B}]0;title\u{07}\u{1B}[2J\u{9B}31m\u{202E}b\u{7F}"
        let shown = #"a\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}b\u{7f}"#
        try FileManager.default.copyItem(
            atPath: folder.file("song.flac"), toPath: folder.file(name + ".flac"))
        for (command, status) in [
            ("custom-catalog create -v -s \"$NAME.flac\" -o c", Int32(0)),
            ("signature -i \"$NAME.flac\" -o \"$NAME\"", 0), ("signature -i \"$NAME.mp3\" -o x", 1),
            ("evaluate --plan \"$NAME\"", 1), ("match --catalog c \"--$NAME\" x", 64),
        ] {
            let run = try EarshotProcess(
                shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(command)", environment: ["NAME": name])
            #expect(run.status == status, "\(run.errors)")
            #expect(run.errors.contains(shown), "\(command): \(run.errors)")
            let isPlain = run.errors.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.properties.generalCategory != .control
            }
            #expect(isPlain, "\(command): \(run.errors)")
        }
    }
}
