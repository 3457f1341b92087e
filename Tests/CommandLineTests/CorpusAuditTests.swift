import AudioIO
import Corpora
import Foundation
import TestSupport
import Testing

@Suite struct CorpusAuditTests {
    private static func write(_ seed: UInt64, to path: String, as encoding: String = "wav-pcm16") throws {
        let encoding = try #require(AudioEncoding(encoding))
        try AudioFile.write(SyntheticMusic(seed: seed, seconds: 15).render(), to: path, as: encoding)
    }

    @Test func auditsAFolderAndNamesWhatItCannotRead() throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        try Self.write(1, to: "\(music)/a.wav")
        try Self.write(1, to: "\(music)/copy.mp3", as: "mp3-64k")
        try Self.write(2, to: "\(music)/other.wav")
        try Data("not audio".utf8).write(to: URL(fileURLWithPath: "\(music)/broken.ogg"))
        let output = folder.file("out")
        let suspects = folder.file("music.suspects")
        let run = try EarshotProcess(
            "corpus", "audit", "--folder", music, "--output", output, "--write-suspects", "--suspects",
            suspects)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("music: 3 recordings"))
        #expect(run.output.contains("duplicates: 1, 1 of them new"))
        #expect(run.output.contains("\(music)/broken.ogg: "))
        let csv = try String(contentsOfFile: "\(output)/music.csv", encoding: .utf8)
        let rows = csv.split(separator: "\r\n")
        #expect(rows.count == 2)
        #expect(rows[0].hasPrefix("kind,verdict,known,first,second,firstSeconds,"))
        #expect(rows[1].hasPrefix("duplicate,confirmed,false,\(music)/a.wav,\(music)/copy.mp3,"))
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: "\(output)/music.json")))
        #expect(
            (json as? [String: Any])?["classes"] as? [[String]] == [["\(music)/a.wav", "\(music)/copy.mp3"]])
        let list = try SuspectList(path: suspects)
        #expect(list.entries.map(\.judgement) == [.open])
    }

    @Test func aFolderNamedForACorpusIsCalledAsItsReadersDo() throws {
        let folder = try TemporaryFolder()
        let (music, corpora) = (try folder.makeFolder("music"), try folder.makeFolder("Corpora"))
        try Self.write(1, to: "\(music)/a.wav")
        try Self.write(2, to: "\(music)/b.wav")
        let environment = ["XDG_CACHE_HOME": folder.file("cache")]
        let run = try EarshotProcess(
            "corpus", "audit", music, "--corpora", corpora, "--output", folder.file("out"),
            "--write-suspects", environment: environment)
        #expect(run.status == 0 && run.output.contains("folder-music: 2 recordings"), "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: corpora + "/folder-music.suspects"))
        #expect(FileManager.default.fileExists(atPath: folder.file("out") + "/folder-music.csv"))
        let lock = try EarshotProcess(
            "corpus", "lock", music, "--corpora", corpora, environment: environment)
        #expect(lock.status == 64 && lock.errors.contains("kept in the cache"), "\(lock.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: corpora) == ["folder-music.suspects"])
    }

    @Test(arguments: [
        (["corpus", "audit"], 64 as Int32, "name a corpus, or a folder"),
        (["corpus", "audit", "--folder", "/nowhere"], 1, "/nowhere"),
        (["corpus", "audit", "nothing"], 1, "there is no corpus \"nothing\""),
        (["corpus", "audit", "synthetic", "--memory", "0.01"], 1, "need 0.1 GB of memory"),
        (["report", "/nowhere", "--suspects", "/nowhere/else"], 1, "/nowhere"),
    ])
    func saysWhatIsWrong(arguments: [String], status: Int32, message: String) throws {
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(
            shell: "\"$EARSHOT\" \(quoted)", environment: EarshotProcess.projectCorpora)
        #expect(run.status == status)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.isSignalled)
    }
}
