import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// What a stream looks up is what a query of the same seconds is, and when it looks follows from its settings.
struct StreamWindowTests {
    private static let songs = (0..<3).map { ScoreSong(seed: 500 + UInt64($0), seconds: 30) }
    private static let catalog: Catalog = {
        let references = songs.enumerated().compactMap { place, song -> Reference? in
            guard let signature = try? SignatureExtractor.signature(of: song.render(sampleRate: 8000)) else {
                return nil
            }
            return Reference(id: "\(place)", signature: signature)
        }
        guard let catalog = try? Catalog(references: references) else { preconditionFailure("no catalog") }
        return catalog
    }()
    private static let stranger = ScoreSong(seed: 590, seconds: 40).render(sampleRate: 8000)

    private func events(
        _ audio: AudioBuffer, settings: StreamSettings = StreamSettings(), block: (Int) -> Int = { _ in 4000 }
    ) throws -> [StreamEvent] {
        var stream = try StreamMatcher(
            catalog: Self.catalog, sampleRate: audio.sampleRate, channelCount: audio.channelCount,
            settings: settings)
        var events: [StreamEvent] = []
        var start = 0
        var turn = 0
        while start < audio.frameCount {
            let end = min(audio.frameCount, start + block(turn))
            events += try stream.append(audio.frames(start..<end))
            start = end
            turn += 1
        }
        #expect(stream.elapsedSeconds == audio.durationSeconds)
        return events
    }

    private func joined(_ parts: [AudioBuffer]) -> AudioBuffer {
        AudioBuffer(samples: parts.flatMap(\.samples), sampleRate: parts[0].sampleRate)
    }

    @Test("The query of an event has the peaks of a query of those seconds of audio")
    func windowsAreQueries() throws {
        let audio = joined([
            Self.stranger.frames(0..<56_000), Self.songs[0].render(from: 3, seconds: 9, sampleRate: 8000),
        ])
        var compared = 0
        for event in try events(audio) {
            let (start, end) = (Int((event.startSeconds * 8000).rounded()), Int(event.elapsedSeconds * 8000))
            let batch = try Query(audio.frames(start..<end))
            // Audio before the window reaches into its first rows, and into the levels of 1.5 s, of 5.4 s in the bass.
            func peaks(_ query: Query) -> [Peak] {
                query.peaks.filter { $0.timeSeconds >= ($0.frequencyHertz < 73 ? 5.4 : 1.5) }
            }
            let (own, other) = (peaks(event.query), peaks(batch))
            // Frames are transformed in pairs. From an odd one of the bass on the last bits differ, so 1 or 2 peaks
            // may too.
            #expect(own == other || start % 2048 == 1024, "from sample \(start)")
            #expect(Set(own).symmetricDifference(other).count <= 2 + other.count / 25)
            #expect(abs(event.query.durationSeconds - batch.durationSeconds) < 0.033)
            #expect(start % 1024 == 0)
            compared += peaks(batch).count
        }
        #expect(compared > 1000, "too little to tell")
    }

    @Test("A batch query of the seconds of an event names the same reference at the same place")
    func batchAnswersTheSame() throws {
        for song in 0..<3 {
            let audio = Self.songs[song].render(from: 5, seconds: 9, sampleRate: 8000)
            let found = try events(audio).filter { $0.kind != .notFound }
            #expect(found.count > 4)
            for event in found {
                let (start, end) = (
                    Int((event.startSeconds * 8000).rounded()), Int(event.elapsedSeconds * 8000)
                )
                let batch = try #require(try Self.catalog.match(query: audio.frames(start..<end)).first)
                let match = try #require(event.matches.first)
                #expect(batch.referenceID == match.referenceID && batch.referenceID == "\(song)")
                #expect(abs(batch.offsetSeconds - match.offsetSeconds) < 0.003)
                // The query itself, looked up again, is the answer or better.
                let again = try #require(try Self.catalog.match(event.query).first)
                #expect(again.referenceID == match.referenceID)
                #expect(abs(again.offsetSeconds - match.offsetSeconds) < 0.003)
            }
        }
    }

    @Test("Blocks of any sizes, even changing ones, give the same events")
    func blocksDoNotMatter() throws {
        let audio = joined([
            Self.songs[1].render(from: 2, seconds: 5, sampleRate: 8000), Self.stranger.frames(0..<48_000),
        ])
        let whole = try events(audio, block: { _ in audio.frameCount })
        var generator = SeededGenerator(seed: 3, "blocks")
        let sizes = (0..<5000).map { _ in
            1 + generator.index(below: [2, 50, 3000, 20_000][generator.index(below: 4)])
        }
        for block in [{ sizes[$0] }, { $0 < 500 ? 1 : 8000 }, { _ in 255 }] as [(Int) -> Int] {
            let cut = try events(audio, block: block)
            #expect(cut.map(\.kind) == whole.map(\.kind) && cut.map(\.matches) == whole.map(\.matches))
            #expect(cut.map(\.elapsedSeconds) == whole.map(\.elapsedSeconds))
            #expect(cut.map(\.startSeconds) == whole.map(\.startSeconds))
            #expect(cut.map(\.query.peaks) == whole.map(\.query.peaks))
        }
        #expect(whole.contains { $0.kind == .found } && whole.contains { $0.kind == .notFound })
    }

    @Test("A stream that never ends in a match is reported as unknown at the times that the settings say")
    func unknownMusicIsReportedOnTime() throws {
        var settings = StreamSettings()
        settings.stepSeconds = 0.5
        settings.firstLooksSeconds = [1, 3]
        settings.looks = [
            .init(everySeconds: 1, windowSeconds: 4, isUnskewedOnly: true, candidates: 25),
            .init(everySeconds: 2, windowSeconds: 8, isUnskewedOnly: false, candidates: 100),
        ]
        let quick = try events(Self.stranger.frames(0..<120_000), settings: settings)
        #expect(quick.map(\.elapsedSeconds) == stride(from: 3.0, through: 15, by: 2).map { $0 })
        #expect(quick.allSatisfy { $0.kind == .notFound && $0.matches.isEmpty })
        // The window is no longer than the settings say, and starts at a frame of the bass.
        for event in quick.dropFirst(3) { #expect(abs(event.elapsedSeconds - event.startSeconds - 8) < 0.13) }
        settings.looks[0].windowSeconds = 2
        settings.looks[1].windowSeconds = 3
        for event in try events(Self.stranger.frames(0..<80_000), settings: settings).dropFirst(2) {
            #expect(abs(event.elapsedSeconds - event.startSeconds - 3) < 0.13)
        }
    }

    @Test("A song after half a minute of unknown music is found as soon as one at the start")
    func lateSongsAreFound() throws {
        let song = Self.songs[2].render(from: 6, seconds: 7, sampleRate: 8000)
        let late = try events(joined([Self.stranger.frames(0..<240_000), song]))
        let first = try #require(late.first { $0.kind == .found })
        #expect(first.matches[0].referenceID == "2")
        #expect(first.elapsedSeconds > 30 && first.elapsedSeconds < 35)
        #expect(abs(first.matches[0].offsetSeconds + (30 - first.startSeconds) - 6) < 0.02)
        #expect(late.filter { $0.elapsedSeconds <= 30 }.allSatisfy { $0.kind == .notFound })
    }

    @Test("Silence between two songs ends the first, and the second is found afterwards")
    func silenceEndsASong() throws {
        let silence = AudioBuffer(silentFrames: 64_000, sampleRate: 8000)
        let found = try events(
            joined([
                Self.songs[0].render(from: 4, seconds: 6, sampleRate: 8000), silence,
                Self.songs[1].render(from: 9, seconds: 6, sampleRate: 8000),
            ]))
        let kinds = found.map { ($0.kind, $0.matches.first?.referenceID) }
        let end = try #require(found.first { $0.kind == .notFound && $0.elapsedSeconds > 6 })
        #expect(end.elapsedSeconds < 14, "\(kinds)")
        let second = try #require(found.first { $0.matches.first?.referenceID == "1" })
        #expect(second.kind == .found && second.elapsedSeconds > 14 && second.elapsedSeconds < 18)
        // Between the end and the second song nothing is named.
        let between = found.filter { (end.elapsedSeconds...14).contains($0.elapsedSeconds) }
        #expect(between.allSatisfy { $0.matches.isEmpty })
    }

    @Test("A song that goes on is confirmed every second, at the place that time says")
    func songsAreFollowed() throws {
        let found = try events(Self.songs[0].render(from: 2, seconds: 20, sampleRate: 8000))
        let first = try #require(found.first)
        #expect(first.kind == .found && found.dropFirst().allSatisfy { $0.kind == .following })
        for (one, next) in zip(found, found.dropFirst()) {
            #expect(abs(next.elapsedSeconds - one.elapsedSeconds - 1) < 1e-9)
        }
        for event in found {
            // Of less than two seconds the speed is not known well, nor is the place.
            let tolerance = event.elapsedSeconds < 2 ? 0.03 : 0.003
            #expect(abs(event.matches[0].offsetSeconds - event.startSeconds - 2) < tolerance)
            #expect(event.elapsedSeconds - event.startSeconds < 5.1)
        }
    }

    @Test("Two channels are heard as their mean; a channel and its inverse as that channel")
    func channelsAreAveraged() throws {
        let song = Self.songs[1].render(from: 4, seconds: 6, sampleRate: 8000)
        let twice = AudioBuffer(samples: song.samples + song.samples, sampleRate: 8000, channelCount: 2)
        let inverted = AudioBuffer(
            samples: song.samples + song.samples.map { -$0 }, sampleRate: 8000, channelCount: 2)
        let (one, two) = (try events(song), try events(twice))
        #expect(one.map(\.matches) == two.map(\.matches) && one.contains { $0.kind == .found })
        #expect(try events(inverted).map(\.matches) == one.map(\.matches))
    }

    @Test("An error in one stream does not affect another")
    func errorsAreNotShared() throws {
        var broken = try StreamMatcher(catalog: Self.catalog, sampleRate: 8000, channelCount: 1)
        var samples = Self.songs[0].render(from: 4, seconds: 4, sampleRate: 8000).samples
        samples[12_345] = .infinity
        let error = #expect(throws: FingerprintingError.self) {
            try broken.append(AudioBuffer(samples: samples, sampleRate: 8000))
        }
        #expect(error?.code == .nonFiniteSample && error?.description.contains("sample 12345") == true)
        let found = try events(Self.songs[0].render(from: 4, seconds: 3, sampleRate: 8000))
        #expect(found.first?.matches.first?.referenceID == "0")
    }

    @Test("A damaged catalog is an error of the look that meets the damage")
    func damageIsThrown() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.earcatalog")
        try CatalogFile.write(Self.catalog, to: path)
        var bytes = try CatalogFile.encode(Self.catalog)
        // Opening the file does not read this block.
        let postings = CatalogSections(bytes: bytes).range("POSTINGS")
        bytes[(postings.lowerBound + postings.upperBound) / 2] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var stream = try StreamMatcher(
            catalog: CatalogFile.open(path, wholeLimit: 0), sampleRate: 8000, channelCount: 1)
        let error = #expect(throws: FingerprintingError.self) {
            try stream.append(Self.songs[0].render(from: 4, seconds: 6, sampleRate: 8000))
        }
        #expect(error?.code == .malformedFile)
    }

    @Test("The signature of an event's query can be kept and finds the same")
    func signaturesOfEventsFindTheSame() throws {
        let found = try events(Self.songs[2].render(from: 10, seconds: 5, sampleRate: 8000))
        let event = try #require(found.last { $0.kind != .notFound })
        let signature = event.query.signature
        #expect(signature.hasHeights && signature.keptRanks == 16 && signature.sampleRate == 16_000)
        #expect(abs(signature.durationSeconds - event.query.durationSeconds) < 1e-9)
        #expect(signature.peaks.map(\.time) == event.query.peaks.map(\.time))
        let kept = try Signature(encoded: signature.encoded(), name: "kept")
        let match = try #require(try Self.catalog.match(Query(kept)).first)
        #expect(kept == signature && match.referenceID == "2" && match.isAccepted)
        #expect(abs(match.offsetSeconds - event.matches[0].offsetSeconds) < 0.003)
    }

    /// At such rates the resampler lags behind the window.
    ///
    /// A trap needs its own process.
    @Test func lowRatesAreFollowed() async {
        await #expect(processExitsWith: .success) {
            let catalog = try Catalog(references: [])
            for rate in [1000, 1001, 1010, 1021, 1023, 1024] {
                var stream = try StreamMatcher(catalog: catalog, sampleRate: rate, channelCount: 1)
                let noise = TestSignals.noise(seed: 1, seconds: 20, sampleRate: rate)
                for start in stride(from: 0, to: noise.frameCount - 99, by: 100) {
                    _ = try stream.append(noise.frames(start..<(start + 100)))
                }
            }
        }
    }
}
