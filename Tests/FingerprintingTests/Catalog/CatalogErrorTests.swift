import Fingerprinting
import Foundation
import TestSupport
import Testing

/// What a catalog refuses, and in which words.
struct CatalogErrorTests {
    private let reference = Reference(id: "a", signature: PeakMusic.signature(seed: 1, seconds: 3))

    private func error(_ references: [Reference], _ settings: Settings = Settings()) -> FingerprintingError? {
        #expect(throws: FingerprintingError.self) { try Catalog(references: references, settings: settings) }
    }

    @Test("References that share an identifier are named by their places")
    func sharedIdentifiersAreNamed() {
        let other = Reference(id: "b", signature: reference.signature)
        let found = error([other, reference, other])
        #expect(found?.code == .badIdentifier)
        for word in ["0", "2", "\"b\""] { #expect(found?.description.contains(word) == true) }
    }

    @Test("An empty identifier is named by its place")
    func emptyIdentifiersAreNamed() {
        let found = error([reference, Reference(id: "", signature: reference.signature)])
        #expect(found?.code == .badIdentifier && found?.description.contains("reference 1 ") == true)
    }

    @Test("A signature of another analysis, or of too few ranks, is named by its identifier")
    func unfitSignaturesAreNamed() {
        var settings = Settings()
        settings.analysis.rankFrames = 12
        let found = error([reference], settings)
        #expect(found?.code == .incompatibleSignature && found?.description.contains("\"a\"") == true)
        var more = Settings()
        more.analysis.referenceRank = 5
        let few = error([reference], more)
        #expect(few?.code == .incompatibleSignature)
        #expect(
            few?.description.contains("\"a\"") == true
                && few?.description.contains("3 ranks") == true)
    }

    @Test("A catalog keeps of a signature the ranks that it needs")
    func moreRanksAreCut() throws {
        var settings = Settings()
        settings.analysis.referenceRank = 2
        let catalog = try Catalog(references: [reference], settings: settings)
        let kept = catalog.signature(at: 0)
        #expect(kept.peaks == reference.signature.peaks.filter { $0.rank < 2 } && kept.keptRanks == 2)
        #expect(kept.peaks.count < reference.signature.peaks.count)
    }

    @Test("A query of another analysis is refused by an open catalog, and by an empty one")
    func unfitQueriesAreRefused() throws {
        var settings = Settings()
        settings.analysis.lowestHertz = 100
        let query = PeakMusic.cut(
            PeakMusic.signature(seed: 1, seconds: 5, settings: settings), from: 0, seconds: 5
        ).query
        for references in [[reference], []] {
            let catalog = try Catalog(references: references)
            let error = #expect(throws: FingerprintingError.self) { try catalog.match(query) }
            #expect(error?.code == .incompatibleSignature)
        }
    }

    @Test("Files that are missing, folders and empty files are named with what is wrong")
    func unreadableFilesAreNamed() throws {
        let folder = try TemporaryFolder()
        let empty = folder.file("empty")
        #expect(FileManager.default.createFile(atPath: empty, contents: nil))
        for (path, code, words) in [
            (folder.file("none"), FingerprintingError.Code.unreadableFile, "No such file"),
            (folder.path, .unreadableFile, "folder"),
            (empty, .malformedFile, "byte 0: "),
        ] {
            for open in [
                { try CatalogFile.open(path) }, { try CatalogFile.load(path) },
                { try CatalogFile.verify(path) },
            ] {
                let error = #expect(throws: FingerprintingError.self) { _ = try open() }
                #expect(error?.code == code)
                #expect(error?.description.hasPrefix("\(path): ") == true)
                #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            }
        }
    }

    @Test("Identifiers of any text are found again, and no part of one is taken for another")
    func identifiersAreWhole() throws {
        let ids = [
            "a", "ab", "b", "abab", " ", "№ 7", "a\nb", String(repeating: "x", count: 5000), "\u{0}", "日本",
        ]
        let catalog = try Catalog(
            references: ids.map { Reference(id: $0, signature: reference.signature) })
        let read = try CatalogFile.decode(CatalogFile.encode(catalog), name: "ids")
        for catalog in [catalog, read] {
            #expect(catalog.entries.map(\.id) == ids)
            for (place, id) in ids.enumerated() { #expect(try catalog.place(ofID: id) == place) }
            for id in ["", "ba", "aba", "x", "A"] { #expect(try catalog.place(ofID: id) == nil) }
        }
    }

    @Test("Lengths and rates of recordings are kept, and add up to the hours of the catalog")
    func lengthsAreKept() throws {
        let lengths = [
            (0, 1000), (1, 768_000), (123_456_789, 44_100), ((1 << 48) - 1, 192_000), (48_000, 48_000),
        ]
        let references = lengths.enumerated().map { place, length in
            Reference(
                id: "\(place)",
                signature: Signature(
                    peaks: [], frameCount: length.0, sampleRate: length.1, keptRanks: 3,
                    channelsCancel: place % 2 == 1, analysisIdentity: Settings().analysis.identity))
        }
        let catalog = try CatalogFile.decode(
            CatalogFile.encode(Catalog(references: references)), name: "lengths")
        try CatalogFile.verify(catalog)
        for (place, length) in lengths.enumerated() {
            let entry = try catalog.entry(at: place)
            #expect(entry.frameCount == length.0 && entry.sampleRate == length.1)
            #expect(entry.channelsCancel == (place % 2 == 1))
            #expect(catalog.signature(at: place) == references[place].signature)
        }
        let hours = lengths.reduce(0) { $0 + Double($1.0) / Double($1.1) } / 3600
        #expect(abs(catalog.hours / hours - 1) < 1e-12)
    }

    @Test("The entries are a collection like any other")
    func entriesAreACollection() throws {
        let catalog = try Catalog(references: PeakMusic.references(5, seconds: 2))
        #expect(catalog.entries.count == 5 && catalog.entries.startIndex == 0)
        #expect(catalog.entries.reversed().map(\.id) == ["4", "3", "2", "1", "0"])
        #expect(catalog.entries[1..<3].map(\.id) == ["1", "2"])
        #expect(catalog.entries.last?.durationSeconds == 2)
        for place in catalog.entries.indices {
            #expect(try catalog.entry(at: place) == catalog.entries[place])
        }
        #expect(catalog.source == nil)
        let bytes = try CatalogFile.encode(catalog)
        #expect(try CatalogFile.decode(bytes, name: "a").source?.byteCount == bytes.count)
    }
}
