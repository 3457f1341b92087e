import Fingerprinting

/// A trial of one input, which calls everything that reads an untrusted file.
///
/// All errors must be the engine's. A valid file must be written again byte for byte.
enum FileTrial {
    /// Runs one input: a byte, whose bit 0 selects a signature and bit 1 matching, and the file.
    static func run(_ input: UnsafeBufferPointer<UInt8>) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        do {
            let matches = kind & 2 != 0
            if kind & 1 != 0 {
                try runSignature(bytes, matches: matches)
            } else {
                try runCatalog(bytes, matches: matches)
            }
        } catch {
            precondition(error is FingerprintingError, "an error of another kind: \(error)")
        }
    }

    private static func runSignature(_ bytes: [UInt8], matches: Bool) throws {
        let signature = try Signature(encoded: bytes, name: "input")
        let again = try Signature(encoded: signature.encoded(), name: "again")
        precondition(again == signature, "a signature differs after writing and reading")
        let catalog = try Catalog(
            references: [Reference(id: "a", signature: signature)], settings: Seeds.settings)
        if matches { _ = try catalog.match(Query(signature)) }
    }

    private static func runCatalog(_ bytes: [UInt8], matches: Bool) throws {
        let catalog = try CatalogFile.decode(bytes, name: "input", settings: Seeds.settings)
        for place in catalog.entries.indices.prefix(20) {
            _ = catalog.entries[place]
            _ = catalog.signature(at: place)
        }
        _ = try? catalog.place(ofID: "seed 1")
        let found = matches ? try? catalog.match(Seeds.query) : nil
        for match in found ?? [] { _ = catalog.matchedPeaks(of: match, in: Seeds.query) }
        let written = Result { try CatalogFile.encode(catalog) }
        try CatalogFile.verify(catalog)
        let again = try written.get()
        // Byte 8 is the version, which an upgrade changes.
        guard bytes[8] != again[8] else {
            precondition(again == bytes, "a valid catalog differs after writing")
            return
        }
        let upgraded = try CatalogFile.decode(again, name: "upgraded", settings: Seeds.settings)
        for place in catalog.entries.indices {
            precondition(
                upgraded.entries[place] == catalog.entries[place]
                    && upgraded.signature(at: place) == catalog.signature(at: place),
                "an upgrade changes a reference")
        }
    }
}
