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
        #expect(run.output.contains("\"id\": \"song\""))
        let strict = try earshot("match --catalog c.earcatalog --strict bad/bad.flac song.flac", status: 1)
        #expect(strict.output.contains("\"error\": \"bad/bad.flac: damaged at 1"))
        #expect(strict.output.contains("\"id\": \"song\""))
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
}
