import AudioCore
import EarshotKit
import Fingerprinting
import KitTestSupport
import TestSupport
import Testing

extension SHMediaItemProperty {
    fileprivate static let value = SHMediaItemProperty("value")
}

/// Media items preserve values and their types.
@Suite struct SHMediaItemTests {
    private func readBack(_ value: Any) throws -> Any {
        let item = SHMediaItem(properties: [.value: value])
        let stored = try MediaItem(encoded: item.stored.encoded(), name: "item")
        let read = SHMediaItem(stored: stored)
        #expect(read == item && read.id == item.id)
        return read[.value]
    }

    @Test func simpleValuesKeepTheirTypes() throws {
        let date = Date(timeIntervalSinceReferenceDate: 789_123_456.123_456_7)
        let url = try #require(URL(string: "https://example.org/a?b=c#d"))
        #expect(try readBack("Étude № 3") as? String == "Étude № 3")
        #expect(try readBack(Int.min) as? Int == .min)
        #expect(try readBack(2.0) as? Double == 2)
        #expect(try readBack(Float(0.1)) as? Float == 0.1)
        #expect(try readBack(true) as? Bool == true)
        #expect(try readBack(date) as? Date == date)
        #expect(try readBack(Data([0, 255])) as? Data == Data([0, 255]))
        #expect(try readBack(url) as? URL == url)
        #expect(try readBack(1.5..<2.5) as? Range<Double> == 1.5..<2.5)
        #expect(try readBack(Float(1)..<2) as? Range<Float> == 1..<2)
        #expect(try readBack(3..<9) as? Range<Int> == 3..<9)
    }

    /// A number is read as every type that holds it exactly, alone and in collections, as from an `NSNumber`.
    @Test func numbersBridge() throws {
        for value in [128, Int8(127), UInt16(128), 128.0, Float(128), NSNumber(value: 128)] as [Any] {
            let number = try readBack(value)
            let expected = value is Int8 ? 127 : 128
            #expect(number as? Int == expected && number as? Double == Double(expected))
            #expect(number as? Float == Float(expected) && number as? Int64 == Int64(expected))
            #expect(number as? Bool == nil && number as? UInt8 == UInt8(expected))
        }
        #expect(try readBack(128.5) as? Int == nil)
        #expect(try readBack(Float(0.5)) as? Double == 0.5)
        #expect(try readBack(Int.max) as? Double == nil)
        for (value, flag) in [(1, true), (0, false), (1.0, true), (true, true), (false, false)]
            as [(Any, Bool)]
        {
            #expect(try readBack(value) as? Bool == flag)
            #expect(try readBack(value) as? Int == (flag ? 1 : 0))
            let explicit = SHMediaItem(properties: [.explicitContent: value])
            #expect(explicit.explicitContent == flag)
        }
        #expect(try readBack(2) as? Bool == nil)
        #expect(try readBack([1, 2]) as? [Double] == [1, 2])
        #expect(try readBack(["a": 1.0]) as? [String: Int] == ["a": 1])
        #expect(try readBack([true]) as? [Bool] == [true])
    }

    /// An item made of values that were read from another is the same one.
    @Test func readValuesMakeTheSameItem() throws {
        var generator = SeededGenerator(seed: 54, "read values")
        for _ in 0..<100 {
            let item = SHMediaItem(properties: [.value: randomValue(&generator, depth: 3)])
            #expect(SHMediaItem(properties: [.value: item[.value]]) == item)
        }
    }

    @Test func foundationClassesAreConverted() throws {
        #expect(try readBack(NSNumber(value: 42)) as? Int == 42)
        #expect(try readBack(NSNumber(value: 2.5)) as? Double == 2.5)
        #expect(try readBack(NSNumber(value: Float(2.5))) as? Float == 2.5)
        #expect(try readBack(NSNumber(value: true)) as? Bool == true)
        #expect(try readBack(NSString("text")) as? String == "text")
        #expect(try readBack(NSArray(array: [1, "a"])) as? [Any] != nil)
        #expect(try readBack(UInt8(200)) as? Int == 200)
        #expect(try readBack(CGFloat(2)) as? Double == 2)
    }

    @Test func collectionsRoundTrip() throws {
        let nested: [String: Any] = ["answer": 42, "tags": ["a", "b"], "more": ["x": 1.5, "y": [1..<2]]]
        let read = try #require(try readBack(nested) as? [String: Any])
        #expect(Set(read.keys) == ["answer", "tags", "more"])
        #expect(read["answer"] as? Int == 42)
        #expect(read["tags"] as? [String] == ["a", "b"])
        let more = try #require(read["more"] as? [String: Any])
        #expect(more["x"] as? Double == 1.5)
        #expect(more["y"] as? [Range<Int>] == [1..<2])
        #expect(try readBack([Int]()) as? [Int] == [])
    }

    /// Random values survive encoding.
    @Test func randomItemsRoundTrip() throws {
        var generator = SeededGenerator(seed: 20_260_201, "media items")
        for _ in 0..<300 { _ = try readBack(randomValue(&generator, depth: 4)) }
    }

    private func randomValue(_ generator: inout SeededGenerator, depth: Int) -> Any {
        switch generator.index(below: depth > 0 ? 9 : 7) {
        case 0:
            return String(
                (0..<generator.index(below: 9)).map { _ in
                    "aß№\u{1F600}\n".randomElement(using: &generator) ?? "x"
                })
        case 1: return generator.index(below: 1 << 40) - (1 << 39)
        case 2: return generator.uniform(in: -1e9...1e9)
        case 3: return generator.index(below: 2) == 0
        case 4: return Float(generator.uniform(in: -1...1))
        case 5: return Date(timeIntervalSinceReferenceDate: generator.uniform(in: -1e9...1e9))
        case 6: return -1.0..<generator.uniform(in: 0...9)
        case 7: return (0..<generator.index(below: 4)).map { _ in randomValue(&generator, depth: depth - 1) }
        default:
            return Dictionary(
                (0..<generator.index(below: 4)).map {
                    ("key \($0)", randomValue(&generator, depth: depth - 1))
                }
            ) { first, _ in first }
        }
    }

    @Test func missingPropertiesAreNil() {
        let item = SHMediaItem(properties: [:])
        #expect(item[.title] as? String == nil)
        #expect(item[.value] as? Int == nil)
        #expect(item.title == nil && item.webURL == nil && item.creationDate == nil)
        #expect(item.genres.isEmpty && item.timeRanges.isEmpty && item.frequencySkewRanges.isEmpty)
        #expect(!item.explicitContent)
    }

    @Test func propertiesReadTheirKeys() throws {
        let url = try #require(URL(string: "https://example.org"))
        let date = Date(timeIntervalSince1970: 1e9)
        let item = SHMediaItem(properties: [
            .title: "t", .subtitle: "s", .artist: "a", .shazamID: "1", .appleMusicID: "2", .ISRC: "3",
            .webURL: url, .appleMusicURL: url, .artworkURL: "https://example.org", .videoURL: url,
            .genres: ["x", "y"], .explicitContent: true, .creationDate: date,
        ])
        #expect([item.title, item.subtitle, item.artist] == ["t", "s", "a"])
        #expect([item.shazamID, item.appleMusicID, item.isrc] == ["1", "2", "3"])
        #expect([item.webURL, item.appleMusicURL, item.artworkURL, item.videoURL] == [url, url, url, url])
        #expect(item.genres == ["x", "y"] && item.explicitContent && item.creationDate == date)
    }

    /// Literals are ranges of `Double` or `Int` in a dictionary of `Any`, whatever the property's type.
    @Test func rangesOfAnyTypeAreRead() {
        let literals = SHMediaItem(properties: [
            .timeRanges: [14..<31], .frequencySkewRanges: [0.01..<0.02],
        ])
        #expect(literals.timeRanges == [14..<31])
        #expect(literals.frequencySkewRanges == [0.01..<0.02])
        #expect(literals[.timeRanges] as? [Range<Double>] == [14..<31])
        #expect(literals[.frequencySkewRanges] as? [Range<Float>] == [0.01..<0.02])
        let proper = SHMediaItem(properties: [
            .timeRanges: [Range<TimeInterval>(uncheckedBounds: (14, 31))],
            .frequencySkewRanges: [Range<Float>(uncheckedBounds: (0.01, 0.02))],
        ])
        #expect(proper == literals)
        let single = SHMediaItem(properties: [.timeRanges: Float(1)..<2, .frequencySkewRanges: -1..<1])
        #expect(single.timeRanges == [1..<2] && single.frequencySkewRanges == [-1..<1])
    }

    @Test func unsupportedValuesAreOmitted() {
        struct Unknown {}
        var deep: Any = 1
        for _ in 0..<40 { deep = [deep] }
        let item = SHMediaItem(properties: [
            .title: "t", .value: Unknown(), .subtitle: String?.none as Any, .shazamID: UInt64.max,
            SHMediaItemProperty(String(repeating: "k", count: 70_000)): 1,
            .genres: ["a", Unknown(), "b"] as [Any],
        ])
        #expect(item.stored.properties.map(\.key) == ["genres", "title"])
        #expect(item.genres == ["a", "b"])
        #expect(throws: Never.self) {
            try SHMediaItem(properties: [.value: deep]).stored.encoded()
        }
        let optional: String? = "x"
        #expect(SHMediaItem(properties: [.title: optional as Any]).title == "x")
    }

    @Test func catalogsAndLibrariesRefuseItemsWithOmittedValues() async throws {
        struct Unknown {}
        let empty = SHMediaItem(properties: [.shazamID: "1", .subtitle: String?.none as Any])
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(SongBook.signatures[0], representing: [empty])
        let id = try catalog.references()[0].id
        var deep: Any = 1
        for _ in 0..<40 { deep = [deep] }
        let long = String(repeating: "k", count: 70_000)
        let value = SHMediaItemProperty.value
        for (key, value, reason) in [
            (value, UUID(), "the property \"value\" of a media item is of the type UUID, which cannot"),
            (value, ["a": [Decimal(1)]], "the property \"value\" of a media item is of the type Decimal"),
            (value, Unknown(), "the property \"value\" of a media item is of the type Unknown"),
            (value, 0...9, "is of the type ClosedRange<Int>"), (value, NSNull(), "is of the type NSNull"),
            (value, UInt64.max, "is 18446744073709551615, which is beyond"),
            (value, deep, "nests collections more than 30 levels"),
            (value, [long: 1], "holds a key of more than 65535 bytes"),
            (SHMediaItemProperty(long), 1, "has a key of 70000 bytes"),
            (
                .timeRanges, "1..<2",
                "the property \"timeRanges\" of a media item is of the type String, where ranges"
            ),
            (.frequencySkewRanges, [0.1], "where ranges of numbers are expected"),
        ] as [(SHMediaItemProperty, Any, String)] {
            let item = SHMediaItem(properties: [.shazamID: "1", key: value])
            let error = #expect(throws: SHError.self) {
                try catalog.addReferenceSignature(SongBook.signatures[1], representing: [empty, item])
            }
            #expect(error?.code == .customCatalogInvalid)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
            #expect(throws: SHError.self) { try catalog.addMediaItems([item], toReference: id) }
            let store = try LibraryStore(folder: TemporaryFolder().path)
            let refused = await #expect(throws: SHError.self) { try await store.add([item], app: "a") }
            #expect(refused?.code == .mediaLibrarySyncFailed)
            let folder = try TemporaryFolder()
            let table = #expect(throws: MediaItemTableError.self) {
                try MediaItemTable([item]).write(to: folder.file("t.csv"))
            }
            #expect(table?.reason.contains(reason) == true && folder.names().isEmpty)
        }
        #expect(catalog.referenceCount == 1)
    }

    @Test func noItemIsOnline() async {
        let error = await #expect(throws: SHError.self) { try await SHMediaItem.fetch(shazamID: "40") }
        #expect(error?.code == .mediaItemFetchFailed && error?.message.contains("40") == true)
    }

    @Test func equalItemsHaveEqualIdentifiers() {
        let one = SHMediaItem(properties: [.title: "a", .value: 1])
        let same = SHMediaItem(properties: [.value: 1, .title: "a"])
        let other = SHMediaItem(properties: [.title: "a", .value: 1.0])
        #expect(one == same && one.hash == same.hash && one.id == same.id)
        #expect(one != other && one.id != other.id)
        #expect(Set([one, same, other]).count == 2)
        let inCatalog = SHMediaItem(stored: one.stored, id: UUID())
        #expect(inCatalog != one)
        // Version 5, variant 1.
        #expect(one.id.uuid.6 >> 4 == 5 && one.id.uuid.8 >> 6 == 2)
        #expect(one.copy() as? SHMediaItem === one)
    }

    @Test func itemsRoundTripThroughArchives() throws {
        let item = SHMediaItem(
            stored: SHMediaItem(properties: [.title: "a", .timeRanges: [1..<2], .value: ["x": 1]]).stored,
            id: UUID())
        let data = try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: SHMediaItem.self, from: data)
        #expect(read == item && read?.id == item.id)
    }

    /// Such an item is refused before and after, and archiving it does not end the process.
    @Test func archivedItemsWithOmittedValuesAreRefused() throws {
        let item = SHMediaItem(properties: [.title: "kept", SHMediaItemProperty("lost"): UUID()])
        let data = try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: SHMediaItem.self, from: data))
        #expect(read.title == "kept" && read.id == item.id)
        for item in [item, read] {
            let error = #expect(throws: SHError.self) {
                try SHCustomCatalog().addReferenceSignature(SongBook.signatures[0], representing: [item])
            }
            #expect(error?.message.contains("lost") == true && error?.message.contains("UUID") == true)
        }
    }

    @Test func otherArchivesDecodeToNil() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Data([1, 0, 9]) as NSData, forKey: "properties")
        archiver.encode(UUID().uuidString as NSString, forKey: "id")
        archiver.finishEncoding()
        for data in [archiver.encodedData, NSKeyedArchiver(requiringSecureCoding: true).encodedData] {
            let reader = try NSKeyedUnarchiver(forReadingFrom: data)
            reader.decodingFailurePolicy = .setErrorAndReturn
            #expect(SHMediaItem(coder: reader) == nil)
        }
    }
}
