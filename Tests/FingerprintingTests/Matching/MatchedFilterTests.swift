import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// The matched filter alone, with no candidates from votes, and beside them.
struct MatchedFilterTests {
    private static let references = PeakMusic.references(6, seconds: 45)

    /// A catalog in which votes propose nothing.
    private static func catalog(
        _ references: [Reference] = references, _ change: (inout Settings.Lookup) -> Void = { _ in }
    ) throws -> Catalog {
        var settings = Settings()
        settings.lookup.quickCandidates = 0
        settings.lookup.mostQuickCandidates = 0
        settings.lookup.firstCandidates = 0
        settings.lookup.candidates = 0
        change(&settings.lookup)
        return try Catalog(references: references, settings: settings)
    }

    @Test("Every place of a reference is found, from before its first second to beyond its last")
    func everyPlaceIsFound() throws {
        let catalog = try Self.catalog()
        let reference = Self.references[3].signature
        for step in 0..<100 {
            let start = -2.5 + Double(step) * 0.4313
            let match = try #require(
                try catalog.match(PeakMusic.cut(reference, from: start, seconds: 5).query).first)
            #expect(match.referenceIndex == 3 && match.isAccepted, "from \(start)")
            #expect(abs(match.offsetSeconds - start) < 0.001, "from \(start)")
        }
    }

    @Test("A long query is found by any of its parts", arguments: [0.5, 20, 36])
    func partsAreFound(known: Double) throws {
        // Of 40 s only four are of the reference.
        let reference = Self.references[2].signature
        let passage = PeakMusic.cut(reference, from: 10, seconds: 4).signature.peaks
        let stranger = PeakMusic.cut(PeakMusic.signature(seed: 900, seconds: 40), from: 0, seconds: 40)
        let start = UInt32(known * PeakMusic.unitsPerSecond)
        let end = UInt32((known + 4) * PeakMusic.unitsPerSecond)
        let peaks =
            stranger.signature.peaks.filter { !(start..<end).contains($0.time) }
            + passage.map {
                Peak(time: $0.time + start, frequency: $0.frequency, rank: $0.rank, height: $0.height)
            }
        let query = Signature(
            peaks: PeakMusic.ordered(peaks), frameCount: 320_000, sampleRate: 8000, keptRanks: 16,
            channelsCancel: false, hasHeights: true, analysisIdentity: reference.analysisIdentity)
        let match = try #require(try Self.catalog().match(Query(query)).first)
        #expect(match.referenceIndex == 2)
        #expect(abs(match.offsetSeconds - (10 - known)) < 0.005)
    }

    @Test("Nothing is proposed without places, or in a larger catalog")
    func limitsAreKept() throws {
        let query = PeakMusic.cut(Self.references[1].signature, from: 7, seconds: 5).query
        let hours = 6 * 45 / 3600.0
        #expect(try Self.catalog { $0.filterCandidates = 0 }.match(query).isEmpty)
        #expect(try Self.catalog { $0.mostFilteredHours = hours * 0.99 }.match(query).isEmpty)
        let match = try Self.catalog { $0.mostFilteredHours = hours * 1.01 }.match(query).first
        #expect(match?.referenceIndex == 1)
    }

    @Test("A passage that a crowd buries is found more often than by votes alone")
    func crowdsHideLess() throws {
        let songs = (0..<8).map { ScoreSong(seed: UInt64(300 + $0), seconds: 30) }
        let references = try songs.enumerated().map { place, song in
            Reference(id: "\(place)", signature: try SignatureExtractor.signature(of: song.render()))
        }
        var votes = Settings()
        votes.lookup.filterCandidates = 0
        let alone = try Catalog(references: references, settings: votes)
        let both = try Catalog(references: references)
        var found = (alone: 0, both: 0)
        for trial in 0..<24 {
            let start = 2 + Double(trial)
            let rightID = "\(trial % 8)"
            var samples = songs[trial % 8].render(from: start, seconds: 3, sampleRate: 16_000).samples
            for voice in 0..<6 {
                let other = ScoreSong(seed: UInt64(1000 + 6 * trial + voice), seconds: 4)
                let noise = other.render(from: 0.3, seconds: 3, sampleRate: 16_000).samples
                for place in samples.indices { samples[place] += Self.loudness * noise[place] }
            }
            let query = try Query(AudioBuffer(samples: samples, sampleRate: 16_000, channelCount: 1))
            if try alone.match(query).first?.referenceID == rightID { found.alone += 1 }
            if try both.match(query).first?.referenceID == rightID { found.both += 1 }
        }
        #expect(found.alone < found.both, "\(found)")
    }

    /// The amplitude of each of six other songs: they are 16 dB stronger together.
    private static let loudness: Float = 2.5
}
