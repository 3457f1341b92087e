import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Matches have the right reference, place and skew; a query of no reference has none.
struct MatchTests {
    private let catalog = SongCatalog.catalog

    /// The best match, which must be accepted and of song `song`.
    private func found(_ audio: AudioBuffer, song: Int) throws -> Match {
        let match = try #require(try catalog.match(query: audio).first)
        #expect(match.isAccepted)
        #expect(match.referenceID == "song \(song)")
        return match
    }

    @Test(arguments: 0..<24)
    func offsetIsExactAtEveryPhase(phase: Int) throws {
        let song = phase % 6
        let start = 3 + Double(phase) * (0.032 / 24) + Double(phase) * 0.992
        let match = try found(SongCatalog.songs[song].render(from: start, seconds: 5), song: song)
        #expect(abs(match.offsetSeconds - start) < 0.002)
        #expect(match.skewKind == .identity)
        #expect(match.timeSkew == 0 && match.frequencySkew == 0)
        #expect(abs(match.freeFrequencySkew) < 0.0002)
        #expect(match.confidence > 0.99)
    }

    @Test(arguments: [8000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000, 44_101])
    func rateDoesNotMatter(rate: Int) throws {
        let match = try found(SongCatalog.songs[2].render(from: 7.77, seconds: 4, sampleRate: rate), song: 2)
        #expect(abs(match.offsetSeconds - 7.77) < 0.002)
    }

    @Test("Catalog and query match if the bass is missing in either", arguments: [75.0, 30], [75.0, 30])
    func bassMayBeMissing(ofCatalog: Double, ofQuery: Double) throws {
        func settings(_ lowestHertz: Double) -> Settings {
            var settings = Settings()
            settings.analysis.lowestHertz = lowestHertz
            return settings
        }
        // An octave lower, the songs reach into the bass.
        let songs = SongCatalog.songs.prefix(3).map { $0.render(from: 0, seconds: 30, frequencyRatio: 0.5) }
        let catalog = try Catalog(
            references: songs.enumerated().map { place, song in
                Reference(
                    id: "song \(place)",
                    signature: try SignatureExtractor.signature(of: song, settings: settings(ofCatalog)))
            }, settings: settings(ofCatalog))
        let frames = songs[1].sampleRate * 9..<songs[1].sampleRate * 14
        let query = try SignatureExtractor.signature(
            of: songs[1].frames(frames), settings: settings(ofQuery), detail: .query)
        #expect(query.peaks.contains { $0.frequencyHertz < 73 } == (ofQuery < 73))
        let match = try #require(try catalog.match(Query(query)).first)
        #expect(match.isAccepted && match.referenceID == "song 1" && abs(match.offsetSeconds - 9) < 0.003)
    }

    enum Change: CaseIterable { case speed, pitch, tempo }

    @Test(arguments: Change.allCases, Array(stride(from: -6, through: 6, by: 0.5)))
    func skewsHaveNoHoles(change: Change, percent: Double) throws {
        let ratio = 1 + percent / 100
        let time = change == .pitch ? 1 : ratio
        let frequency = change == .tempo ? 1 : ratio
        for song in 0..<2 {
            let audio = SongCatalog.songs[song].render(
                from: 11.3, seconds: 5, timeRatio: time, frequencyRatio: frequency)
            let match = try found(audio, song: song)
            #expect(abs(match.offsetSeconds - 11.3) < 0.006)
            #expect(abs(match.freeFrequencySkew - (frequency - 1)) < 0.0005)
            #expect(abs(match.freeTimeSkew - (time - 1)) < 5 * match.timeSkewError + 0.0005)
            #expect(abs(match.frequencySkew - (frequency - 1)) < 0.0005)
            #expect(abs(match.timeSkew - (time - 1)) < 5 * match.timeSkewError + 0.0005)
            #expect(match.timeSkewError < 0.004 && match.frequencySkewError < 0.0005)
            if percent != 0 {
                let kind: SkewKind = change == .speed ? .speed : change == .pitch ? .pitch : .tempo
                #expect(match.skewKind == kind)
            }
        }
    }

    @Test(arguments: [-0.2, -0.1, 0.1, 0.2])
    func aSmallSpeedIsToldFromNone(percent: Double) throws {
        let ratio = 1 + percent / 100
        for song in 0..<6 {
            let audio = SongCatalog.songs[song].render(
                from: 11.3, seconds: 5, timeRatio: ratio, frequencyRatio: ratio)
            let match = try found(audio, song: song)
            #expect(abs(match.frequencySkew - (ratio - 1)) < 0.0002)
        }
    }

    @Test(arguments: 100..<120)
    func strangersAreNotNamed(seed: Int) throws {
        let stranger = ScoreSong(seed: UInt64(seed), seconds: 12)
        for seconds in [1.0, 5, 10] {
            let matches = try catalog.match(query: stranger.render(from: 1, seconds: seconds))
            #expect(matches.allSatisfy { !$0.isAccepted })
        }
        let noise = TestSignals.noise(seed: UInt64(seed), seconds: 5, sampleRate: 16_000)
        #expect(try catalog.match(query: noise).allSatisfy { !$0.isAccepted })
    }

    @Test func noisyQueryIsFound() throws {
        let clean = SongCatalog.songs[4].render(from: 20.02, seconds: 6)
        var noise = TestSignals.noise(seed: 9, seconds: 6, sampleRate: 16_000)
        let gain = Float((clean.meanPower / noise.meanPower).squareRoot())
        noise = AudioBuffer(
            samples: zip(clean.samples, noise.samples).map { $0 + gain * $1 }, sampleRate: 16_000)
        let match = try found(noise, song: 4)
        #expect(abs(match.offsetSeconds - 20.02) < 0.02)
    }

    @Test func longQueriesVoteInParts() throws {
        let song = ScoreSong(seed: 77, seconds: 90)
        let reference = Reference(id: "long", signature: try SignatureExtractor.signature(of: song.render()))
        let catalog = try Catalog(references: SongCatalog.references + [reference])
        for ratio in [1.0, 0.96, 1.035] {
            let audio = song.render(from: 5.5, seconds: 70, timeRatio: ratio, frequencyRatio: ratio)
            let match = try #require(try catalog.match(query: audio).first)
            #expect(match.referenceID == "long" && match.isAccepted)
            #expect(abs(match.offsetSeconds - 5.5) < 0.005)
            #expect(abs(match.timeSkew - (ratio - 1)) < 0.0002)
        }
    }

    @Test func queryMayHangOverEitherEnd() throws {
        let early = SongCatalog.songs[3].render(from: -3, seconds: 7)
        #expect(abs(try found(early, song: 3).offsetSeconds + 3) < 0.005)
        let late = SongCatalog.songs[3].render(from: 37, seconds: 8)
        #expect(abs(try found(late, song: 3).offsetSeconds - 37) < 0.005)
    }

    @Test func invertedChannelIsHeard() throws {
        let audio = SongCatalog.songs[1].render(from: 9.5, seconds: 5)
        let inverted = AudioBuffer(
            samples: audio.samples + audio.samples.map { -$0 }, sampleRate: audio.sampleRate, channelCount: 2)
        #expect(abs(try found(inverted, song: 1).offsetSeconds - 9.5) < 0.002)
    }

    @Test func copiesAreToldApartBySkew() throws {
        let song = ScoreSong(seed: 31, seconds: 30)
        let ratios = [1.0, 1.005, 0.995, 1.01, 0.98]
        let references = try ratios.map { ratio in
            let copy = song.render(
                from: 0, seconds: 30 / ratio, timeRatio: ratio, frequencyRatio: ratio)
            return Reference(id: "\(ratio)", signature: try SignatureExtractor.signature(of: copy))
        }
        let catalog = try Catalog(references: references)
        for ratio in ratios {
            let query = song.render(from: 10, seconds: 5, timeRatio: ratio, frequencyRatio: ratio)
            let matches = try catalog.match(query: query)
            #expect(matches.first?.referenceID == "\(ratio)")
            #expect(abs((matches.first?.offsetSeconds ?? 0) - 10 / ratio) < 0.003)
        }
    }

    @Test func sharedMaterialNamesAllItsOwners() throws {
        let song = SongCatalog.references[0]
        let twin = Reference(id: "twin", signature: song.signature)
        let catalog = try Catalog(references: SongCatalog.references + [twin])
        let accepted = try catalog.match(query: SongCatalog.songs[0].render(from: 5, seconds: 5)).filter(
            \.isAccepted)
        #expect(accepted.map(\.referenceID) == ["song 0", "twin"])
    }

    @Test func matchRestsOnPairsOfPeaks() throws {
        let query = try Query(SongCatalog.songs[5].render(from: 8, seconds: 5))
        let match = try #require(try catalog.match(query).first)
        let pairs = catalog.matchedPeaks(of: match, in: query)
        #expect(pairs.count >= match.matchedPeaks && match.matchedPeaks > 40)
        for pair in pairs {
            #expect(abs(pair.reference.timeSeconds - pair.query.timeSeconds - match.offsetSeconds) < 0.032)
            #expect(abs(pair.reference.frequencyHertz - pair.query.frequencyHertz) < 4)
        }
    }

    @Test func signatureServesAsQuery() throws {
        let audio = SongCatalog.songs[2].render(from: 6.25, seconds: 6)
        let signature = try SignatureExtractor.signature(of: audio, detail: .query)
        let match = try #require(try catalog.match(Query(signature)).first)
        #expect(match.referenceID == "song 2" && match.isAccepted)
        #expect(abs(match.offsetSeconds - 6.25) < 0.002)
    }

    @Test func answersAreTheSameOnManyThreads() async throws {
        let queries = (0..<12).map {
            SongCatalog.songs[$0 % 6].render(
                from: Double($0) * 2, seconds: 4, timeRatio: 1 + 0.01 * Double($0 % 4), frequencyRatio: 1)
        }
        let alone = try queries.map { try catalog.match(query: $0) }
        let together = try await withThrowingTaskGroup(of: (Int, [Match]).self) { group in
            for (place, query) in queries.enumerated() {
                group.addTask { (place, try SongCatalog.catalog.match(query: query)) }
            }
            return try await group.reduce(into: [Int: [Match]]()) { $0[$1.0] = $1.1 }
        }
        for place in queries.indices { #expect(together[place] == alone[place]) }
    }
}
