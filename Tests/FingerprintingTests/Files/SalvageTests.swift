import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Damaged catalog files give back each reference that has no byte in a damaged block.
struct SalvageTests {
    private static let blockSize = 65_536

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        (0..<8).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    /// The blocks in which a reference has bytes, by the description of the format.
    private static func blocks(of place: Int, _ bytes: [UInt8]) -> Set<Int> {
        let rows = SealedFile.section(2, of: bytes)
        let row = rows.lowerBound + 56 * place
        var ranges = [row..<row + 112]
        for (column, section, width) in [(3, 3, 1), (4, 4, 1), (5, 6, 4)] {
            let start = SealedFile.section(section, of: bytes).lowerBound
            let own = number(bytes, row + 8 * column)..<number(bytes, row + 56 + 8 * column)
            if !own.isEmpty { ranges.append(start + width * own.lowerBound..<start + width * own.upperBound) }
        }
        let body = SealedFile.bodyRange(bytes).lowerBound
        return Set(
            ranges.flatMap { ($0.lowerBound - body) / blockSize...($0.upperBound - 1 - body) / blockSize })
    }

    /// Many references with large media items, so that they are in many blocks.
    private static let bytes: [UInt8] = {
        let references = (0..<40).map { place in
            Reference(
                id: "reference \(place)",
                mediaItem: MediaItem([.init("cover", .data([UInt8](repeating: UInt8(place), count: 20_000)))]
                ),
                signature: SmallCatalog.references[place % 3].signature)
        }
        guard let catalog = try? Catalog(references: references, settings: SmallCatalog.settings),
            let bytes = try? CatalogFile.encode(catalog)
        else { preconditionFailure("no catalog") }
        return bytes
    }()

    private static func salvage(_ bytes: [UInt8]) throws -> SalvagedCatalog {
        let folder = try TemporaryFolder()
        let path = folder.file("damaged.earcatalog")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try CatalogFile.salvage(path)
    }

    @Test("A damaged block costs the references that have bytes in it, and no others")
    func wholeReferencesAreGivenBack() throws {
        let body = SealedFile.bodyRange(Self.bytes)
        let whole = try CatalogFile.decode(Self.bytes, name: "whole")
        let blocks = (body.count + Self.blockSize - 1) / Self.blockSize
        #expect(blocks > 10)
        for block in 1..<blocks {
            var damaged = Self.bytes
            damaged[min(body.lowerBound + block * Self.blockSize + 77, body.upperBound - 1)] ^= 4
            let expected = whole.entries.indices.filter { !Self.blocks(of: $0, Self.bytes).contains(block) }
            guard !expected.isEmpty else {
                #expect(throws: FingerprintingError.self) { try Self.salvage(damaged) }
                continue
            }
            let salvaged = try Self.salvage(damaged)
            #expect(salvaged.places == expected)
            #expect(salvaged.lost.map(\.place) == whole.entries.indices.filter { !expected.contains($0) })
            #expect(
                salvaged.lost.allSatisfy {
                    $0.id == "reference \($0.place)" && $0.description.contains("byte ")
                })
            for (place, number) in salvaged.places.enumerated() {
                #expect(try salvaged.catalog.reference(at: place) == whole.reference(at: number))
            }
        }
    }

    @Test("Settings and the list of checksums are no part of a reference")
    func otherBytesCostNothing() throws {
        let end = Self.bytes.count
        for place in [end - 1, end - 9, end - 40] {
            var damaged = Self.bytes
            damaged[place] ^= 1
            #expect(throws: FingerprintingError.self) { try CatalogFile.decode(damaged, name: "damaged") }
            #expect(try Self.salvage(damaged).lost.isEmpty)
        }
    }

    @Test("Nothing is made up: a file without a whole reference, or a header, is an error")
    func nothingIsMadeUp() throws {
        let body = SealedFile.bodyRange(Self.bytes)
        var first = Self.bytes
        first[body.lowerBound + 5] ^= 1
        #expect(throws: FingerprintingError.self) { try Self.salvage(first) }
        for length in [0, 11, 100, Self.bytes.count / 2, Self.bytes.count - 1] {
            #expect(throws: FingerprintingError.self) { try Self.salvage(Array(Self.bytes[..<length])) }
        }
    }
}
