import AudioIO
import EarshotKit
import Fingerprinting
import KitTestSupport
import TestSupport
import Testing

/// Custom catalogs in files: writing, merging and refusing invalid files.
@Suite struct CatalogFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

    private func catalog(of songs: Int...) throws -> SHCustomCatalog {
        let catalog = SHCustomCatalog()
        for song in songs {
            try catalog.addReferenceSignature(
                SongBook.signatures[song],
                representing: [SHMediaItem(properties: [.title: SongBook.title(song)])])
        }
        return catalog
    }

    private func code(_ body: () throws -> Void) -> SHError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SHError)?.code
        }
    }

    /// A file of several catalogs and removals has the bytes of the catalog in memory.
    @Test func severalFilesAreWrittenAsOne() throws {
        let parts = [[0, 1], [2], [1, 3]]
        let catalog = SHCustomCatalog()
        for (number, songs) in parts.enumerated() {
            let part = SHCustomCatalog()
            for song in songs { try part.addReferenceSignature(SongBook.signatures[song], representing: []) }
            try part.write(to: url("part\(number).shazamcatalog"))
            try catalog.add(from: url("part\(number).shazamcatalog"))
        }
        try catalog.removeReference(withID: SongBook.catalog().references()[0].id)
        try catalog.write(to: url("all.shazamcatalog"))
        #expect(catalog.referenceCount == 3)
        #expect(try Data(contentsOf: url("all.shazamcatalog")) == catalog.dataRepresentation)
        try SHCustomCatalog().write(to: url("none.shazamcatalog"))
        #expect(try Data(contentsOf: url("none.shazamcatalog")) == SHCustomCatalog().dataRepresentation)
    }

    @Test func aFileHasTheBytesOfTheCatalog() throws {
        let catalog = try SongBook.catalog()
        try catalog.write(to: url("a.shazamcatalog"))
        #expect(try Data(contentsOf: url("a.shazamcatalog")) == catalog.dataRepresentation)
    }

    @Test func aFolderGetsTheUsualName() throws {
        let catalog = try catalog(of: 0)
        let target = URL(fileURLWithPath: try folder.makeFolder("saved"))
        try catalog.write(to: target)
        let file = target.appendingPathComponent("Signatures.shazamcatalog")
        #expect(try Data(contentsOf: file) == catalog.dataRepresentation)
        let read = SHCustomCatalog()
        try read.add(from: target)
        #expect(try read.references() == catalog.references())
    }

    @Test func mergingGivesTheBytesOfAllAtOnce() throws {
        let merged = try catalog(of: 0)
        for song in 1..<4 {
            try catalog(of: song).write(to: url("\(song).shazamcatalog"))
            try merged.add(from: url("\(song).shazamcatalog"))
        }
        #expect(try merged.dataRepresentation == SongBook.catalog().dataRepresentation)
    }

    @Test func existingReferencesAreNotAddedAgain() throws {
        let catalog = try catalog(of: 0, 1)
        try catalog.write(to: url("a.shazamcatalog"))
        let before = catalog.dataRepresentation
        try catalog.add(from: url("a.shazamcatalog"))
        #expect(catalog.referenceCount == 2)
        #expect(catalog.dataRepresentation == before)
        // A reference outside any file counts too.
        let other = try self.catalog(of: 1, 2)
        try other.add(from: url("a.shazamcatalog"))
        #expect(
            try other.references().compactMap(\.mediaItems.first?.title) == ["Song 1", "Song 2", "Song 0"])
    }

    @Test func referencesWithATakenIdentifierAreRenamed() throws {
        let references = (0..<3).map { song in
            Fingerprinting.Reference(
                id: "intro", mediaItem: MediaItem(title: SongBook.title(song)),
                signature: SongBook.signatures[song].signature)
        }
        let merged = SHCustomCatalog()
        for (song, reference) in references.enumerated() {
            try CatalogFile.write([reference], to: folder.file("\(song).earcatalog"))
            try merged.add(from: url("\(song).earcatalog"))
        }
        #expect(try merged.references().map(\.id) == ["intro", "intro-2", "intro-3"])
        #expect(try merged.references().compactMap(\.mediaItems.first?.title) == (0..<3).map(SongBook.title))
        let match = try #require(
            try merged.engine().match(query: SongBook.songs[2].render(from: 9, seconds: 4)).first)
        #expect(match.referenceID == "intro-3")
    }

    @Test func aFileMayBeOverwrittenAfterwards() throws {
        try catalog(of: 0, 1).write(to: url("a.shazamcatalog"))
        let read = SHCustomCatalog()
        try read.add(from: url("a.shazamcatalog"))
        try Data().write(to: url("a.shazamcatalog"))
        #expect(try read.references().count == 2)
        #expect(try read.dataRepresentation == catalog(of: 0, 1).dataRepresentation)
    }

    @Test func brokenBytesAreError300() throws {
        let bytes = try catalog(of: 0).dataRepresentation
        var flipped = bytes
        flipped[bytes.count / 2] ^= 1
        let longer = bytes + Data([0])
        for data in [Data(), Data([1, 2, 3]), bytes.prefix(bytes.count - 1), longer, flipped] {
            let error = #expect(throws: SHError.self) { try SHCustomCatalog(dataRepresentation: data) }
            #expect(error?.code == .customCatalogInvalid)
            #expect(error?.message.hasPrefix("catalog: byte ") == true)
            try data.write(to: url("broken.shazamcatalog"))
            let catalog = try catalog(of: 1)
            #expect(code { try catalog.add(from: url("broken.shazamcatalog")) } == .customCatalogInvalid)
            #expect(catalog.referenceCount == 1)
        }
        let signature = SongBook.signatures[0].dataRepresentation
        #expect(code { _ = try SHCustomCatalog(dataRepresentation: signature) } == .customCatalogInvalid)
    }

    @Test func noFileIsError301() throws {
        let catalog = try catalog(of: 0)
        let remote = try #require(URL(string: "https://example.org/a.shazamcatalog"))
        let message = #expect(throws: SHError.self) { try catalog.add(from: remote) }?.message
        #expect(message == "https://example.org/a.shazamcatalog: not the URL of a file (file:///…)")
        #expect(code { try catalog.add(from: remote) } == .customCatalogInvalidURL)
        #expect(code { try catalog.write(to: remote) } == .customCatalogInvalidURL)
        #expect(code { try catalog.add(from: url("missing.shazamcatalog")) } == .customCatalogInvalidURL)
        // A folder without a catalog.
        #expect(code { try catalog.add(from: url("")) } == .customCatalogInvalidURL)
        #expect(code { try catalog.write(to: url("no folder/a.shazamcatalog")) } == .customCatalogInvalidURL)
        #expect(folder.names().isEmpty)
    }
}
