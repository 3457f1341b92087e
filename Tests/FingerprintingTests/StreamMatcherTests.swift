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

    private func events(
        of audio: AudioBuffer, block: Int, in catalog: Catalog = SongCatalog.catalog
    ) throws -> [StreamEvent] {
        var stream = try StreamMatcher(catalog: catalog, sampleRate: audio.sampleRate, channelCount: 1)
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

    private static func joined(_ parts: [AudioBuffer]) -> AudioBuffer {
        AudioBuffer(samples: parts.flatMap(\.samples), sampleRate: parts[0].sampleRate)
    }

    private static func catalog(of references: [(id: String, audio: AudioBuffer)]) throws -> Catalog {
        try Catalog(
            references: SongCatalog.references
                + references.map {
                    Reference(id: $0.id, signature: try SignatureExtractor.signature(of: $0.audio))
                })
    }

    /// Jingles of several lengths between unknown music, each at another moment between two looks.
    @Test(arguments: zip([2.5, 3, 4, 6], [8.0, 8.3, 8.7, 8.5]))
    func aReferenceIsNotNamedAfterItsEnd(seconds: Double, begin: Double) throws {
        let jingle = ScoreSong(seed: 70, seconds: seconds).render()
        let stranger = ScoreSong(seed: 902, seconds: 40)
        let audio = Self.joined([
            stranger.render(from: 0, seconds: begin), jingle, stranger.render(from: 20, seconds: 10),
        ])
        let events = try events(
            of: audio, block: 4096, in: Self.catalog(of: [(id: "jingle", audio: jingle)]))
        let heard = events.filter { $0.kind != .notFound }
        #expect(heard.first?.kind == .found)
        for event in heard {
            #expect(event.matches.map(\.referenceID) == ["jingle"])
            #expect(event.elapsedSeconds <= begin + seconds + 1.02)
        }
        // What has no match is what came after it.
        let last = try #require(heard.last).elapsedSeconds
        let over = try #require(events.first { $0.kind == .notFound && $0.elapsedSeconds > last })
        #expect(over.elapsedSeconds < begin + seconds + 2.5)
        #expect(abs(over.startSeconds - begin - seconds) < 0.3)
    }

    @Test func whatFollowsTheEndOfASongIsNamedSoon() throws {
        let audio = Self.joined([
            SongCatalog.songs[2].render(from: 34, seconds: 6),
            SongCatalog.songs[5].render(from: 0, seconds: 6),
        ])
        let events = try events(of: audio, block: 4096)
        let next = try #require(events.first { $0.matches.first?.referenceID == "song 5" })
        #expect(next.kind == .found && next.elapsedSeconds <= 6 + 2.5)
        #expect(
            !events.contains {
                $0.elapsedSeconds > 7.02 && $0.matches.contains { $0.referenceID == "song 2" }
            })
    }

    /// A song that is sought in, paused or played faster: what is heard then is said soon, and the old place no more.
    @Test func seekPauseAndSpeedAreNoticed() throws {
        let song = SongCatalog.songs[1]
        let sought = try events(
            of: Self.joined([song.render(from: 2, seconds: 12), song.render(from: 26, seconds: 8)]),
            block: 4096)
        func place(_ event: StreamEvent) -> Double? {
            event.matches.first.map { $0.offsetSeconds - event.startSeconds }
        }
        let there = try #require(sought.first { place($0).map { abs($0 - 14) < 0.05 } ?? false })
        #expect(there.elapsedSeconds <= 12 + 1.75)
        #expect(
            !sought.contains {
                $0.elapsedSeconds > there.elapsedSeconds && place($0).map { abs($0 - 2) < 1 } ?? false
            })

        let rate = song.render(from: 0, seconds: 1).sampleRate
        let silence = AudioBuffer(samples: [Float](repeating: 0, count: 5 * rate), sampleRate: rate)
        let paused = try events(
            of: Self.joined([song.render(from: 2, seconds: 12), silence, song.render(from: 14, seconds: 6)]),
            block: 4096)
        let pause = try #require(paused.first { $0.kind == .notFound })
        #expect(pause.elapsedSeconds > 12 && pause.elapsedSeconds <= 12 + 1.75)
        let resumed = try #require(paused.first { $0.elapsedSeconds > 17 && $0.kind == .found })
        #expect(resumed.elapsedSeconds <= 17 + 2)
        #expect(
            !paused.contains {
                $0.elapsedSeconds > pause.elapsedSeconds && $0.elapsedSeconds < 17 && $0.kind != .notFound
            })

        let faster = try events(
            of: Self.joined([
                song.render(from: 2, seconds: 12),
                Self.played(song.render(from: 14, seconds: 12), speed: 1.03),
            ]), block: 4096)
        let change = try #require(
            faster.first { $0.matches.first.map { abs($0.timeSkew - 0.03) < 0.005 } ?? false })
        #expect(change.elapsedSeconds <= 12 + 3)
    }

    private static func played(_ audio: AudioBuffer, speed: Double) -> AudioBuffer {
        let samples = audio.samples
        return AudioBuffer(
            samples: stride(from: 0, to: Double(samples.count - 1), by: speed).map { place in
                let share = Float(place - place.rounded(.down))
                return samples[Int(place)] * (1 - share) + samples[Int(place) + 1] * share
            }, sampleRate: audio.sampleRate)
    }

    /// Of a passage that comes twice, a song goes on with the one that is due, also after it was drowned.
    @Test(arguments: [2.0, 24])
    func theRepeatThatContinuesIsFollowed(position: Double) throws {
        let verse = ScoreSong(seed: 71, seconds: 14).render()
        let reference = Self.joined([
            ScoreSong(seed: 72, seconds: 8).render(), verse, ScoreSong(seed: 73, seconds: 8).render(), verse,
        ])
        // 6 s before the verse, and the verse of which the first 5 s are drowned.
        let rate = reference.sampleRate
        let noise = TestSignals.noise(seed: 4, amplitude: 0.5, seconds: 5, sampleRate: rate)
        let first = Int(position) * rate
        var samples = reference.frames(first..<first + 19 * rate).samples
        samples.replaceSubrange(6 * rate..<11 * rate, with: noise.samples)
        let found = try events(
            of: AudioBuffer(samples: samples, sampleRate: rate), block: 4096,
            in: Self.catalog(of: [(id: "song", audio: reference)])
        ).filter { $0.kind != .notFound }
        #expect((found.last?.elapsedSeconds ?? 0) > 13)
        for event in found {
            let place = event.matches[0].offsetSeconds - event.startSeconds
            #expect(abs(place - position) < 0.25, "\(event.elapsedSeconds) s")
        }
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
