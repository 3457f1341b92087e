import AudioCore
import Fingerprinting
import Testing

/// The stored form of media items: reading gives what was written, and invalid bytes throw.
struct MediaItemFileTests {
    private let item = MediaItem([
        .init("text", .string("№")), .init("whole", .integer(-7)), .init("number", .number(0.1)),
        .init("flag", .bool(true)), .init("date", .date(1.5e9)), .init("data", .data([0, 255])),
        .init("list", .list([.string("a"), .list([])])), .init("single", .single(0.1)),
        .init("address", .url("https://example.org")),
        .init("entries", .dictionary([.init("a", .integer(1)), .init("b", .list([.bool(false)]))])),
        .init("range", .range(-1, 2)), .init("singles", .singleRange(0.25, 0.5)),
        .init("integers", .integerRange(-3, 9)), .init("instant", .instant(7.25)),
    ])

    @Test func itemIsReadAsWritten() throws {
        let bytes = try item.encoded()
        #expect(try MediaItem(encoded: bytes, name: "item") == item)
    }

    /// The bytes of each kind of value as in the article on file formats.
    @Test(
        arguments: [
            (MediaItem.Value.string("ab"), [1, 2, 0, 0, 0, 97, 98]),
            (.integer(-2), [2, 254] + Array(repeating: 255, count: 7)),
            (.number(1), [3, 0, 0, 0, 0, 0, 0, 240, 63]),
            (.bool(true), [4, 1]),
            (.date(1), [5, 0, 0, 0, 0, 0, 0, 240, 63]),
            (.data([9]), [6, 1, 0, 0, 0, 9]),
            (.list([.bool(false)]), [7, 1, 0, 0, 0, 4, 0]),
            (.single(1), [8, 0, 0, 128, 63]),
            (.url("ab"), [9, 2, 0, 0, 0, 97, 98]),
            (.dictionary([.init("k", .bool(true))]), [10, 1, 0, 0, 0, 1, 0, 107, 4, 1]),
            (.range(0, 1), [11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 63]),
            (.singleRange(0, 1), [12, 0, 0, 0, 0, 0, 0, 128, 63]),
            (.integerRange(1, 2), [13, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]),
            (.instant(1), [14, 0, 0, 0, 0, 0, 0, 240, 63]),
        ] as [(MediaItem.Value, [UInt8])])
    func bytesAreThoseDescribed(value: MediaItem.Value, bytes: [UInt8]) throws {
        let encoded = try MediaItem([.init("x", value)]).encoded()
        #expect(encoded == [1, 0, 1, 0, UInt8(ascii: "x")] + bytes)
    }

    @Test func everyTruncationIsRefused() throws {
        let bytes = try item.encoded()
        for length in 0..<bytes.count {
            let error = #expect(throws: FingerprintingError.self) {
                try MediaItem(encoded: Array(bytes[..<length]), name: "cut")
            }
            #expect(error?.code == .malformedFile && error?.description.hasPrefix("cut: byte ") == true)
        }
        #expect(throws: FingerprintingError.self) { try MediaItem(encoded: bytes + [0], name: "longer") }
    }

    @Test func changedBytesNeverTrap() throws {
        var generator = SeededGenerator(seed: 20_260_202, "media item bytes")
        let original = try item.encoded()
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = original
            for _ in 0...generator.index(below: 3) {
                bytes[generator.index(below: bytes.count)] = UInt8(generator.index(below: 256))
            }
            do {
                let read = try MediaItem(encoded: bytes, name: "changed")
                #expect(throws: Never.self) { try read.encoded() }
            } catch let error as FingerprintingError {
                #expect(error.code == .malformedFile)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test(
        arguments: [
            [11, 0, 0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 0, 0],
            [11, 0, 0, 0, 0, 0, 0, 248, 127, 0, 0, 0, 0, 0, 0, 248, 127],
            [12, 0, 0, 128, 63, 0, 0, 0, 0],
            [13, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func reversedRangesAreRefused(bytes: [UInt8]) {
        let error = #expect(throws: FingerprintingError.self) {
            try MediaItem(encoded: [1, 0, 1, 0, UInt8(ascii: "x")] + bytes, name: "item")
        }
        #expect(error?.description.hasPrefix("item: byte 5: expected a range whose lower end") == true)
    }

    @Test func whatFilesCannotHoldIsAnError() {
        var deep = MediaItem.Value.integer(1)
        for _ in 0..<32 { deep = .list([deep]) }
        #expect(throws: Never.self) {
            try MediaItem(encoded: MediaItem([.init("x", deep)]).encoded(), name: "deep")
        }
        let deeper = MediaItem([.init("x", .dictionary([.init("y", deep)]))])
        let longKey = MediaItem([.init(String(repeating: "k", count: 65_536), .bool(true))])
        let manyKeys = MediaItem(Array(repeating: .init("k", .bool(true)), count: 65_536))
        for item in [deeper, longKey, manyKeys] {
            #expect(throws: FingerprintingError.self) { try item.encoded() }
        }
        // Bytes with deeper nesting than the writer allows.
        let bytes: [UInt8] =
            [1, 0, 1, 0, 120] + Array(repeating: [7, 1, 0, 0, 0], count: 33).joined() + [4, 1]
        let error = #expect(throws: FingerprintingError.self) { try MediaItem(encoded: bytes, name: "deep") }
        #expect(error?.description.contains("at most 32 deep") == true)
    }
}
