import AudioCore
import AudioIO
import EarshotKit
import Foundation
import KitTestSupport
import SystemIO
import TestSupport
import Testing

/// Lines of JSON of `match` and `listen`: one set of names, and the old ones beside it.
@Suite struct AnswerLineTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try SongBook.catalog().write(to: URL(fileURLWithPath: folder.file("c.earcatalog")))
    }

    private func objects(_ arguments: String) throws -> [[String: Any]] {
        let run = try EarshotProcess(shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(arguments)")
        #expect(!run.isSignalled, "\(run.errors)")
        return try lines(of: run)
    }

    private func lines(of run: EarshotProcess) throws -> [[String: Any]] {
        try run.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func answers(_ line: [String: Any]) throws -> [[String: Any]] {
        try #require(line["answers"] as? [[String: Any]])
    }

    /// What both commands say of a query, and what each adds.
    private static let common: Set = ["durationSeconds", "answers", "error"]

    /// Writes 4 s of a song from its second 5 as a file and as raw samples.
    private func writeQuery(_ name: String) throws -> AudioBuffer {
        let audio = SongBook.songs[1].render(from: 5, seconds: 4)
        try AudioFile.write(audio, to: folder.file(name), as: try #require(AudioEncoding("wav-float")))
        try audio.samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: folder.file("raw")))
        return audio
    }

    @Test func matchAndListenAnswerWithTheSameNames() throws {
        let audio = try writeQuery("q.wav")
        let matched = try #require(try objects("match --catalog c.earcatalog q.wav").first)
        let heard = try #require(
            try objects("listen --catalog c.earcatalog --raw f32le --rate \(audio.sampleRate) < raw").last)
        #expect(Set(matched.keys) == Self.common.union(["query", "matchMilliseconds"]))
        #expect(Set(heard.keys) == Self.common.union(["heardSeconds", "items"]))
        #expect(matched["query"] as? String == "q.wav" && matched["durationSeconds"] as? Double == 4)
        #expect(matched["error"] is NSNull && heard["error"] is NSNull)
        let (file, stream) = (try answers(matched), try answers(heard))
        #expect(file.count == 1 && stream.count == 1)
        let ranges = ["queryRange", "referenceRange"]
        #expect(Set(file[0].keys) == Set(stream[0].keys).union(ranges))
        let names = [
            "reference", "title", "matchOffset", "predictedCurrentMatchOffset", "frequencySkew", "timeSkew",
            "score", "confidence", "items",
        ]
        #expect(Set(file[0].keys) == Set(names + ranges + ["id"]))
        #expect(file[0]["title"] as? String == SongBook.title(1))
        #expect(file[0]["reference"] as? String == stream[0]["reference"] as? String)
        func number(_ answer: [String: Any], _ name: String) throws -> Double {
            try #require(answer[name] as? Double)
        }
        #expect(abs(try number(file[0], "matchOffset") - 5) < 0.002)
        #expect(abs(try number(file[0], "predictedCurrentMatchOffset") - 9) < 0.01)
        // The query of a stream is its latest audio.
        let (seconds, length) = (try number(heard, "heardSeconds"), try number(heard, "durationSeconds"))
        #expect(abs(try number(stream[0], "predictedCurrentMatchOffset") - 5 - seconds) < 0.05)
        #expect(length <= seconds + 0.1)
        for name in ["matchOffset", "predictedCurrentMatchOffset"] {
            let microseconds = try number(file[0], name) * 1e6
            #expect(abs(microseconds - microseconds.rounded()) < 1e-3, "\(name) has digits below 1 µs")
        }
        let items = try #require(file[0]["items"] as? [[String: Any]])
        #expect(items.allSatisfy { Set($0.keys) == ["id", "properties"] } && !items.isEmpty)
    }

    @Test func oldNamesAreReadable() throws {
        let audio = try writeQuery("q.wav")
        let matched = try #require(try objects("match --catalog c.earcatalog q.wav").first)
        let answer = try #require(try answers(matched).first)
        #expect(answer["id"] as? String == answer["reference"] as? String)
        for heard in try objects("listen --catalog c.earcatalog --raw f32le --rate \(audio.sampleRate) < raw")
        {
            let answer = try #require(try answers(heard).first)
            let item = try #require((heard["items"] as? [[String: Any]])?.first)
            #expect(item["reference"] as? String == answer["reference"] as? String)
            #expect(item["title"] as? String == answer["title"] as? String)
            let position = try #require(item["position"] as? Double)
            #expect(
                abs(position - (try #require(answer["predictedCurrentMatchOffset"] as? Double))) <= 0.0005)
            let (old, new) = (
                item["properties"] as? NSDictionary,
                (answer["items"] as? [[String: Any]])?.first?["properties"] as? NSDictionary
            )
            #expect(old != nil && old == new)
        }
    }

    @Test func unreadableQueryIsALineWithAnError() throws {
        try AtomicFile.write("RIFF nonsense", to: folder.file("bad.wav"))
        let paths = ["bad.wav", "none.wav", "no.earsignature", "."]
        let lines = try objects("match --catalog c.earcatalog " + paths.joined(separator: " "))
        #expect(lines.count == paths.count)
        for (path, line) in zip(paths, lines) {
            #expect((line["error"] as? String)?.contains(path) == true)
            #expect(try answers(line).isEmpty)
            #expect(line["matchMilliseconds"] is NSNull && line["durationSeconds"] is NSNull)
        }
    }

    /// The further the sounds are from those of the recording, the less they count as the same.
    @Test("A song with other sounds is an answer, then related, then nothing; no song is both")
    func relatedSongsAreNamed() throws {
        let shares = [0] + stride(from: 0.2, through: 1.2, by: 0.1) + [2.4]
        let queries = (0..<4).flatMap { song in shares.map { (song: song, share: $0) } }
        for (place, query) in queries.enumerated() {
            let song = SongBook.songs[query.song].withOtherSounds(seed: 7, share: query.share)
            try AudioFile.write(
                song.render(from: 2, seconds: 12), to: folder.file("\(place).wav"),
                as: try #require(AudioEncoding("wav-float")))
        }
        let files = queries.indices.map { "\($0).wav" }.joined(separator: " ")
        let lines = try objects("match --catalog c.earcatalog " + files)
        let related = lines.map { $0["related"] as? [[String: Any]] ?? [] }
        let answered = try lines.map { try Set(answers($0).compactMap { $0["reference"] as? String }) }
        for (place, query) in queries.enumerated() {
            #expect(query.share > 0 || answered[place].count == 1)
            #expect(query.share < 2 || answered[place].isEmpty)
            #expect(related[place].allSatisfy { !answered[place].contains($0["reference"] as? String ?? "") })
        }
        let place = try #require(related.indices.first { !related[$0].isEmpty && answered[$0].isEmpty })
        let (song, named) = (queries[place].song, related[place])
        #expect(
            named.count == 1 && Set(named[0].keys) == ["reference", "title", "matchOffset", "confidence"])
        #expect(named[0]["title"] as? String == SongBook.title(song))
        #expect(abs(try #require(named[0]["matchOffset"] as? Double) - 2) < 0.02)
        #expect((0.95..<1).contains(try #require(named[0]["confidence"] as? Double)))
        let text = try EarshotProcess(
            arguments: [
                "match", "--format", "text", "--catalog", folder.file("c.earcatalog"),
                folder.file("\(place).wav"),
            ])
        #expect(
            text.output.contains("no match") && text.output.contains("related to \(SongBook.title(song)) at"))
        #expect(text.status == 0 && text.errors.isEmpty)
    }

    @Test("A line gives back any path")
    func linesKeepAnyText() throws {
        let names = ["plain", "a \"quoted\" \\ name", "tab\tand\nline", "№ 日本 👩‍👩‍👧", "\u{1}\u{1F}"]
        let paths = names.map(folder.file)
        let run = try EarshotProcess(
            arguments: ["match", "--catalog", folder.file("c.earcatalog")] + paths)
        #expect(run.status == 1)
        let lines = try lines(of: run)
        #expect(lines.map { $0["query"] as? String } == paths)
        #expect(lines.allSatisfy { ($0["error"] as? String)?.isEmpty == false })
    }

    @Test func signatureFilesAreQueries() throws {
        let path = folder.file("q.shazamsignature")
        try SongBook.query(2, from: 4, seconds: 5).dataRepresentation.write(to: URL(fileURLWithPath: path))
        let line = try #require(try objects("match --catalog c.earcatalog q.shazamsignature").first)
        #expect(try answers(line).map { $0["title"] as? String } == [SongBook.title(2)])
    }

    /// Samples are the clock of their session: however fast they come, the lines are the same.
    @Test func linesOfAStreamDoNotDependOnItsPace() throws {
        let audio = SongBook.songs[1].render(from: 2, seconds: 6)
        let bytes = audio.samples.withUnsafeBytes { Data($0) }
        try bytes.write(to: URL(fileURLWithPath: folder.file("raw")))
        let listen =
            "\"$EARSHOT\" listen --catalog c.earcatalog --raw f32le --rate \(audio.sampleRate)"
        func lines(_ script: String) throws -> String {
            let run = try EarshotProcess(shell: "cd '\(folder.path)' && \(script)")
            #expect(run.status == 0, "\(run.errors)")
            return run.output
        }
        let atOnce = try lines("\(listen) < raw")
        let half = bytes.count / 8 * 4
        let slowly = try lines(
            "{ head -c \(half) raw; sleep 0.4; tail -c +\(half + 1) raw; } | \(listen)")
        #expect(!atOnce.isEmpty && atOnce == slowly)
    }
}
