import AudioCore
import EarshotKit
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// `earshot listen` with samples on standard input: what is printed, and what of input that is cut.
@Suite struct ListenTests {
    private struct Line: Decodable {
        struct Answer: Decodable {
            let title, reference: String
            let predictedCurrentMatchOffset: Double
            let items: [Item]
        }
        struct Item: Decodable {
            struct Properties: Decodable { let title: String? }
            let properties: Properties
        }
        let heardSeconds: Double
        let answers: [Answer]
        let error: String?
    }

    private let folder: TemporaryFolder
    private let song = ScoreSong(seed: 61, seconds: 30)

    init() throws {
        folder = try TemporaryFolder()
        let references = try [60, 61].map { seed in
            Reference(
                id: "song-\(seed)", mediaItem: MediaItem(title: "Song \(seed)"),
                signature: try SignatureExtractor.signature(
                    of: ScoreSong(seed: UInt64(seed), seconds: 30).render()))
        }
        try CatalogFile.write(references, to: folder.file("c.earcatalog"))
    }

    private func listen(_ bytes: Data, _ options: String) throws -> (lines: [Line], run: EarshotProcess) {
        try bytes.write(to: URL(fileURLWithPath: folder.file("samples")))
        let run = try EarshotProcess(
            shell:
                "exec \"$EARSHOT\" listen --catalog '\(folder.file("c.earcatalog"))' \(options) < '\(folder.file("samples"))'"
        )
        let lines = try run.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        return (lines, run)
    }

    private func samples(_ audio: AudioBuffer) -> Data {
        audio.samples.withUnsafeBytes { Data($0) }
    }

    @Test func namesWhatIsHeardAndWhere() throws {
        let audio = song.render(from: 6, seconds: 8)
        let (lines, run) = try listen(samples(audio), "--raw f32le --rate \(audio.sampleRate)")
        #expect(run.status == 0 && run.errors.isEmpty)
        let first = try #require(lines.first)
        #expect(first.answers.first?.title == "Song 61" && first.heardSeconds < 3)
        for line in lines {
            let answer = try #require(line.answers.first)
            #expect(abs(answer.predictedCurrentMatchOffset - 6 - line.heardSeconds) < 0.05)
        }
    }

    /// Every property of each item, as JSON.
    @Test func linesHoldEveryProperty() throws {
        let item = SHMediaItem(properties: [
            .subtitle: "Counting", .artworkURL: URL(string: "https://example.org/a.png") as Any,
            .timeRanges: [0.0..<20], SHMediaItemProperty("equation"): ["left": ["😀": 2], "right": 1.5],
        ])
        let later = SHMediaItem(properties: [.title: "Later", .timeRanges: [25.0..<26]])
        try CatalogFile.write(
            [
                Reference(
                    id: "lesson", mediaItem: try MediaItem(items: [item, later]),
                    signature: try SignatureExtractor.signature(of: song.render()))
            ], to: folder.file("c.earcatalog"))
        let audio = song.render(from: 6, seconds: 4)
        let (lines, run) = try listen(samples(audio), "--raw f32le --rate \(audio.sampleRate) --once")
        #expect(lines.first?.answers.first?.items.count == 1)
        let line = try #require(run.output.split(separator: "\n").first)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let answer = (object?["answers"] as? [[String: Any]])?.first
        let properties = try #require(
            (answer?["items"] as? [[String: Any]])?.first?["properties"] as? [String: Any])
        #expect(Set(properties.keys) == ["subtitle", "artworkURL", "timeRanges", "equation"])
        #expect(properties["artworkURL"] as? String == "https://example.org/a.png")
        #expect(properties["timeRanges"] as? [[Double]] == [[0, 20]])
        let equation = try #require(properties["equation"] as? [String: Any])
        #expect(equation["right"] as? Double == 1.5 && equation["left"] as? [String: Int] == ["😀": 2])
        let all = try listen(samples(audio), "--raw f32le --rate \(audio.sampleRate) --once --all").lines
        #expect(all.first?.answers.first?.items.map(\.properties.title) == [nil, "Later"])
    }

    @Test func integersAreHeardAsFloatsAre() throws {
        let audio = song.render(from: 3, seconds: 4)
        let integers = audio.samples.map { Int16(max(-1, min($0, 1)) * 32767).littleEndian }
        let stereo = integers.flatMap { [$0, $0] }
        let (lines, run) = try listen(
            stereo.withUnsafeBytes { Data($0) }, "--raw s16le --channels 2 --rate \(audio.sampleRate) --once")
        #expect(run.status == 0 && lines.count == 1)
        #expect(lines.first?.answers.first?.reference == "song-61")
    }

    @Test func whatIsUnknownHasNoItems() throws {
        let audio = ScoreSong(seed: 999, seconds: 11).render()
        let (lines, run) = try listen(samples(audio), "--raw f32le --rate \(audio.sampleRate)")
        #expect(run.status == 0)
        #expect(lines.map(\.heardSeconds) == [5, 10] && lines.allSatisfy { $0.answers.isEmpty })
    }

    /// Unknown music, 8 s of a song, a jingle, unknown music, and the song again.
    @Test func changesAreLines() throws {
        let stranger = ScoreSong(seed: 902, seconds: 60)
        let jingle = ScoreSong(seed: 70, seconds: 5).render()
        try CatalogFile.write(
            [("song", song.render()), ("jingle", jingle)].map { id, audio in
                Reference(
                    id: id, mediaItem: MediaItem(title: id.capitalized),
                    signature: try SignatureExtractor.signature(of: audio))
            }, to: folder.file("c.earcatalog"))
        let parts = [
            stranger.render(from: 0, seconds: 9.3), song.render(from: 6, seconds: 8), jingle,
            stranger.render(from: 20, seconds: 9), song.render(from: 0, seconds: 6.3),
        ]
        let audio = AudioBuffer(samples: parts.flatMap(\.samples), sampleRate: jingle.sampleRate)
        try samples(audio).write(to: URL(fileURLWithPath: folder.file("samples")))
        func run(_ format: String) throws -> [String] {
            let run = try EarshotProcess(
                shell: "exec \"$EARSHOT\" listen --catalog '\(folder.file("c.earcatalog"))' --raw f32le "
                    + "--rate \(audio.sampleRate) --changes --wall-clock 23:59:50 --format \(format) "
                    + "< '\(folder.file("samples"))'")
            #expect(run.status == 0, "\(run.errors)")
            return run.output.split(separator: "\n").map(String.init)
        }
        struct Change: Decodable {
            struct Answer: Decodable { let reference: String }
            let change, time: String
            let seconds: Double
            let answer: Answer?
        }
        let changes = try run("jsonl").map { try JSONDecoder().decode(Change.self, from: Data($0.utf8)) }
        let expected: [(String, String?, Double)] = [
            ("nothing", nil, 0), ("begins", "song", 9.3), ("ends", "song", 17.3), ("begins", "jingle", 17.3),
            ("ends", "jingle", 22.3), ("nothing", nil, 22.3), ("begins", "song", 31.3),
            ("ends", "song", 37.6),
        ]
        #expect(changes.map(\.change) == expected.map(\.0))
        #expect(changes.map(\.answer?.reference) == expected.map(\.1))
        for (change, (_, reference, seconds)) in zip(changes, expected) {
            // A song that is joined in its middle may have begun with the audio that was looked up.
            let early = reference == "song" && seconds < 20 ? 8.0 : 0.3
            #expect((seconds - early...seconds + 0.3).contains(change.seconds), "\(change)")
            #expect(change.time.hasPrefix(change.seconds < 10 ? "23:59:5" : "00:00:"), "\(change)")
        }
        let lines = try run("text")
        #expect(lines.count == expected.count && lines[0].hasSuffix("  nothing plays"))
        #expect(lines[3].hasSuffix("  begins  Jingle"))
        #expect(lines[4].hasSuffix("ends    Jingle"))
    }

    @Test func inputThatEndsWithinAFrameIsAnError() throws {
        let audio = song.render(from: 6, seconds: 1)
        let (_, run) = try listen(samples(audio) + Data([1]), "--raw f32le --rate \(audio.sampleRate)")
        #expect(run.status == 1)
        #expect(run.errors.contains("standard input ends 1.0 s from its beginning, after 1 of the 4 bytes"))
    }
}
