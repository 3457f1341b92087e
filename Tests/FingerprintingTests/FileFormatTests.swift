import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Signature and catalog files: what is written is what is read, and damage is an error.
struct FileFormatTests {
    private let item = MediaItem([
        .init("title", .string("Étude № 3")), .init("year", .integer(-1999)), .init("gain", .number(0.1)),
        .init("live", .bool(true)), .init("released", .date(1.5e9)), .init("cover", .data([0, 255, 7])),
        .init("genres", .list([.string("a"), .list([.integer(1), .bool(false)]), .data([])])),
        .init("title", .string("a second one")),
    ])

    private var small: [Reference] {
        let signature = try? SignatureExtractor.signature(of: ScoreSong(seed: 5, seconds: 1).render())
        return [signature].compactMap { $0 }.map { Reference(id: "one", mediaItem: item, signature: $0) }
    }

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
    }

    @Test func catalogIsReadAsWritten() throws {
        let references =
            SongCatalog.references + [Reference(id: "extra", mediaItem: item, signature: small[0].signature)]
        #expect(try CatalogFile.decode(CatalogFile.encode(references), name: "catalog") == references)
        #expect(try CatalogFile.decode(CatalogFile.encode([]), name: "empty").isEmpty)
    }

    @Test func catalogFromFileAnswersTheSame() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("songs.earcatalog")
        try CatalogFile.write(SongCatalog.references, to: path)
        let catalog = try CatalogFile.open(path)
        for song in 0..<6 {
            let query = SongCatalog.songs[song].render(
                from: 12.34, seconds: 4, timeRatio: 1.02, frequencyRatio: 1.02)
            #expect(try catalog.match(query: query) == SongCatalog.catalog.match(query: query))
        }
        #expect(catalog.signature(at: 2) == SongCatalog.references[2].signature)
    }

    @Test func fourBytesAPeak() {
        let signature = SongCatalog.references[0].signature
        let bytes = signature.encoded()
        #expect(bytes.count < 4 * signature.peaks.count + 320)
        #expect(Array(bytes[0..<8]) == [0x89] + Array("EARSIG\n".utf8))
    }

    @Test func everyFlippedBitIsRefused() throws {
        let bytes = try CatalogFile.encode(small)
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << UInt8(bit)
                #expect(throws: FingerprintingError.self) { try CatalogFile.decode(damaged, name: "damaged") }
            }
        }
    }

    @Test func everyTruncationIsRefused() {
        let bytes = small[0].signature.encoded()
        for length in 0..<bytes.count {
            let error = #expect(throws: FingerprintingError.self) {
                try Signature(encoded: Array(bytes[..<length]), name: "cut.earsignature")
            }
            #expect(error?.description.hasPrefix("cut.earsignature: byte ") == true)
        }
        #expect(throws: FingerprintingError.self) { try Signature(encoded: bytes + [0], name: "longer") }
    }

    @Test func kindsOfFileAreNotConfused() throws {
        #expect(throws: FingerprintingError.self) {
            try CatalogFile.decode(small[0].signature.encoded(), name: "x")
        }
        #expect(throws: FingerprintingError.self) {
            try Signature(encoded: CatalogFile.encode(small), name: "x")
        }
        #expect(throws: FingerprintingError.self) { try CatalogFile.open("/nonexistent/catalog") }
        #expect(throws: FingerprintingError.self) { try Signature(contentsOf: "/tmp") }
    }

    /// Five thousand files with damage inside, their checksums made right again, so that the damage is reached.
    @Test func damageUnderRightChecksumsNeverTraps() throws {
        var generator = SeededGenerator(seed: 20_260_101, "damage")
        let originals = [
            try CatalogFile.encode(small), try CatalogFile.encode(Array(SongCatalog.references.prefix(2))),
            small[0].signature.encoded(),
        ]
        var refused = 0
        var accepted = 0
        for round in 0..<5000 {
            var bytes = originals[round % 3]
            let body = SealedFile.bodyRange(bytes)
            for _ in 0...generator.index(below: 4) {
                // Mostly the description of references, which is at the start; sometimes anything, or the header.
                let reach = [min(160, body.count), body.count][generator.index(below: 2)]
                let place =
                    generator.index(below: 8) == 0
                    ? 8 + generator.index(below: body.lowerBound - 16)
                    : body.lowerBound + generator.index(below: reach)
                bytes[place] =
                    [0, 0xFF, 0x80, 1, UInt8(truncatingIfNeeded: generator.next())][generator.index(below: 5)]
            }
            SealedFile.seal(&bytes)
            do {
                if round % 3 == 2 {
                    let signature = try Signature(encoded: bytes, name: "damaged")
                    _ = try? Catalog(references: [Reference(id: "a", signature: signature)])
                } else {
                    let references = try CatalogFile.decode(bytes, name: "damaged")
                    let catalog = try Catalog(references: references)
                    if accepted % 40 == 0 {
                        _ = try catalog.match(query: SongCatalog.songs[0].render(from: 3, seconds: 2))
                    }
                }
                accepted += 1
            } catch let error as FingerprintingError {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 1000 && accepted > 100)
    }
}
