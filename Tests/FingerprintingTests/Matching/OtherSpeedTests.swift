import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Queries at speeds beyond the skews that match.
@Suite struct OtherSpeedTests {
    private func query(_ song: ScoreSong, speed: Double) throws -> Query {
        try Query(song.render(from: 12, seconds: 8, timeRatio: speed, frequencyRatio: speed))
    }

    @Test(arguments: [0.8, 41_000.0 / 44_100, 48_000.0 / 44_100, 1.5])
    func theSpeedIsFound(speed: Double) throws {
        let query = try query(SongCatalog.songs[3], speed: speed)
        #expect(try SongCatalog.catalog.match(query).first?.isAccepted != true)
        let found = try #require(try SongCatalog.catalog.otherSpeed(of: query))
        #expect(found.referenceID == "song 3" && found.referenceIndex == 3)
        #expect(abs(found.speed / speed - 1) < 0.003, "\(found)")
    }

    @Test func aStrangerHasNone() throws {
        let query = try Query(ScoreSong(seed: 9000, seconds: 40).render(from: 12, seconds: 4))
        #expect(try SongCatalog.catalog.otherSpeed(of: query) == nil)
    }

    @Test func emptyQueriesAndCatalogsHaveNone() throws {
        let silence = try Query(
            AudioBuffer(samples: [Float](repeating: 0, count: 32_000), sampleRate: 16_000))
        #expect(try SongCatalog.catalog.otherSpeed(of: silence) == nil)
        let query = try query(SongCatalog.songs[3], speed: 0.9)
        #expect(try Catalog(references: []).otherSpeed(of: query) == nil)
    }

    @Test func usualRatesAreNamed() {
        func speed(_ speed: Double) -> OtherSpeed {
            OtherSpeed(referenceID: "a", referenceIndex: 0, speed: speed)
        }
        #expect(speed(41_000.0 / 44_100 * 1.001).likelyRate(labelled: 41_000) == 44_100)
        #expect(speed(44_100.0 / 48_000).likelyRate(labelled: 44_100) == 48_000)
        #expect(speed(0.9).likelyRate(labelled: 44_100) == nil)
        #expect(speed(0.93).description(labelled: nil).contains("\"a\" at 93.0 % of its speed"))
        #expect(speed(41_000.0 / 44_100).description(labelled: 41_000).contains("44100 Hz would fit"))
    }
}
