import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Updates of catalog files: they give the bytes of a file made at once, and never a partial file.
struct CatalogUpdateTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("songs.earcatalog")
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Opening a pipe without a writer fails at once.
    @Test func aPipeIsNoFile() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let uses: [() throws -> Void] = [
            { _ = try CatalogFile.open(path) }, { _ = try CatalogFile.load(path) },
            { _ = try CatalogFile.update(path, adding: SongCatalog.references) },
            { _ = try Signature(contentsOf: path) },
        ]
        for use in uses {
            let error = #expect(throws: FingerprintingError.self) { try use() }
            #expect(error?.description == "\(path): expected a file, found a folder or device")
        }
    }

    @Test(arguments: [[3, 6], [0, 6], [1, 2, 3, 4, 5, 6]])
    func addingGivesTheBytesOfAllAtOnce(steps: [Int]) throws {
        let references = SongCatalog.references
        try CatalogFile.write(Array(references[..<steps[0]]), to: path)
        for (from, to) in zip(steps, steps.dropFirst()) {
            #expect(try CatalogFile.update(path, adding: references[from..<to]) == 0)
        }
        #expect(try bytes(path) == CatalogFile.encode(SongCatalog.catalog))
        #expect(folder.names() == ["songs.earcatalog"])
    }

    @Test func replacingGivesTheBytesOfTheOthersAndTheNewOnes() throws {
        let references = SongCatalog.references
        let other = Reference(
            id: "song 2", mediaItem: MediaItem(title: "another"), signature: references[5].signature)
        try CatalogFile.write(Array(references[..<5]), to: path)
        let before = try bytes(path)

        let error = #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(path, adding: [other, references[5]])
        }
        #expect(error?.code == .badIdentifier)
        #expect(error?.description.contains("\(path): already has a reference \"song 2\"") == true)
        #expect(try bytes(path) == before)

        #expect(try CatalogFile.update(path, adding: [other, references[5]], replacing: true) == 1)
        let expected = try Catalog(
            references: [references[0], references[1], references[3], references[4], other, references[5]])
        #expect(try bytes(path) == CatalogFile.encode(expected))
        // All of them at once, so that no old one remains.
        #expect(try CatalogFile.update(path, adding: references, replacing: true) == 6)
        #expect(try bytes(path) == CatalogFile.encode(SongCatalog.catalog))
        _ = try CatalogFile.verify(path)
    }

    @Test func nothingToAddAndNothingToAddToAreErrors() throws {
        #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(path, adding: SongCatalog.references)
        }
        try CatalogFile.write(SongCatalog.references, to: path)
        #expect(throws: FingerprintingError.self) { try CatalogFile.update(path, adding: []) }
        #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(folder.path, adding: SongCatalog.references)
        }
        #expect(folder.names() == ["songs.earcatalog"])
    }

    @Test func updatesAtOnceAllCount() async throws {
        let references = SongCatalog.references
        try CatalogFile.write([references[0]], to: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reference in references.dropFirst() {
                group.addTask { [path] in _ = try CatalogFile.update(path, adding: [reference]) }
            }
            try await group.waitForAll()
        }
        let catalog = try CatalogFile.verify(path)
        #expect(Set(catalog.entries.map(\.id)) == Set(references.map(\.id)))
        #expect(catalog.entries.first?.id == "song 0")
        #expect(folder.names() == ["songs.earcatalog"])
    }

    @Test func abandonedTemporaryFilesAreRemoved() throws {
        try CatalogFile.write([SongCatalog.references[0]], to: path)
        for name in [".songs.earcatalog.12.3.part", ".songs.earcatalog.999999.1.part"] {
            try AtomicFile.write("half a file", to: folder.file(name))
        }
        let kept = [".other.earcatalog.12.3.part", ".songs.earcatalog.bak.part", "songs.earcatalog.part"]
        for name in kept { try AtomicFile.write("not ours", to: folder.file(name)) }
        try CatalogFile.update(path, adding: [SongCatalog.references[1]])
        #expect(folder.names() == (kept + ["songs.earcatalog"]).sorted())
    }

    @Test func anOpenCatalogStaysAsItWas() throws {
        try CatalogFile.write([SongCatalog.references[0]], to: path)
        let catalog = try CatalogFile.open(path, wholeLimit: 0)
        try CatalogFile.update(path, adding: [SongCatalog.references[1]])
        #expect(catalog.entries.count == 1)
        let query = SongCatalog.songs[0].render(from: 5, seconds: 4)
        #expect(try catalog.match(query: query).first?.referenceID == "song 0")
        #expect(try CatalogFile.open(path).entries.count == 2)
    }
}
