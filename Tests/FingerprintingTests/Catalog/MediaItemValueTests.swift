import AudioCore
import Fingerprinting
import Testing

/// Media items in catalogs: every kind of value, at its limits, comes back bit by bit.
struct MediaItemValueTests {
    private typealias Value = MediaItem.Value

    /// Values at the edges of what each kind can hold.
    private static let values: [MediaItem.Value] =
        ["", "a", "\0", "é", "e\u{301}", "👩‍👩‍👧", "\u{202E}x", String(repeating: "long ", count: 20_000)].flatMap
    {
        [.string($0), .url($0)]
    } + [Int64.min, -1, 0, 1, .max].map { .integer($0) }
        + numbers.flatMap { [.number($0), .date($0), .instant($0)] }
        + numbers.map { .single(Float($0)) } + [.bool(true), .bool(false)]
        + [0, 1, 255, 70_000].map { .data([UInt8](repeating: 0xA5, count: $0)) }
        + [
            .range(-.infinity, .infinity), .range(0, 0), .range(-0.0, 0), .range(1, 1 + 1e-15),
            .singleRange(-.infinity, .infinity), .singleRange(.leastNonzeroMagnitude, 1),
            .integerRange(.min, .max), .integerRange(7, 7), .list([]), .dictionary([]),
            .dictionary([.init("", .bool(true)), .init("", .bool(false)), .init("é", .list([]))]),
        ]
    private static let numbers = [
        0, -0.0, 1, -1.5, .pi, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        .ulpOfOne, 978_307_200, 1e-300,
    ]

    /// A value of random kinds, lists and dictionaries within each other.
    private func random(_ generator: inout SeededGenerator, depth: Int) -> Value {
        switch generator.index(below: depth > 4 ? 3 : 5) {
        case 0: return Self.values[generator.index(below: Self.values.count)]
        case 1: return .integer(Int64(bitPattern: generator.next()))
        case 2: return .string(String(generator.next(), radix: 36))
        case 3:
            return .list((0..<generator.index(below: 4)).map { _ in random(&generator, depth: depth + 1) })
        default:
            return .dictionary(
                (0..<generator.index(below: 4)).map {
                    .init("k\($0 % 2)", random(&generator, depth: depth + 1))
                })
        }
    }

    @Test("Each kind of value is read from a catalog as it was written")
    func valuesAreReadAsWritten() throws {
        let items = Self.values.map { MediaItem([.init("x", $0)]) }
        let references = items.enumerated().map {
            Reference(id: "\($0)", mediaItem: $1, signature: SmallCatalog.references[0].signature)
        }
        let catalog = try Catalog(references: references, settings: SmallCatalog.settings)
        let read = try CatalogFile.decode(
            CatalogFile.encode(catalog), name: "values", settings: SmallCatalog.settings)
        for (place, item) in items.enumerated() {
            let found = try read.entry(at: place).mediaItem
            #expect(found == item && catalog.entries[place].mediaItem == item)
            // Equal floats may differ in a sign, and equal text in its scalars.
            #expect(try found.encoded() == item.encoded())
        }
        #expect(items.count > 70)
    }

    @Test("Random items, however nested, are read as written, alone and in a catalog")
    func randomItemsAreReadAsWritten() throws {
        var generator = SeededGenerator(seed: 5, "items")
        let items = (0..<200).map { _ in
            MediaItem((0..<generator.index(below: 6)).map { .init("p\($0)", random(&generator, depth: 0)) })
        }
        for item in items { #expect(try MediaItem(encoded: item.encoded(), name: "x") == item) }
        let references = items.enumerated().map {
            Reference(id: "\($0)", mediaItem: $1, signature: SmallCatalog.references[1].signature)
        }
        let catalog = try Catalog(references: references, settings: SmallCatalog.settings)
        #expect(catalog.entries.map(\.mediaItem) == items)
    }

    @Test("A number that is none keeps its bits")
    func nansKeepTheirBits() throws {
        for bits in [0x7FF8_0000_0000_0001, 0xFFF8_1234_5678_9ABC] as [UInt64] {
            let item = MediaItem([.init("x", .number(Double(bitPattern: bits)))])
            let read = try MediaItem(encoded: item.encoded(), name: "x")
            guard case .number(let number) = read["x"] else {
                Issue.record("no number")
                continue
            }
            #expect(number.bitPattern == bits)
        }
    }

    @Test("Bytes that are accepted are those that would be written")
    func acceptedBytesAreCanonical() throws {
        var generator = SeededGenerator(seed: 6, "canonical")
        let item = MediaItem(Self.values.filter { "\($0)".count < 200 }.prefix(40).map { .init("k", $0) })
        let original = try item.encoded()
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = original
            bytes[generator.index(below: bytes.count)] = UInt8(generator.index(below: 256))
            guard let read = try? MediaItem(encoded: bytes, name: "x") else { continue }
            accepted += 1
            #expect(try read.encoded() == bytes)
        }
        #expect(accepted > 1000)
    }

    @Test("Every changed byte is an error that names a byte, or another item")
    func changedBytesAreNoticed() throws {
        let item = MediaItem([
            .init("text", .string("ab")), .init("list", .list([.integer(3), .bool(true)])),
            .init("entries", .dictionary([.init("range", .range(1, 2))])),
        ])
        let original = try item.encoded()
        var refused = 0
        for place in original.indices {
            for bit in 0..<8 {
                var bytes = original
                bytes[place] ^= 1 << UInt8(bit)
                do {
                    #expect(try MediaItem(encoded: bytes, name: "x").encoded() == bytes)
                } catch let error as FingerprintingError {
                    #expect(error.code == .malformedFile && error.description.hasPrefix("x: byte "))
                    refused += 1
                }
            }
        }
        #expect(refused > original.count)
    }

    @Test("As many properties as a file can hold are kept, and the longest key")
    func limitsAreKept() throws {
        let many = MediaItem(Array(repeating: .init("k", .bool(true)), count: MediaItem.mostKeys))
        let long = MediaItem([.init(String(repeating: "k", count: MediaItem.mostKeys), .integer(1))])
        for item in [many, long] { #expect(try MediaItem(encoded: item.encoded(), name: "x") == item) }
        // Bytes count, not characters.
        let wide = MediaItem([.init(String(repeating: "é", count: 32_768), .integer(1))])
        #expect(throws: FingerprintingError.self) { try wide.encoded() }
    }

    @Test("An item that cannot be stored is refused when the catalog is made")
    func badItemsAreRefusedAtOnce() {
        var deep = Value.bool(true)
        for _ in 0...MediaItem.mostDepth { deep = .dictionary([.init("x", deep)]) }
        let reference = Reference(
            id: "deep", mediaItem: MediaItem([.init("x", deep)]),
            signature: SmallCatalog.references[0].signature)
        #expect(throws: FingerprintingError.self) {
            try Catalog(references: [reference], settings: SmallCatalog.settings)
        }
    }

    @Test("The first of several values of a key counts, and a title is text")
    func firstValuesCount() {
        let item = MediaItem([
            .init("a", .integer(1)), .init("title", .string("one")), .init("a", .integer(2)),
            .init("title", .string("two")),
        ])
        #expect(item["a"] == .integer(1) && item["b"] == nil && item.title == "one")
        #expect(MediaItem(title: "x").properties == [.init("title", .string("x"))])
        #expect(MediaItem([.init("title", .integer(3)), .init("title", .string("x"))]).title == nil)
    }
}
