import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Degenerate queries and catalogs.
struct DegenerateQueryTests {
    @Test func nothingGivesNothing() throws {
        let silence = [0, 1, 160, 16_000, 160_000].map { AudioBuffer(silentFrames: $0, sampleRate: 16_000) }
        let offset = AudioBuffer(samples: [Float](repeating: 1, count: 80_000), sampleRate: 16_000)
        let square = AudioBuffer(
            samples: (0..<80_000).map { $0 / 20 % 2 == 0 ? 1 : -1 }, sampleRate: 16_000)
        let click = AudioBuffer(samples: (0..<80_000).map { $0 == 40_000 ? 1 : 0 }, sampleRate: 16_000)
        for audio in silence + [offset, square, click] {
            #expect(try SongCatalog.catalog.match(query: audio).allSatisfy { !$0.isAccepted })
        }
    }

    @Test(arguments: [0.01, 0.1, 0.29])
    func tooShortGivesNothing(seconds: Double) throws {
        #expect(
            try SongCatalog.catalog.match(query: SongCatalog.songs[0].render(from: 5, seconds: seconds))
                .isEmpty)
    }

    @Test(arguments: [0.3, 0.31, 0.4, 0.5, 0.7])
    func shortDoesNotFail(seconds: Double) throws {
        let matches = try SongCatalog.catalog.match(
            query: SongCatalog.songs[0].render(from: 5, seconds: seconds))
        #expect(matches.count <= 10)
    }

    @Test func emptyCatalogNamesNothing() throws {
        let catalog = try Catalog(references: [])
        #expect(try catalog.match(query: SongCatalog.songs[0].render(from: 5, seconds: 5)).isEmpty)
    }

    @Test func oneReferenceIsEnough() throws {
        let catalog = try Catalog(references: [SongCatalog.references[3]])
        let matches = try catalog.match(query: SongCatalog.songs[3].render(from: 5, seconds: 5))
        #expect(matches.map(\.referenceID) == ["song 3"])
        #expect(matches.first?.isAccepted == true)
        let strangers = try catalog.match(query: SongCatalog.songs[4].render(from: 5, seconds: 5))
        #expect(strangers.allSatisfy { !$0.isAccepted })
    }

    @Test func emptyReferencesDoNoHarm() throws {
        let silent = try SignatureExtractor.signature(
            of: AudioBuffer(silentFrames: 48_000, sampleRate: 16_000))
        let none = try SignatureExtractor.signature(of: AudioBuffer(silentFrames: 0, sampleRate: 16_000))
        let catalog = try Catalog(
            references: [
                Reference(id: "silent", signature: silent), SongCatalog.references[0],
                Reference(id: "none", signature: none),
            ])
        let matches = try catalog.match(query: SongCatalog.songs[0].render(from: 5, seconds: 5))
        #expect(matches.first?.referenceID == "song 0")
    }

    @Test func identifiersMustBeUnique() throws {
        #expect(throws: FingerprintingError.self) {
            try Catalog(references: [SongCatalog.references[0], SongCatalog.references[0]])
        }
        #expect(throws: FingerprintingError.self) {
            try Catalog(references: [Reference(id: "", signature: SongCatalog.references[0].signature)])
        }
    }

    @Test func otherAnalysesAreRefused() throws {
        var settings = Settings()
        settings.analysis.envelopeWeight = 0.5
        #expect(throws: FingerprintingError.self) {
            try Catalog(references: SongCatalog.references, settings: settings)
        }
        let query = try Query(SongCatalog.songs[0].render(from: 5, seconds: 5), settings: settings)
        #expect(throws: FingerprintingError.self) { try SongCatalog.catalog.match(query) }
    }

    @Test func scoresFallWithTheCatalogsSize() throws {
        let query = SongCatalog.songs[3].render(from: 5, seconds: 5)
        // As if the catalog were `size` times as large as the one for which the weights were fitted.
        func score(times size: Double, chanceShare: Double = 1) throws -> Double {
            var settings = Settings()
            settings.decision.chanceShare = chanceShare
            settings.decision.chanceSlope = 2
            settings.decision.calibrationHours = SongCatalog.catalog.hours / size
            let catalog = try Catalog(references: SongCatalog.references, settings: settings)
            return try #require(try catalog.match(query: query).first).score
        }
        #expect(try abs(score(times: 1) - score(times: 2.718_281_828_459_045) - 0.5) < 1e-9)
        // Where only related pieces are taken for the query, the size does not matter.
        #expect(try score(times: 1, chanceShare: 0) == score(times: 1000, chanceShare: 0))
    }

    @Test func confidenceFollowsFromTheScore() throws {
        for match in try SongCatalog.catalog.match(query: SongCatalog.songs[3].render(from: 5, seconds: 1)) {
            #expect(abs(match.confidence - 1 / (1 + exp(-match.score))) < 1e-12)
            #expect(match.isAccepted == (match.score >= SongCatalog.catalog.threshold))
        }
    }
}
