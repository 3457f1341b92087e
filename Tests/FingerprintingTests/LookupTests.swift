import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Lookup finds all places that share material, in short and long queries, also with few hits.
struct LookupTests {
    /// A phrase of 6 s repeated `count` times, after `lead` seconds of something else.
    private func reference(_ id: String, lead: Double, phrase: ScoreSong, count: Int) throws -> Reference {
        var samples = ScoreSong(seed: 900 + UInt64(lead), seconds: 20).render(from: 0, seconds: lead).samples
        for _ in 0..<count { samples += phrase.render(from: 4, seconds: 6).samples }
        let audio = AudioBuffer(samples: samples, sampleRate: 16_000)
        return Reference(id: id, signature: try SignatureExtractor.signature(of: audio))
    }

    @Test func loopDoesNotHideOtherOwners() throws {
        let phrase = ScoreSong(seed: 71, seconds: 12)
        let owners = try (1...9).map {
            try reference("owner \($0)", lead: Double($0), phrase: phrase, count: 1)
        }
        let loop = try reference("loop", lead: 11, phrase: phrase, count: 40)
        let catalog = try Catalog(references: SongCatalog.references + [loop] + owners)
        for ratio in [1.0, 1.03] {
            let query = phrase.render(from: 4.5, seconds: 5 / ratio, timeRatio: ratio, frequencyRatio: ratio)
            let matches = try catalog.match(query: query).filter(\.isAccepted)
            #expect(Set(matches.map(\.referenceID)) == Set(["loop"] + owners.map(\.id)))
            for match in matches where match.referenceID != "loop" {
                let lead = try #require(Double(match.referenceID.dropFirst("owner ".count)))
                #expect(abs(match.offsetSeconds - lead - 0.5) < 0.01)
            }
        }
    }

    /// A small limit of hits finds the same places.
    @Test(arguments: [1.0, 0.96, 1.05])
    func rareHitsAreEnough(ratio: Double) throws {
        var settings = Settings()
        settings.lookup.mostHits = 2000
        settings.lookup.mostQuickHits = 300
        let frugal = try Catalog(references: SongCatalog.references, settings: settings)
        for song in 0..<6 {
            let query = SongCatalog.songs[song].render(
                from: 14.2, seconds: 5, timeRatio: ratio, frequencyRatio: ratio)
            let match = try #require(try frugal.match(query: query).first)
            #expect(match.referenceID == "song \(song)" && match.isAccepted)
            #expect(abs(match.offsetSeconds - 14.2) < 0.006)
        }
    }

    /// References without pairs do no harm: with one peak, distant peaks, or none.
    @Test func referencesWithoutPairs() throws {
        let decay = (0..<800).map { frame -> Float in
            let amplitude = Float(800 - frame) / 800
            return frame % 2 == 0 ? 0.5 * amplitude : -0.5 * amplitude
        }
        let tick = [Float](repeating: 0, count: 8000) + decay
        let sparse = AudioBuffer(
            samples: tick + [Float](repeating: 0, count: 80_000) + tick, sampleRate: 8000)
        let silence = AudioBuffer(silentFrames: 80_000, sampleRate: 8000)
        let references = try [sparse, silence].enumerated().map { place, audio in
            Reference(id: "sparse \(place)", signature: try SignatureExtractor.signature(of: audio))
        }
        #expect(
            try Catalog(references: references).match(query: SongCatalog.songs[0].render(from: 3, seconds: 5))
                .isEmpty)
        let catalog = try Catalog(
            references: references + SongCatalog.references
                + references.map {
                    Reference(id: "again \($0.id)", signature: $0.signature)
                })
        let match = try #require(
            try catalog.match(query: SongCatalog.songs[5].render(from: 30, seconds: 5)).first)
        #expect(match.referenceID == "song 5" && match.isAccepted)
    }
}
