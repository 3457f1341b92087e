import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Streams: events do not depend on cuts, come as soon as there is evidence, and never without it.
struct StreamMatcherTests {
    /// 6 s of no reference, 9 s of song 1 from 12 s on, 5 s of song 4 from 3 s on, 8 s of no reference.
    private static let program: AudioBuffer = {
        let stranger = ScoreSong(seed: 900, seconds: 40)
        let parts = [
            stranger.render(from: 0, seconds: 6), SongCatalog.songs[1].render(from: 12, seconds: 9),
            SongCatalog.songs[4].render(from: 3, seconds: 5), stranger.render(from: 20, seconds: 8),
        ]
        return AudioBuffer(samples: parts.flatMap(\.samples), sampleRate: parts[0].sampleRate)
    }()

    private func events(of audio: AudioBuffer, block: Int) throws -> [StreamEvent] {
        var stream = try StreamMatcher(
            catalog: SongCatalog.catalog, sampleRate: audio.sampleRate, channelCount: 1)
        return try stride(from: 0, to: audio.frameCount, by: block).flatMap { start in
            try stream.append(audio.frames(start..<min(audio.frameCount, start + block)))
        }
    }

    @Test(arguments: [1, 997, 4096, 100_000])
    func chunksDoNotChangeWhatIsHeard(block: Int) throws {
        let audio = block == 1 ? Self.program.frames(90_000..<140_000) : Self.program
        let whole = try events(of: audio, block: audio.frameCount)
        let cut = try events(of: audio, block: block)
        #expect(!whole.isEmpty)
        #expect(cut.map(\.kind) == whole.map(\.kind))
        #expect(cut.map(\.matches) == whole.map(\.matches))
        #expect(cut.map(\.elapsedSeconds) == whole.map(\.elapsedSeconds))
    }

    @Test func eachSongIsNamedWhereItIs() throws {
        let found = try events(of: Self.program, block: 4096).filter { $0.kind != .notFound }
        let names = found.map { $0.matches[0].referenceID }
        #expect(Set(names) == ["song 1", "song 4"])
        for event in found {
            let match = event.matches[0]
            // The time in the stream, and the reference time less it.
            let shift = match.offsetSeconds - event.startSeconds
            #expect(abs(shift - (match.referenceID == "song 1" ? 6 : 3 - 15)) < 0.02)
        }
        let first = try #require(found.first)
        #expect(first.elapsedSeconds > 6 && first.elapsedSeconds < 12)
        let second = try #require(found.first { $0.matches[0].referenceID == "song 4" })
        #expect(second.kind == .found && second.elapsedSeconds > 15 && second.elapsedSeconds < 20)
    }

    @Test func aSongThatIsPlayedFromTheStartIsNamedWithinTwoSeconds() throws {
        for (place, song) in SongCatalog.songs.enumerated() {
            let found = try events(of: song.render(from: 7.3, seconds: 4), block: 1024)
            let first = try #require(found.first)
            #expect(first.kind == .found && first.matches[0].referenceID == "song \(place)")
            #expect(first.elapsedSeconds <= 2)
        }
    }

    @Test func theEndOfASongIsNoticed() throws {
        let last = try #require(try events(of: Self.program, block: 4096).last)
        #expect(last.kind == .notFound && last.elapsedSeconds <= 28)
    }

    @Test func nothingIsNamedInWhatIsInNoReference() throws {
        let audio = ScoreSong(seed: 901, seconds: 60).render()
        let events = try events(of: audio, block: 4096)
        #expect(events.allSatisfy { $0.kind == .notFound && $0.matches.isEmpty })
        // At 5 s and every 5 s after that.
        #expect(events.map(\.elapsedSeconds) == stride(from: 5.0, through: 60, by: 5).map { $0 })
    }

    @Test func skewedSongsAreFollowed() throws {
        let audio = SongCatalog.songs[2].render(
            from: 4, seconds: 12, timeRatio: 1.03, frequencyRatio: 1.03)
        let last = try #require(try events(of: audio, block: 4096).last)
        #expect(last.kind == .following && last.matches[0].referenceID == "song 2")
        #expect(abs(last.matches[0].frequencySkew - 0.03) < 0.0005)
        let now = last.matches[0].offsetSeconds + (last.elapsedSeconds - last.startSeconds) * 1.03
        #expect(abs(now - (4 + last.elapsedSeconds * 1.03)) < 0.02)
    }

    @Test func silenceIsNotNamed() throws {
        let silence = AudioBuffer(silentFrames: 44_100 * 12, sampleRate: 44_100)
        #expect(try events(of: silence, block: 4410).allSatisfy { $0.kind == .notFound })
    }

    @Test func otherFormatsAndInfiniteSamplesAreErrors() throws {
        var stream = try StreamMatcher(catalog: SongCatalog.catalog, sampleRate: 44_100, channelCount: 1)
        #expect(throws: FingerprintingError.self) {
            try stream.append(AudioBuffer(silentFrames: 10_000, sampleRate: 48_000))
        }
        #expect(throws: FingerprintingError.self) {
            try stream.append(
                AudioBuffer(samples: [Float](repeating: .nan, count: 10_000), sampleRate: 44_100))
        }
        #expect(throws: FingerprintingError.self) {
            try StreamMatcher(catalog: SongCatalog.catalog, sampleRate: 100, channelCount: 1)
        }
    }

    @Test func aQuerysSignatureFindsWhatItFound() throws {
        let found = try #require(
            try events(of: SongCatalog.songs[3].render(from: 20, seconds: 6), block: 4096).last)
        let match = try #require(
            try SongCatalog.catalog.match(Query(found.query.signature)).first { $0.isAccepted })
        #expect(match.referenceID == "song 3")
        #expect(abs(match.offsetSeconds - found.matches[0].offsetSeconds) < 0.002)
    }

    @Test func heightsAreKeptInFiles() throws {
        let signature = try SignatureExtractor.signature(
            of: SongCatalog.songs[0].render(from: 0, seconds: 4), detail: .query)
        #expect(signature.hasHeights && signature.peaks.contains { $0.height > 64 })
        #expect(try Signature(encoded: signature.encoded(), name: "heights") == signature)
    }
}
