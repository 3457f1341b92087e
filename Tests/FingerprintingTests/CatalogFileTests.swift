import AudioCore
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Catalog files: reading gives what was written, and a mapped catalog answers as one in memory.
struct CatalogFileTests {
    private let queries = (0..<12).map { number in
        let ratio = [1, 1.02, 0.96][number % 3]
        return SongCatalog.songs[number % 6].render(
            from: 12.34 + Double(number), seconds: 4, timeRatio: ratio, frequencyRatio: ratio)
    }

    @Test func catalogIsReadAsWritten() throws {
        let references = [
            SongCatalog.references[1],
            Reference(
                id: "№ 2", mediaItem: SmallCatalog.item, signature: SongCatalog.references[2].signature),
            Reference(id: "again", signature: SongCatalog.references[1].signature),
        ]
        let made = try Catalog(references: references)
        let catalog = try CatalogFile.decode(CatalogFile.encode(made), name: "catalog")
        #expect(catalog.entries.map(\.id) == references.map(\.id))
        #expect(catalog.entries.map(\.mediaItem) == references.map(\.mediaItem))
        for (place, reference) in references.enumerated() {
            #expect(catalog.signature(at: place) == reference.signature)
            #expect(try catalog.entry(at: place).frameCount == reference.signature.frameCount)
            #expect(try catalog.place(ofID: reference.id) == place)
            #expect(catalog.size(at: place).peaks == reference.signature.peaks.count)
        }
        #expect(try catalog.place(ofID: "third") == nil)
        #expect(Array(catalog.entries) == Array(made.entries))
        #expect(catalog.hours == made.hours && catalog.threshold == made.threshold)
        #expect(catalog.indexBytes == made.indexBytes)
        try CatalogFile.verify(catalog)
    }

    @Test func emptyCatalogIsReadAsWritten() throws {
        let bytes = try CatalogFile.encode(Catalog(references: []))
        let catalog = try CatalogFile.decode(bytes, name: "empty")
        #expect(catalog.entries.isEmpty && catalog.hours == 0)
        #expect(try catalog.match(query: queries[0]).isEmpty)
        try CatalogFile.verify(catalog)
    }

    @Test(arguments: [0, 1 << 40])
    func mappedCatalogAnswersTheSame(wholeLimit: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("songs.earcatalog")
        try CatalogFile.write(SongCatalog.references, to: path)
        let catalog = try CatalogFile.open(path, wholeLimit: wholeLimit)
        var accepted = 0
        for query in queries {
            let matches = try catalog.match(query: query)
            #expect(try matches == SongCatalog.catalog.match(query: query))
            let first = try #require(matches.first)
            let analysed = try Query(query)
            let pairs = catalog.matchedPeaks(of: first, in: analysed)
            #expect(pairs.count > 10)
            #expect(
                pairs.map(\.reference)
                    == SongCatalog.catalog.matchedPeaks(of: first, in: analysed).map(\.reference))
            if first.isAccepted { accepted += 1 }
        }
        #expect(accepted == queries.count)
        // A mapped catalog writes the bytes of its file.
        #expect(try CatalogFile.encode(catalog) == CatalogFile.encode(SongCatalog.catalog))
    }

    @Test("Settings of queries are free, whatever those of the file are")
    func settingsOfQueriesAreFree() throws {
        var query = Settings()
        query.decision.threshold = 50
        query.index.queryPairs = 30
        let catalog = try CatalogFile.decode(
            CatalogFile.encode(SongCatalog.catalog), name: "songs", settings: query)
        #expect(catalog.threshold == 50)
    }
}
