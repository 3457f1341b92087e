import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Adding, replacing and removing references in any order gives the bytes of a catalog made of the rest.
struct CatalogAlgebraTests {
    private static let settings = SmallCatalog.settings
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.earcatalog")
    }

    /// Reference `number` in one of two versions, of a length of its own; some have no peaks.
    private static func reference(_ number: Int, version: Int = 0) -> Reference {
        let seconds = [0, 1, 3, 9, 0.3][number % 5]
        return Reference(
            id: "reference \(number)",
            mediaItem: MediaItem([
                .init("version", .integer(Int64(version))), .init("n", .integer(Int64(number))),
            ]),
            signature: PeakMusic.signature(
                seed: UInt64(100 * version + number), seconds: seconds, settings: settings))
    }

    private func bytes(_ references: [Reference]) throws -> [UInt8] {
        try CatalogFile.encode(Catalog(references: references, settings: Self.settings))
    }

    private var file: [UInt8] {
        get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    @Test(
        "Any series of additions, replacements and removals gives the bytes of a catalog of the rest",
        arguments: 0..<6)
    func changesCompose(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed, "changes")
        var model = [Self.reference(0)]
        try CatalogFile.write(model, to: path, settings: Self.settings)
        var version = 0
        for _ in 0..<15 {
            version += 1
            let chosen = Set((0...generator.index(below: 4)).map { _ in generator.index(below: 12) }).sorted()
            let added = chosen.map { Self.reference($0, version: version) }
            let ids = Set(added.map(\.id))
            let there = model.filter { ids.contains($0.id) }.count
            switch generator.index(below: 3) {
            case 0:
                let count = try CatalogFile.update(
                    path, adding: added, replacing: true)
                #expect(count == there)
                model = model.filter { !ids.contains($0.id) } + added
            case 1:
                let removed = Set(model.map(\.id).filter { _ in generator.index(below: 3) == 0 })
                guard !removed.isEmpty else { continue }
                let count = try CatalogFile.edit(path) { _ in
                    .init(removing: removed)
                }
                #expect(count == removed.count)
                model = model.filter { !removed.contains($0.id) }
            default:
                let removed = Set(model.map(\.id).filter { _ in generator.index(below: 4) == 0 })
                let gone = removed.union(ids.intersection(model.map(\.id)))
                let count = try CatalogFile.edit(path) { old in
                    #expect(old.entries.map(\.id) == model.map(\.id))
                    return .init(removing: removed, adding: added)
                }
                #expect(count == gone.count)
                model = model.filter { !gone.contains($0.id) } + added
            }
            #expect(try file == bytes(model))
        }
        _ = try CatalogFile.verify(path, settings: Self.settings)
        #expect(folder.names() == ["a.earcatalog"])
    }

    @Test("A reference that was removed has never been there")
    func removalUndoesAddition() throws {
        let references = (0..<7).map { Self.reference($0) }
        try CatalogFile.write(references, to: path, settings: Self.settings)
        let before = try file
        for number in 7..<12 {
            try CatalogFile.update(path, adding: [Self.reference(number)])
            #expect(try file != before)
            try CatalogFile.edit(path) { _ in
                .init(removing: ["reference \(number)"])
            }
            #expect(try file == before)
        }
        for gone in 0..<7 {
            try CatalogFile.write(references, to: path, settings: Self.settings)
            try CatalogFile.edit(path) { _ in .init(removing: ["reference \(gone)"])
            }
            #expect(try file == bytes(references.filter { $0.id != "reference \(gone)" }))
        }
    }

    @Test("A catalog from which all were removed is the empty one, and can be added to")
    func allMayBeRemoved() throws {
        try CatalogFile.write((0..<3).map { Self.reference($0) }, to: path, settings: Self.settings)
        try CatalogFile.edit(path) { .init(removing: Set($0.entries.map(\.id))) }
        #expect(try file == bytes([]))
        try CatalogFile.update(path, adding: [Self.reference(8)])
        #expect(try file == bytes([Self.reference(8)]))
    }

    @Test(
        "Catalogs merged are one made of all their references, whatever is left out of each", arguments: 0..<8
    )
    func mergingIsMakingAtOnce(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed, "parts")
        var next = 0
        var catalogs: [Catalog] = []
        var removed: [[Int]] = []
        var left: [Reference] = []
        for _ in 0..<(1 + generator.index(below: 5)) {
            let references = (0..<generator.index(below: 6)).map { Self.reference(next + $0) }
            next += references.count
            let gone = references.indices.filter { _ in generator.index(below: 3) == 0 }
            left += references.indices.filter { !gone.contains($0) }.map { references[$0] }
            catalogs.append(try Catalog(references: references, settings: Self.settings))
            // The order in which places are named does not matter.
            removed.append(gone.reversed())
        }
        let merged = try CatalogFile.merged(catalogs, removed: removed)
        #expect(try CatalogFile.encode(merged) == bytes(left))
        // Merging what was merged gives the same: order is all that counts.
        let again = try CatalogFile.merged(
            [CatalogFile.merged(Array(catalogs.prefix(1)), removed: [removed[0]])]
                + catalogs.dropFirst(), removed: [[]] + removed.dropFirst())
        #expect(try CatalogFile.encode(again) == bytes(left))
    }

    @Test("A merged catalog answers as one made at once")
    func mergedCatalogsAnswerTheSame() throws {
        let references = PeakMusic.references(6, seconds: 30)
        let whole = try Catalog(references: references)
        let parts = try [references[..<2], references[2..<3], references[3...]].map {
            try Catalog(references: Array($0))
        }
        let merged = try CatalogFile.merged(parts, removed: [])
        for (place, reference) in references.enumerated() {
            let query = PeakMusic.cut(
                reference.signature, from: 7.7, seconds: 5, .init(kept: 0.6, extraPerSecond: 30)
            ).query
            let matches = try merged.match(query)
            #expect(try matches == whole.match(query))
            #expect(matches.first?.referenceIndex == place)
        }
    }

    @Test("An update that goes elsewhere leaves the file as it is")
    func otherOutputsLeaveTheFile() throws {
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let before = try file
        let other = folder.file("b.earcatalog")
        try CatalogFile.update(path, to: other, adding: [Self.reference(2)])
        #expect(try file == before)
        let written = [UInt8](try Data(contentsOf: URL(fileURLWithPath: other)))
        #expect(try written == bytes([Self.reference(1), Self.reference(2)]))
    }

    /// A process that has the old file open, or is killed, keeps a whole file.
    @Test("An update makes a new file and never writes into the old one")
    func oldFilesStayWhole() throws {
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let before = try file
        let link = folder.file("link")
        try FileManager.default.linkItem(atPath: path, toPath: link)
        try CatalogFile.update(path, adding: [Self.reference(2)])
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: link))) == before)
        #expect(try file != before)
    }

    @Test(
        "A change that fails leaves the old file and no other"
    )
    func failedChangesLeaveNothing() throws {
        struct Refusal: Error {}
        try CatalogFile.write((0..<4).map { Self.reference($0) }, to: path, settings: Self.settings)
        let before = try file
        let other = Reference(id: "x", signature: PeakMusic.signature(seed: 1, seconds: 2))
        let changes: [(Catalog) throws -> CatalogFile.Change] = [
            { _ in throw Refusal() }, { _ in .init() }, { _ in .init(removing: ["reference 1", "nobody"]) },
            { _ in .init(adding: [Self.reference(7), Self.reference(7)]) },
            { _ in .init(adding: [Reference(id: "", signature: Self.reference(7).signature)]) },
            { _ in .init(adding: [other]) },
        ]
        for change in changes {
            #expect(throws: (any Error).self) {
                try CatalogFile.edit(path) { old in
                    #expect(folder.names() == ["a.earcatalog"])
                    #expect(try file == before)
                    return try change(old)
                }
            }
            #expect(try file == before)
            #expect(folder.names() == ["a.earcatalog"])
        }
    }

    @Test("An update reports that it waits for another one, and continues when that has ended")
    func updatesWaitForEachOther() throws {
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let holder = open(path, O_RDONLY | O_CLOEXEC)
        #expect(holder >= 0 && flock(holder, LOCK_EX) == 0)
        var waits = 0
        let alreadyThere = try CatalogFile.update(path, adding: [Self.reference(2)]) {
            waits += 1
            #expect((try? file) == (try? bytes([Self.reference(1)])))
            close(holder)
        }
        #expect(alreadyThere == 0 && waits == 1)
        #expect(try file == bytes([Self.reference(1), Self.reference(2)]))
    }

    @Test("An update does not wait for ever for whoever locks the file, and names the process")
    func aStrangersLockEndsTheWait() throws {
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let before = try file
        let holder = open(path, O_RDONLY | O_CLOEXEC)
        #expect(holder >= 0 && flock(holder, LOCK_SH) == 0)
        defer { close(holder) }
        let error = #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(
                path, adding: [Self.reference(2)], longestWait: 0.05)
        }
        #expect(
            error?.description.hasPrefix("\(path): has been locked by process \(getpid()) (") == true,
            "\(error as Any)")
        #expect(try file == before)
    }

    @Test("A catalog that is written in place of another waits for an update of it")
    func replacementsWaitForUpdates() throws {
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let holder = open(path, O_RDONLY | O_CLOEXEC)
        #expect(holder >= 0 && flock(holder, LOCK_EX) == 0)
        var waits = 0
        let replacement = try CatalogReplacement(path) {
            waits += 1
            close(holder)
        }
        // From then on an update waits for it.
        #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(path, adding: [Self.reference(3)], longestWait: 0.05)
        }
        try replacement.write([Self.reference(2)], settings: Self.settings)
        #expect(waits == 1)
        #expect(try file == bytes([Self.reference(2)]))
    }

    @Test("A catalog that another process makes and updates meanwhile is waited for before it is replaced")
    func replacementsWaitForUpdatesOfNewFiles() throws {
        let replacement = try CatalogReplacement(path, longestWait: 0.05)
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let before = try file
        let holder = open(path, O_RDONLY | O_CLOEXEC)
        #expect(holder >= 0 && flock(holder, LOCK_EX) == 0)
        let error = #expect(throws: FingerprintingError.self) {
            try replacement.write([Self.reference(2)], settings: Self.settings)
        }
        #expect(error?.description.contains("has been locked by") == true, "\(error as Any)")
        #expect(try file == before)
        close(holder)
        try replacement.write([Self.reference(2)], settings: Self.settings)
        #expect(try file == bytes([Self.reference(2)]))
        #expect(folder.names() == ["a.earcatalog"])
    }

    @Test("A catalog that is replaced by others while it is updated is an error")
    func foreignReplacementsEndAnUpdate() throws {
        try CatalogFile.write([Self.reference(1)], to: path, settings: Self.settings)
        let other = folder.file("other")
        try CatalogFile.write([Self.reference(4)], to: other, settings: Self.settings)
        let error = #expect(throws: FingerprintingError.self) {
            try CatalogFile.edit(path) { _ in
                #expect(rename(other, path) == 0)
                return .init(adding: [Self.reference(2)])
            }
        }
        #expect(error?.description.hasSuffix("was replaced during the update; nothing was written") == true)
        #expect(try file == bytes([Self.reference(4)]))
    }

    @Test("A catalog copied on loading does not notice changes of its file")
    func loadedCatalogsAreCopies() throws {
        let references = PeakMusic.references(2, seconds: 20)
        try CatalogFile.write(references, to: path)
        let catalog = try CatalogFile.load(path)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data(repeating: 0, count: try file.count))
        try handle.close()
        let query = PeakMusic.cut(references[1].signature, from: 4, seconds: 5).query
        #expect(try catalog.match(query).first?.referenceID == "1")
        #expect(try CatalogFile.encode(catalog) == CatalogFile.encode(Catalog(references: references)))
    }
}
