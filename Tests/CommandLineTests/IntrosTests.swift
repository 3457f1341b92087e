import AudioCore
import AudioIO
import Corpora
import Foundation
import TestSupport
import Testing

@Suite struct IntrosTests {
    private static func write(_ parts: [(seed: UInt64, seconds: Double)], to path: String, as name: String)
        throws
    {
        let encoding = try #require(AudioEncoding(name))
        let samples = parts.flatMap { part in
            SyntheticMusic(seed: part.seed, seconds: part.seconds).render().mono()
        }
        try AudioFile.write(AudioBuffer(samples: samples, sampleRate: 44_100), to: path, as: encoding)
    }

    @Test func findsWhatEpisodesShareAndNamesWhatItCannotRead() throws {
        let folder = try TemporaryFolder()
        let show = try folder.makeFolder("show")
        try Self.write([(1, 12), (2, 10)], to: "\(show)/one.wav", as: "wav-pcm16")
        try Self.write([(3, 6), (1, 12), (4, 10)], to: "\(show)/two.mp3", as: "mp3-64k")
        try Data("not audio".utf8).write(to: URL(fileURLWithPath: "\(show)/broken.ogg"))
        let run = try EarshotProcess("intros", "--episodes", show, "--output", folder.file("out"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("2 files, one shared part"))
        #expect(run.output.split(separator: "\n").count < 8 && run.output.contains("s after it"))
        #expect(run.output.contains("\(show)/broken.ogg: "))
        let csv = try String(contentsOfFile: folder.file("out/parts.csv"), encoding: .utf8)
        let rows = csv.split(separator: "\r\n").dropFirst().map { $0.split(separator: ",") }
        #expect(rows.map { String($0[1]) } == ["\(show)/one.wav", "\(show)/two.mp3"])
        let places = rows.map { $0[2...3].compactMap { Double($0) } }
        for (found, expected) in zip(places.flatMap(\.self), [0, 12, 6, 18.0]) {
            #expect(abs(found - expected) < 0.3)
        }
        for name in ["parts.json", "episodes.html", "chapters/one.edl", "chapters/two.ffmetadata"] {
            #expect(FileManager.default.fileExists(atPath: folder.file("out/\(name)")))
        }
        #expect(run.errors.contains("looking up windows: ") && run.errors.contains("left"))
    }

    @Test(arguments: [
        (["intros", "--sets", "0"], 64 as Int32, "--sets 0 is not in"),
        (["intros", "--counts", "1"], 64, "--counts 1: expected different numbers"),
        (["intros", "--episodes", "x", "--half", "test"], 64, "--half has no effect with --episodes"),
        (["intros", "--minimum-files", "3"], 64, "belongs to --episodes"),
        (["intros", "show/"], 64, "Name your files with --episodes: earshot intros --episodes show/"),
        (["intros", "--episodes", "x", "--minimum-files", "1"], 64, "--minimum-files 1 is not in"),
        (["intros", "--episodes", "x", "--minimum-seconds", "2"], 64, "--minimum-seconds 2.0 is not in"),
        (["intros", "--episodes", "/nowhere"], 1, "/nowhere"),
        (["intros", "--plan", "nothing"], 1, "no such plan"),
        (["intros", "--corpus", "synthetic", "--counts", "100"], 1, "unrelated recordings"),
        (
            ["intros", "--corpus", "synthetic", "--export", "/tmp", "--encodings", "mp4"], 1,
            "no encoding \"mp4\""
        ),
    ])
    func saysWhatIsWrong(arguments: [String], status: Int32, message: String) throws {
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(shell: "\"$EARSHOT\" \(quoted)")
        #expect(run.status == status)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.isSignalled)
    }
}
