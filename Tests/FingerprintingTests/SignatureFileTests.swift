import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Signature files: reading gives what was written, and damage is an error.
struct SignatureFileTests {
    @Test func signatureIsReadAsWritten() throws {
        let folder = try TemporaryFolder()
        for reference in SongCatalog.references {
            let path = folder.file("a.earsignature")
            try reference.signature.write(to: path)
            #expect(try Signature(contentsOf: path) == reference.signature)
        }
    }

    @Test func pausesAreReadAsWritten() throws {
        let burst = ScoreSong(seed: 2, seconds: 2).render()
        let gap = [Float](repeating: 0, count: 16_000 * 37)
        let audio = AudioBuffer(samples: gap + burst.samples + gap + burst.samples, sampleRate: 16_000)
        let signature = try SignatureExtractor.signature(of: audio)
        #expect(signature.peaks.contains { $0.timeSeconds > 76 })
        #expect(try Signature(encoded: signature.encoded(), name: "pauses") == signature)
        let catalog = try Catalog(references: [Reference(id: "a", signature: signature)])
        #expect(
            try CatalogFile.decode(CatalogFile.encode(catalog), name: "pauses").signature(at: 0) == signature)
    }

    @Test func fourBytesAPeak() {
        let signature = SongCatalog.references[0].signature
        let bytes = signature.encoded()
        #expect(bytes.count < 4 * signature.peaks.count + 400)
        #expect(Array(bytes[0..<8]) == [0x89] + Array("EARSIG\n".utf8))
    }

    @Test func checksumsAreThoseDescribed() {
        for bytes in [SongCatalog.references[0].signature.encoded(), SmallCatalog.bytes] {
            var sealed = bytes
            SealedFile.seal(&sealed)
            #expect(sealed == bytes)
        }
    }

    @Test func everyFlippedBitIsRefused() {
        let bytes = SmallCatalog.references[0].signature.encoded()
        #expect(bytes.count > 300)
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << UInt8(bit)
                let error = #expect(throws: FingerprintingError.self) {
                    try Signature(encoded: damaged, name: "damaged.earsignature")
                }
                #expect(error?.description.hasPrefix("damaged.earsignature: byte ") == true)
                #expect(error?.description.contains("expected") == true)
            }
        }
    }

    @Test func everyTruncationIsRefused() {
        let bytes = SmallCatalog.references[0].signature.encoded()
        for length in 0..<bytes.count {
            let error = #expect(throws: FingerprintingError.self) {
                try Signature(encoded: Array(bytes[..<length]), name: "cut.earsignature")
            }
            #expect(error?.description.hasPrefix("cut.earsignature: byte ") == true)
        }
        #expect(throws: FingerprintingError.self) { try Signature(encoded: bytes + [0], name: "longer") }
    }

    @Test func kindsOfFileAreNotConfused() throws {
        let signature = SmallCatalog.references[0].signature.encoded()
        #expect(throws: FingerprintingError.self) { try CatalogFile.decode(signature, name: "x") }
        #expect(throws: FingerprintingError.self) { try Signature(encoded: SmallCatalog.bytes, name: "x") }
        #expect(throws: FingerprintingError.self) { try CatalogFile.open("/nonexistent/catalog") }
        #expect(throws: FingerprintingError.self) { try Signature(contentsOf: "/tmp") }
        #expect(throws: FingerprintingError.self) { try Signature(contentsOf: "/dev/null") }
    }

    /// Invalid contents with valid checksums throw an error with the byte, and never trap.
    @Test func liesUnderRightChecksumsNeverTrap() throws {
        var generator = SeededGenerator(seed: 20_260_101, "lies")
        let original = SmallCatalog.references[0].signature.encoded()
        var refused = 0
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = original
            FileLies.tell(&bytes, using: &generator)
            do {
                let signature = try Signature(encoded: bytes, name: "lies")
                _ = try? Catalog(
                    references: [Reference(id: "a", signature: signature)], settings: SmallCatalog.settings)
                accepted += 1
            } catch let error as FingerprintingError {
                #expect(error.description.hasPrefix("lies: byte "))
                refused += 1
            }
        }
        #expect(refused > 2000 && accepted > 200)
    }
}
