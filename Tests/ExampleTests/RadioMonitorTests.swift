import AudioCore
import EarshotKit
import KitTestSupport
import RadioMonitor
import Synchronization
import TestSupport
import Testing

/// The log lists what a broadcast played, and when.
@Suite struct RadioMonitorTests {
    /// A part of the broadcast.
    private struct Part {
        /// Nil if the part is in no catalog.
        var song: Int?
        var audio: AudioBuffer
        var offset = 0.0
        var skew = 0.0
        /// Whether its song plays to the end.
        var isWhole = true
    }

    private static let parts: [Part] = {
        let songs = SongBook.songs
        return [
            Part(song: nil, audio: ScoreSong(seed: 900, seconds: 20).render()),
            Part(song: 2, audio: songs[2].render()),
            Part(song: nil, audio: SpokenVoice(pitchHertz: 150, seed: 5).audio(seconds: 25)),
            Part(
                song: 0, audio: songs[0].render(from: 8, seconds: 15), offset: 8, isWhole: false),
            Part(song: 1, audio: songs[1].render()),
            Part(song: nil, audio: ScoreSong(seed: 901, seconds: 40).render()),
            Part(
                song: 3,
                audio: songs[3].render(from: 0, seconds: 30 / 1.02, timeRatio: 1.02, frequencyRatio: 1.02),
                skew: 0.02),
            Part(song: 3, audio: songs[3].render()),
            Part(song: nil, audio: ScoreSong(seed: 902, seconds: 20).render()),
        ]
    }()

    private static var broadcast: AudioBuffer {
        AudioBuffer(samples: parts.flatMap(\.audio.samples), sampleRate: 16_000)
    }

    private func check(_ log: [(title: String, start: Double, end: Double, offset: Double, skew: Double)]) {
        var start = 0.0
        var expected: [(Part, Double)] = []
        for part in Self.parts {
            if part.song != nil { expected.append((part, start)) }
            start += part.audio.durationSeconds
        }
        #expect(log.map(\.title) == expected.compactMap { $0.0.song.map(SongBook.title) })
        for (airing, (part, start)) in zip(log, expected) {
            // The first query may start a little into the part. A part that starts inside its song seems to
            // start with the query that found it.
            let late = airing.start - start
            #expect(((part.isWhole ? -0.1 : -8)...2).contains(late))
            #expect(abs(airing.offset - part.offset - late * (1 + part.skew)) < 0.1)
            let end = start + part.audio.durationSeconds
            // A part that is cut off is still in the windows of the next seconds.
            #expect(abs(airing.end - end) < (part.isWhole ? 0.2 : 8))
            #expect(abs(airing.skew - part.skew) < 0.0005)
        }
    }

    @Test(arguments: [1000, 16_384]) func aBroadcastIsLogged(blockFrames: Int) throws {
        let airings = Mutex<[Airing]>([])
        let monitor = try RadioMonitor(catalog: SongBook.catalog()) { airing in
            airings.withLock { $0.append(airing) }
        } fail: {
            Issue.record($0)
        }
        for buffer in Self.broadcast.pcmBuffers(ofFrames: blockFrames) { monitor.append(buffer) }
        monitor.finish()
        #expect(abs(monitor.heardSeconds - Self.broadcast.durationSeconds) < 0.001)
        check(
            airings.withLock { $0 }.sorted { $0.startSeconds < $1.startSeconds }.map {
                ($0.title, $0.startSeconds, $0.endSeconds, $0.offsetSeconds, Double($0.frequencySkew))
            })
    }

    @Test func aBrieflyMaskedSongContinues() throws {
        let airings = Mutex<[Airing]>([])
        let monitor = try RadioMonitor(catalog: SongBook.catalog()) { airing in
            airings.withLock { $0.append(airing) }
        } fail: {
            Issue.record($0)
        }
        var audio = SongBook.songs[1].render().samples
        let noise = TestSignals.noise(seed: 8, seconds: 6, sampleRate: 16_000)
        audio.replaceSubrange(160_000..<256_000, with: noise.samples)
        for buffer in AudioBuffer(samples: audio, sampleRate: 16_000).pcmBuffers(ofFrames: 4000) {
            monitor.append(buffer)
        }
        monitor.finish()
        let log = airings.withLock { $0 }
        #expect(log.map(\.title) == ["Song 1"])
        #expect(abs(try #require(log.first).endSeconds - 30) < 0.2)
    }

    @Test func aChangeOfFormatContinues() throws {
        let airings = Mutex<[Airing]>([])
        let monitor = try RadioMonitor(catalog: SongBook.catalog()) { airing in
            airings.withLock { $0.append(airing) }
        } fail: {
            Issue.record($0)
        }
        let song = SongBook.songs[2]
        for buffer in song.render(from: 0, seconds: 15).pcmBuffers(ofFrames: 4000) { monitor.append(buffer) }
        for buffer in song.render(from: 15, seconds: 15, sampleRate: 22_050).pcmBuffers(ofFrames: 4000) {
            monitor.append(buffer)
        }
        monitor.finish()
        #expect(airings.withLock { $0 }.map(\.title) == ["Song 2"])
    }

    @Test func titlesAreQuoted() throws {
        let catalog = SHCustomCatalog()
        let item = SHMediaItem(properties: [.title: "Say \"hi\", \"\u{301}twice"])
        try catalog.addReferenceSignature(SongBook.signatures[0], representing: [item])
        let rows = Mutex<[String]>([])
        let monitor = try RadioMonitor(catalog: catalog) { airing in
            rows.withLock { $0.append(airing.row) }
        } fail: {
            Issue.record($0)
        }
        for buffer in SongBook.songs[0].render().pcmBuffers(ofFrames: 4000) { monitor.append(buffer) }
        monitor.finish()
        let row = try #require(rows.withLock { $0 }.first)
        #expect(row.utf8.contains(",\"Say \"\"hi\"\", \"\"\u{301}twice\",0.00,".utf8))
        #expect(row.hasPrefix("0.00,30.0"))
    }

    @Test(arguments: ["file", "s16le", "f32le"]) func theProgramReads(_ kind: String) throws {
        let folder = try TemporaryFolder()
        try SongBook.catalog().write(to: URL(fileURLWithPath: folder.file("songs.shazamcatalog")))
        var arguments = [folder.file("songs.shazamcatalog")]
        let audio = Self.broadcast
        var input: FileHandle?
        if kind == "file" {
            try audio.write(to: folder.file("broadcast.wav"))
            arguments.append(folder.file("broadcast.wav"))
        } else {
            let bytes =
                kind == "f32le"
                ? audio.samples.withUnsafeBytes { Data($0) }
                : audio.samples.map { Int16(max(-1, min(1, $0)) * 32_767) }.withUnsafeBytes { Data($0) }
            let raw = URL(fileURLWithPath: folder.file("broadcast.raw"))
            try bytes.write(to: raw)
            input = try FileHandle(forReadingFrom: raw)
            arguments += ["--rate", "16000", "--samples", kind]
        }
        let lines = try ExampleProcess("RadioMonitor", arguments, input: input).finish()
            .split(separator: "\n").map(String.init)
        #expect(lines.first == Airing.header)
        let rows = lines.dropFirst().map { $0.split(separator: ",").map(String.init) }
        check(
            try rows.map { row in
                let numbers = [row[0], row[1], row[3], row[4]].compactMap { Double($0) }
                try #require(numbers.count == 4)
                return (
                    row[2].trimmingCharacters(in: ["\""]), numbers[0], numbers[1], numbers[2], numbers[3]
                )
            }.sorted { $0.1 < $1.1 })
    }
}

extension SpokenVoice {
    /// Speaks at 16 kHz.
    fileprivate func audio(seconds: Double) -> AudioBuffer {
        AudioBuffer(
            samples: speak(frameCount: Int(seconds * 16_000), sampleRate: 16_000), sampleRate: 16_000)
    }
}
