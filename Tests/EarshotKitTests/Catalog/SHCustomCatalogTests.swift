import EarshotKit
import Fingerprinting
import KitTestSupport
import TestSupport
import Testing

/// Custom catalogs in memory return what was added.
@Suite struct SHCustomCatalogTests {
    @Test func catalogsRoundTripThroughBytes() throws {
        let catalog = try SongBook.catalog()
        let read = try SHCustomCatalog(dataRepresentation: catalog.dataRepresentation)
        #expect(try read.references() == catalog.references())
        #expect(read.referenceCount == 4)
        #expect(try read.references().map(\.duration) == [30, 30, 30, 30])
        #expect(try read.references().compactMap(\.mediaItems.first?.title) == (0..<4).map(SongBook.title))
        #expect(read.dataRepresentation == catalog.dataRepresentation)
        #expect(read != catalog)
    }

    @Test func referencesAreFound() throws {
        let engine = try SongBook.catalog().engine()
        for song in 0..<4 {
            let match = try #require(
                try engine.match(query: SongBook.songs[song].render(from: 11, seconds: 4)).first)
            #expect(match.referenceIndex == song && match.isAccepted)
            #expect(abs(match.offsetSeconds - 11) < 0.01)
        }
    }

    @Test func anEmptyCatalogIsACatalog() throws {
        let catalog = SHCustomCatalog()
        #expect(catalog.referenceCount == 0)
        #expect(try catalog.references().isEmpty)
        #expect(try SHCustomCatalog(dataRepresentation: catalog.dataRepresentation).referenceCount == 0)
    }

    @Test func itemsOfAReferenceKeepTheirOrderAndGetTheirIdentifiers() throws {
        let items = [
            SHMediaItem(properties: [.title: "Chorus", .timeRanges: [60..<90]]),
            SHMediaItem(properties: [SHMediaItemProperty("items"): [["a": 1]], .title: "One with items"]),
            SHMediaItem(properties: [:]),
        ]
        for count in [0, 1, 2, 3] {
            let catalog = SHCustomCatalog()
            try catalog.addReferenceSignature(SongBook.signatures[0], representing: Array(items[..<count]))
            let read = try SHCustomCatalog(dataRepresentation: catalog.dataRepresentation)
            let reference = try #require(try read.references().first)
            #expect(reference.mediaItems.map(\.stored) == items[..<count].map(\.stored))
            #expect(read.items(ofReference: 0) == reference.mediaItems)
            #expect(Set(reference.mediaItems.map(\.id)).count == count)
            let name = try read.engine().recordingName(at: 0)
            for item in reference.mediaItems {
                #expect(item.id == .ofItem(item.stored, 0, ofRecording: name))
            }
        }
        let tricky = SHCustomCatalog()
        try tricky.addReferenceSignature(
            SongBook.signatures[0],
            representing: [SHMediaItem(properties: [SHMediaItemProperty("items"): [["a": 1]]])])
        #expect(tricky.items(ofReference: 0).count == 1)
        #expect(
            tricky.items(ofReference: 0)[0][SHMediaItemProperty("items")] as? [[String: Int]] == [["a": 1]])
        #expect(tricky.items(ofReference: 1).isEmpty)
    }

    /// A version 5 UUID is a fixed function of its name.
    @Test func identifiersAreTheSameEverywhere() {
        let item = MediaItem(title: "a")
        #expect(
            UUID.ofItem(item, 0, ofRecording: [1, 2, 3]).uuidString == "8FE9B31F-A690-5616-B938-C59416EDB25A")
        #expect(
            UUID.ofItem(item, 12, ofRecording: [1, 2, 3]).uuidString == "7CC86F10-7B75-5F7B-AC01-AC77BB41BAB1"
        )
    }

    /// Catalogs that name different recordings alike, as episodes of one file name, share no identifier of an item.
    @Test func itemsOfOtherRecordingsAreOthers() throws {
        let folder = try TemporaryFolder()
        let item = try MediaItem(items: [SHMediaItem(properties: [.title: "video"])])
        let paths = try (0..<3).map { song in
            let path = folder.file("\(song).earcatalog")
            let reference = Reference(
                id: "video", mediaItem: item, signature: SongBook.signatures[min(song, 1)].signature)
            try CatalogFile.write([reference], to: path)
            return path
        }
        let ids = try paths.map { try SHCustomCatalog(merging: [$0]).references()[0].mediaItems[0].id }
        #expect(ids[0] != ids[1] && ids[1] == ids[2])
        // Merged, the second one has another identifier, and its item the same.
        let merged = try SHCustomCatalog(merging: Array(paths[..<2])).references()
        #expect(merged.map(\.id) == ["video", "video-2"])
        #expect(merged.map { $0.mediaItems[0].id } == Array(ids[..<2]))
    }

    @Test func identifiersSurviveFilesMergesAndNeighbours() throws {
        let items = ["a", "a", "b"].map { SHMediaItem(properties: [.title: $0]) }
        let catalog = try SongBook.catalog()
        try catalog.addReferenceSignature(
            try .of(ScoreSong(seed: 5, seconds: 9).render()), representing: items)
        let reference = try #require(try catalog.references().last)
        let ids = reference.mediaItems.map(\.id)
        #expect(Set(ids).count == 3)
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("a.shazamcatalog"))
        try catalog.write(to: url)
        let other = SHCustomCatalog()
        try other.addReferenceSignature(SongBook.signatures[2], representing: [])
        try other.add(from: url)
        let read = try other.references()
        #expect(read.first { $0.id == reference.id }?.mediaItems.map(\.id) == ids)
        // An item in front of the others does not change theirs.
        let longer = SHCustomCatalog()
        try longer.addReferenceSignature(
            try .of(ScoreSong(seed: 5, seconds: 9).render()),
            representing: [SHMediaItem(properties: [:])] + items)
        #expect(try longer.references()[0].mediaItems.dropFirst().map(\.id) == ids)
    }

    @Test func identifiersFollowFromTheSignature() throws {
        let (one, other) = (try SongBook.catalog(), try SongBook.catalog())
        #expect(try one.references().map(\.id) == other.references().map(\.id))
        try one.addReferenceSignature(SongBook.signatures[0], representing: [])
        let ids = try one.references().map(\.id)
        #expect(Set(ids).count == 5)
        #expect(ids[4] == "\(ids[0])-2")
    }

    @Test func signaturesWithoutPeaksAreError200() throws {
        let silence = SHSignatureGenerator().signature()
        let error = #expect(throws: SHError.self) {
            try SHCustomCatalog().addReferenceSignature(silence, representing: [])
        }
        #expect(error?.code == .signatureInvalid)
    }

    @Test func signaturesWithTooFewRanksAreError200() throws {
        let whole = SongBook.signatures[0].signature
        let thin = SHSignature(
            Signature(
                peaks: whole.peaks.filter { $0.rank < 2 }, frameCount: whole.frameCount,
                sampleRate: whole.sampleRate, keptRanks: 2, channelsCancel: false,
                analysisIdentity: whole.analysisIdentity))
        let error = #expect(throws: SHError.self) {
            try SHCustomCatalog().addReferenceSignature(thin, representing: [])
        }
        #expect(error?.code == .signatureInvalid)
        #expect(error?.message == "the signature keeps 2 ranks of peaks, a reference needs 3")
    }

    @Test func aSessionsCatalogStaysAsItIs() throws {
        let catalog = try SongBook.catalog()
        let id = try #require(try catalog.references().first?.id)
        catalog.freeze()
        try catalog.addReferenceSignature(try SongBook.query(0, from: 0, seconds: 3), representing: [])
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("a.shazamcatalog"))
        try catalog.write(to: url)
        try catalog.add(from: url)
        #expect(try !catalog.removeReference(withID: id))
        #expect(catalog.referenceCount == 4)
    }

    @Test func removedReferencesAreGone() throws {
        let catalog = try SongBook.catalog()
        let ids = try catalog.references().map(\.id)
        #expect(try catalog.removeReference(withID: ids[1]))
        #expect(try !catalog.removeReference(withID: ids[1]))
        #expect(try catalog.references().map(\.id) == [ids[0], ids[2], ids[3]])
        try catalog.addReferenceSignature(SongBook.signatures[1], representing: [])
        #expect(try catalog.removeReference(withID: ids[3]))
        #expect(try catalog.references().map(\.id) == [ids[0], ids[2], ids[1]])
        #expect(catalog.referenceCount == 3)
        // As if there had never been others.
        let fresh = SHCustomCatalog()
        for song in [0, 2] {
            try fresh.addReferenceSignature(
                SongBook.signatures[song],
                representing: [SHMediaItem(properties: [.title: SongBook.title(song)])])
        }
        try fresh.addReferenceSignature(SongBook.signatures[1], representing: [])
        #expect(catalog.dataRepresentation == fresh.dataRepresentation)
    }

    @Test func aReferenceGivesItsSignature() throws {
        let catalog = try SongBook.catalog()
        let id = try #require(try catalog.references().last?.id)
        let signature = try #require(try catalog.signature(ofReference: id))
        #expect(signature.duration == 30)
        let kept = SongBook.signatures[3].signature.peaks.filter { $0.rank < 3 }
            .map { Peak(time: $0.time, frequency: $0.frequency, rank: $0.rank, level: $0.level) }
        #expect(signature.signature.peaks == kept)
        #expect(try catalog.signature(ofReference: "another") == nil)
    }

    @Test func limitsOfQueriesAreAppliedAndSettable() {
        let catalog = SHCustomCatalog()
        #expect(catalog.minimumQuerySignatureDuration == 1)
        #expect(catalog.maximumQuerySignatureDuration == 3600)
        catalog.queryDurations = 0.5...12
        #expect(catalog.minimumQuerySignatureDuration == 0.5)
        #expect(catalog.maximumQuerySignatureDuration == 12)
    }

    @Test func additionsAtOnceAllCount() async throws {
        let catalog = SHCustomCatalog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try catalog.addReferenceSignature(SongBook.signatures[number % 4], representing: [])
                    if number % 5 == 0 { _ = try catalog.engine() }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Set(catalog.references().map(\.id)).count == 40)
    }
}

/// Media items that are added to and removed from references.
@Suite struct CatalogItemTests {
    private func titles(_ catalog: SHCustomCatalog) throws -> [String?] {
        try catalog.references().flatMap(\.mediaItems).map(\.title)
    }

    @Test func itemsKeepTheirIdentifiers() throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            SongBook.signatures[0],
            representing: ["A", "B", "C"].map { SHMediaItem(properties: [.title: $0]) })
        let reference = try catalog.references()[0]
        let ids = reference.mediaItems.map(\.id)
        let signature = try catalog.signature(ofReference: reference.id)
        #expect(try catalog.removeMediaItem(withID: ids[0], fromReference: reference.id))
        #expect(try !catalog.removeMediaItem(withID: ids[0], fromReference: reference.id))
        #expect(try catalog.references()[0].mediaItems.map(\.id) == Array(ids[1...]))
        #expect(
            try catalog.addMediaItems([SHMediaItem(properties: [.title: "D"])], toReference: reference.id))
        #expect(try catalog.removeMediaItem(withID: ids[1], fromReference: reference.id))
        #expect(try titles(catalog) == ["C", "D"])
        #expect(try !catalog.addMediaItems([], toReference: "none"))
        let items = try catalog.references()[0].mediaItems
        #expect(items[0].id == ids[2] && !ids.contains(items[1].id))
        #expect(items[0] == reference.mediaItems[2])
        // Files, tables and archives keep them.
        let read = try SHCustomCatalog(dataRepresentation: catalog.dataRepresentation)
        #expect(try read.references()[0].mediaItems == items)
        let table = try MediaItemTable(csv: Data(MediaItemTable(items).csv.utf8), name: "t")
        #expect(table.items == items)
        #expect(try catalog.signature(ofReference: reference.id) == signature)
    }

    @Test func aSessionsCatalogDoesNotChange() throws {
        let catalog = try SongBook.catalog()
        let reference = try catalog.references()[0]
        _ = SHSession(catalog: catalog)
        #expect(try !catalog.addMediaItems([SHMediaItem(properties: [:])], toReference: reference.id))
        #expect(
            try !catalog.removeMediaItem(withID: reference.mediaItems[0].id, fromReference: reference.id))
        #expect(try titles(catalog) == (0..<4).map(SongBook.title))
    }

    @Test(
        "Some items of a reference are those that they are among all, whether read from a file or from memory"
    )
    func chosenItemsAreThoseAmongAll() throws {
        let id = SHMediaItemProperty("mediaItemID")
        let name = try SongBook.catalog().engine().recordingName(at: 0)
        func item(_ title: String, _ range: Range<Double>) -> SHMediaItem {
            SHMediaItem(properties: [.title: title, .timeRanges: [range]])
        }
        let taken = UUID.ofItem(item("b", 2..<3).stored, 0, ofRecording: name)
        let items = [
            item("a", 0..<2), item("b", 2..<3), item("a", 0..<2), item("b", 2..<3), item("b", 0..<2),
            SHMediaItem(properties: [.title: "c", id: taken.uuidString]),
            SHMediaItem(properties: [.title: "d", .frequencySkewRanges: [Float(0.01)..<0.02]]),
            SHMediaItem(properties: [id: UUID().uuidString, .timeRanges: [1.0..<2, 2.5..<4]]),
        ]
        let made = SHCustomCatalog()
        try made.addReferenceSignature(SongBook.signatures[0], representing: items)
        let folder = try TemporaryFolder()
        let path = folder.file("c.earcatalog")
        try made.write(to: URL(fileURLWithPath: path))
        for catalog in [made, try SHCustomCatalog(merging: [path])] {
            let all = catalog.items(ofReference: 0)
            #expect(all.count == items.count && Set(all.map(\.id)).count == items.count)
            for wanted in ["a", "b", "c", nil] {
                let title = SHMediaItemProperty.title.rawValue
                let isWanted = { (item: MediaItem) in item[title] == wanted.map { .string($0) } }
                let chosen = catalog.items(ofReference: 0, where: isWanted)
                #expect(chosen == all.filter { $0.title == wanted } && !chosen.isEmpty)
            }
        }
    }

    @Test("A reference takes 10,000 items and no more, at once or in steps")
    func itemsOfAReferenceAreBounded() throws {
        let catalog = SHCustomCatalog()
        func items(_ count: Int) -> [SHMediaItem] {
            (0..<count).map { SHMediaItem(properties: [.title: "\($0)"]) }
        }
        let error = #expect(throws: SHError.self) {
            try catalog.addReferenceSignature(SongBook.signatures[0], representing: items(10_001))
        }
        #expect(error?.errorCode == 300 && error?.localizedDescription.contains("10001") == true)
        #expect(catalog.referenceCount == 0)
        try catalog.addReferenceSignature(SongBook.signatures[0], representing: items(10_000))
        let id = try #require(try catalog.references().first?.id)
        #expect(throws: SHError.self) { try catalog.addMediaItems(items(1), toReference: id) }
        #expect(catalog.items(ofReference: 0).count == 10_000)
    }

    @Test func identifiersInTablesAreDistinctFromIndexes() throws {
        let catalog = try SongBook.catalog()
        let name = try catalog.engine().recordingName(at: 0)
        let other = SHMediaItem(properties: [.title: "y"])
        let id = UUID.ofItem(other.stored, 0, ofRecording: name)
        let item = SHMediaItem(properties: [
            .title: "x", SHMediaItemProperty("mediaItemID"): id.uuidString,
        ])
        #expect(
            item.id == id
                && item[SHMediaItemProperty("mediaItemID")] as? String == nil)
        let stored = try MediaItem(items: [item, other])
        let read = stored.items(ofRecording: name)
        #expect(read.map(\.title) == ["x", "y"] && read[0].id == item.id)
        #expect(read[1].id == .ofItem(other.stored, 1, ofRecording: name))
    }
}
