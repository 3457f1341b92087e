import AudioCore
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Damaged and inconsistent catalog files: never a trap, and an error as soon as the damage is read.
struct DamagedCatalogTests {
    private func decode(_ bytes: [UInt8]) throws -> Catalog {
        try CatalogFile.decode(bytes, name: "damaged.earcatalog", settings: SmallCatalog.settings)
    }

    @Test func everyFlippedBitIsRefused() {
        let bytes = SmallCatalog.bytes
        #expect(throws: Never.self) { try decode(bytes) }
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << UInt8(bit)
                let error = #expect(throws: FingerprintingError.self) { try decode(damaged) }
                #expect(error?.description.hasPrefix("damaged.earcatalog: byte ") == true)
                #expect(error?.description.contains("expected") == true)
            }
        }
    }

    @Test func everyTruncationIsRefused() {
        let bytes = SmallCatalog.bytes
        for length in 0..<bytes.count {
            let error = #expect(throws: FingerprintingError.self) { try decode(Array(bytes[..<length])) }
            #expect(error?.description.hasPrefix("damaged.earcatalog: byte ") == true)
        }
        #expect(throws: FingerprintingError.self) { try decode(bytes + [0]) }
    }

    /// Calls everything that reads a catalog.
    private func use(_ catalog: Catalog, _ query: Query, limit: ShardLimit) throws {
        let matches = try catalog.match(query)
        for match in matches { _ = catalog.matchedPeaks(of: match, in: query) }
        for place in catalog.entries.indices {
            _ = catalog.entries[place]
            _ = catalog.signature(at: place)
            _ = catalog.size(at: place)
        }
        _ = try catalog.place(ofID: "small 2")
        _ = try CatalogFile.encode(catalog)
        try CatalogFile.verify(catalog, limit: limit)
    }

    /// Thousands of damaged files with valid checksums, so that readers reach the damage.
    @Test(arguments: [false, true])
    func liesUnderRightChecksumsNeverTrap(isInShards: Bool) throws {
        var generator = SeededGenerator(seed: 20_260_102, "lies")
        let query = try Query(
            ScoreSong(seed: 1, seconds: 4).render(), settings: SmallCatalog.settings)
        var refused = 0
        var usable = 0
        var sound = 0
        for _ in 0..<10_000 {
            var bytes = isInShards ? SmallCatalog.bytesInShards : SmallCatalog.bytes
            FileLies.tell(&bytes, using: &generator)
            do {
                let catalog = try decode(bytes)
                usable += 1
                try use(
                    catalog, query, limit: isInShards ? SmallCatalog.narrow : SmallCatalog.settings.shardLimit
                )
                sound += 1
            } catch let error as FingerprintingError {
                #expect(error.description.contains("damaged.earcatalog: "), "\(error)")
                refused += 1
            }
        }
        #expect(refused > 5000 && usable > 1500 && sound > 25, "\(refused) \(usable) \(sound)")
    }

    /// A file of several blocks, the second half of which is pictures.
    private func pictures(_ folder: TemporaryFolder) throws -> (path: String, bytes: [UInt8]) {
        let references = SongCatalog.references.map { reference in
            Reference(
                id: reference.id,
                mediaItem: MediaItem([
                    .init("cover", .data([UInt8](repeating: 7, count: 200_000)))
                ]), signature: reference.signature)
        }
        let path = folder.file("songs.earcatalog")
        try CatalogFile.write(references, to: path)
        return (path, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    @Test func damageIsFoundWhenItIsTouchedAndNotBefore() throws {
        let folder = try TemporaryFolder()
        let (path, bytes) = try pictures(folder)
        let query = SongCatalog.songs[1].render(from: 8, seconds: 5)
        let items = SealedFile.section(4, of: bytes)
        var damaged = bytes
        damaged[items.lowerBound + 900_000] ^= 4
        try AtomicFile.write(damaged, to: path)

        let whole = #expect(throws: FingerprintingError.self) { try CatalogFile.open(path) }
        #expect(whole?.description.contains("\(path): byte ") == true)

        let catalog = try CatalogFile.open(path, wholeLimit: 0)
        #expect(try catalog.match(query: query).first?.referenceID == "song 1")
        #expect(try catalog.entry(at: 0).mediaItem.properties.count == 1)
        let touched = #expect(throws: FingerprintingError.self) { try catalog.entry(at: 4) }
        let body = SealedFile.bodyRange(bytes).lowerBound
        let block = body + (items.lowerBound + 900_000 - body) / 65536 * 65536
        #expect(
            touched?.description
                == "\(path): byte \(block): expected a block of 65536 bytes that fits its checksum")
        // From then on the whole catalog throws.
        #expect(throws: FingerprintingError.self) { try catalog.match(query: query) }
        #expect(throws: FingerprintingError.self) { try CatalogFile.verify(path) }
    }

    /// A file that is copied when it opens.
    @Test func aSmallCatalogMayChangeInPlace() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.earcatalog")
        try CatalogFile.write(SongCatalog.references, to: path)
        let catalog = try CatalogFile.open(path)
        let query = SongCatalog.songs[1].render(from: 8, seconds: 5)
        let answers = try catalog.match(query: query)
        try overwrite(path, with: [1, 2, 3])
        #expect(try catalog.match(query: query) == answers)
    }

    /// A file that is mapped: longer, shorter, and of the same length.
    @Test(arguments: [1, -1, 0]) func aMappedCatalogThatChangesInPlaceIsAnError(change: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.earcatalog")
        try CatalogFile.write(SongCatalog.references, to: path)
        let catalog = try CatalogFile.open(path, wholeLimit: 0)
        let query = SongCatalog.songs[1].render(from: 8, seconds: 5)
        #expect(try catalog.match(query: query).first?.referenceID == "song 1")
        let length = SealedFile.bodyRange(try CatalogFile.encode(catalog)).upperBound
        try overwrite(path, with: [UInt8](repeating: 7, count: change < 0 ? 9 : length + 100_000 * change))
        let error = #expect(throws: FingerprintingError.self) { try catalog.match(query: query) }
        #expect(error?.description.hasPrefix("\(path): was changed while it was open") == true)
    }

    /// What is missing of a mapped file reads as zeros, and is an error; it does not end the process.
    @Test func aMappedCatalogMayBeShortenedAtAnyTime() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.earcatalog")
        let query = SongCatalog.songs[1].render(from: 8, seconds: 5)
        let right = try SongCatalog.catalog.match(query: query)
        let whole = try CatalogFile.encode(SongCatalog.catalog)
        for delay in 0..<8 {
            try AtomicFile.write(whole, to: path)
            let catalog = try CatalogFile.open(path, wholeLimit: 0)
            // Not on a thread of the concurrency pool, which this task needs to go on.
            let matching = Task {
                await withCheckedContinuation { (continuation: CheckedContinuation<(any Error)?, Never>) in
                    DispatchQueue.global().async {
                        do {
                            while try catalog.match(query: query) == right {}
                            continuation.resume(returning: nil)
                        } catch {
                            continuation.resume(returning: error)
                        }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(3 * delay))
            #expect(truncate(path, 5000) == 0)
            let error = await matching.value
            #expect(error is FingerprintingError, "\(error as Any)")
            _ = catalog.signature(at: 4)
            #expect(throws: FingerprintingError.self) { try catalog.requireIntact() }
        }
        // Another file at the same addresses is read as it is.
        try AtomicFile.write(whole, to: path)
        #expect(try CatalogFile.open(path, wholeLimit: 0).match(query: query) == right)
    }

    @Test func aMappedCatalogThatIsReplacedByRenamingAnswersOn() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.earcatalog")
        try CatalogFile.write(SongCatalog.references, to: path)
        let catalog = try CatalogFile.open(path, wholeLimit: 0)
        let query = SongCatalog.songs[1].render(from: 8, seconds: 5)
        let answers = try catalog.match(query: query)
        try AtomicFile.write([1, 2, 3], to: path)
        #expect(try catalog.match(query: query) == answers)
    }

    /// Writes to a file as `cp` does, without a new one.
    private func overwrite(_ path: String, with bytes: [UInt8]) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    @Test(arguments: ["REFS", "IDS", "STARTS", "PEAKS", "MARKS", "GROUPS", "ENDS", "POSTINGS"])
    func damageThatAQueryTouchesIsItsError(section: String) throws {
        let folder = try TemporaryFolder()
        let (path, bytes) = try pictures(folder)
        let range = CatalogSections(bytes: bytes).range(section)
        // The whole section, so that any query reads it.
        for position in stride(from: range.lowerBound, to: range.upperBound, by: 4096) {
            var damaged = bytes
            damaged[position] ^= 1
            try AtomicFile.write(damaged, to: path)
            let query = SongCatalog.songs[1].render(from: 8, seconds: 5)
            let error = #expect(throws: FingerprintingError.self) {
                try CatalogFile.open(path, wholeLimit: 0).match(query: query)
            }
            #expect(error?.description.contains("fits its checksum") == true, "\(error?.description ?? "")")
            if position >= range.lowerBound + 65536 { break }
        }
    }

    @Test func damagedCatalogIsNotCopied() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("songs.earcatalog")
        try CatalogFile.write(SongCatalog.references.dropLast(), to: path)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[SealedFile.section(6, of: bytes).lowerBound + 100] ^= 1
        try AtomicFile.write(bytes, to: path)
        #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(path, adding: [SongCatalog.references[5]])
        }
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
        #expect(folder.names() == ["songs.earcatalog"])
    }

    /// Each kind of inconsistency that only `verify` finds, and the section in its error.
    @Test(arguments: [(2, 16), (5, 4), (6, 43), (7, 4), (8, 4), (9, 100), (10, 3)])
    func verifyFindsLiesInEverySection(section: Int, offset: Int) throws {
        var bytes = SmallCatalog.bytes
        let range = SealedFile.section(section, of: bytes)
        #expect(range.count > offset)
        bytes[range.lowerBound + offset] ^= 0x40
        SealedFile.seal(&bytes)
        let error = #expect(throws: FingerprintingError.self) {
            try CatalogFile.verify(decode(bytes))
        }
        #expect(error?.code == .malformedFile)
        #expect(
            error?.description.hasPrefix("damaged.earcatalog: byte ") == true, "\(error?.description ?? "")")
    }
}
