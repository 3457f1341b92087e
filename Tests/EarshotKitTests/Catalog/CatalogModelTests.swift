import AudioCore
import EarshotKit
import KitTestSupport
import TestSupport
import Testing

/// Random operations on a catalog give the same references as a plain list.
@Suite struct CatalogModelTests {
    private struct Entry: Equatable {
        var id: String
        let title: String?
    }

    private let folder: TemporaryFolder
    private let ids: [String]

    init() throws {
        folder = try TemporaryFolder()
        ids = try SongBook.catalog().references().map(\.id)
    }

    private func entries(_ catalog: SHCustomCatalog) throws -> [Entry] {
        try catalog.references().map { Entry(id: $0.id, title: $0.mediaItems.first?.title) }
    }

    private func freeID(_ id: String, in model: [Entry]) -> String {
        let taken = Set(model.map(\.id))
        guard taken.contains(id) else { return id }
        return (2...).lazy.map { "\(id)-\($0)" }.first { !taken.contains($0) } ?? id
    }

    private func add(_ song: Int, _ title: String, to catalog: SHCustomCatalog, _ model: inout [Entry]) throws
    {
        try catalog.addReferenceSignature(
            SongBook.signatures[song], representing: [SHMediaItem(properties: [.title: title])])
        model.append(Entry(id: freeID(ids[song], in: model), title: title))
    }

    private func merge(_ added: [Entry], into model: inout [Entry]) {
        var renamed: [Entry] = []
        for entry in added {
            if let old = model.first(where: { $0.id == entry.id }) {
                if old != entry { renamed.append(entry) }
            } else {
                model.append(entry)
            }
        }
        for entry in renamed { model.append(Entry(id: freeID(entry.id, in: model), title: entry.title)) }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func randomChangesMatchAList(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed, "catalog changes")
        var catalog = SHCustomCatalog()
        var model: [Entry] = []
        for step in 0..<25 {
            switch generator.index(below: 6) {
            case 0, 1:
                try add(generator.index(below: 4), "title \(generator.index(below: 3))", to: catalog, &model)
            case 2 where !model.isEmpty:
                let removed = model.remove(at: generator.index(below: model.count))
                #expect(try catalog.removeReference(withID: removed.id))
            case 3: catalog = try SHCustomCatalog(dataRepresentation: catalog.dataRepresentation)
            case 4:
                let other = SHCustomCatalog()
                var added: [Entry] = []
                for _ in 0..<3 {
                    try add(
                        generator.index(below: 4), "title \(generator.index(below: 3))", to: other, &added)
                }
                let url = URL(fileURLWithPath: folder.file("\(step).shazamcatalog"))
                try other.write(to: url)
                try catalog.add(from: url)
                merge(added, into: &model)
            default: #expect(try entries(catalog) == model)
            }
            #expect(catalog.referenceCount == model.count)
        }
        #expect(try entries(catalog) == model)
        for entry in model { try catalog.removeReference(withID: entry.id) }
        #expect(catalog.dataRepresentation == SHCustomCatalog().dataRepresentation)
    }
}
