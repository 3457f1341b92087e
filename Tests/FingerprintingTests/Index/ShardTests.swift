import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Catalogs of several shards: what one index cannot count.
struct ShardTests {
    private static let one = Settings().shardLimit

    @Test("A shard holds no more than its limit, and ends where it did before more references followed")
    func shardsAreFull() {
        var generator = SeededGenerator(seed: 1, "shards")
        for _ in 0..<100 {
            let limit = ShardLimit(
                frames: 1000 + generator.index(below: 9000), peaks: 100 + generator.index(below: 900))
            var layout = ShardLayout(limit)
            var used = (frames: 0, peaks: 0)
            for number in 0..<200 {
                let span = 8 * generator.index(below: 200)
                let peaks = generator.index(below: 150)
                let before = layout.firsts
                let start = layout.place(span: span, peaks: peaks)
                if layout.firsts.count > before.count {
                    #expect(layout.firsts == before + [number])
                    #expect(used.frames + span > limit.frames || used.peaks + peaks > limit.peaks)
                    used = (frames: 0, peaks: 0)
                } else {
                    #expect(layout.firsts == before)
                }
                if used.frames == 0 { used.frames = 272 }
                #expect(start == used.frames)
                used = (frames: start + span, peaks: used.peaks + peaks)
                #expect(
                    layout.firsts.last == number || used.frames <= limit.frames && used.peaks <= limit.peaks)
            }
        }
    }

    @Test("100,000 hours of songs take six shards, and no index counts beyond its 32 bits")
    func aHundredThousandHoursFit() {
        var layout = ShardLayout(Self.one)
        // 4 minutes of 21 peaks a second, each of which starts 3 pairs.
        for _ in 0..<1_500_000 { _ = layout.place(span: 240 * 1000 / 32 + 544, peaks: 240 * 21) }
        #expect(layout.firsts.count == 6)
        let largest = zip(layout.firsts, layout.firsts.dropFirst() + [1_500_000]).map { $1 - $0 }.max() ?? 0
        #expect(largest * 240 * 21 * 3 <= 1 << 32)
        #expect(largest * (240 * 1000 / 32 + 544) <= 1 << 31)
    }

    @Test("A catalog of several shards answers as one of a single shard", arguments: [1, 3, 5])
    func answersAreTheSame(references perShard: Int) throws {
        let references = PeakMusic.references(12, seconds: 30)
        let whole = try Catalog(references: references)
        let limit = ShardLimit(frames: .max / 2, peaks: 600 * perShard)
        let divided = try Catalog(references: references, settings: Settings(), limit: limit)
        let read = try CatalogFile.decode(CatalogFile.encode(divided, limit: limit), name: "shards")
        var found = 0
        for (place, reference) in references.enumerated() {
            for (kept, extra) in [(1.0, 0.0), (0.6, 30.0), (0.3, 60.0)] {
                let query = PeakMusic.cut(
                    reference.signature, from: 7.7, seconds: 5, .init(kept: kept, extraPerSecond: extra)
                ).query
                let matches = try whole.match(query).filter(\.isAccepted)
                #expect(try divided.match(query).filter(\.isAccepted) == matches)
                #expect(try read.match(query).filter(\.isAccepted) == matches)
                if matches.first?.referenceIndex == place { found += 1 }
            }
        }
        #expect(found > 20)
    }

    @Test("A file depends on its references alone, not on the shards that they came from", arguments: 0..<8)
    func filesDoNotDependOnTheirSources(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed, "sources")
        let settings = SmallCatalog.settings
        func limit() -> ShardLimit {
            ShardLimit(frames: 600 + generator.index(below: 4000), peaks: 1 + generator.index(below: 200))
        }
        var catalogs: [Catalog] = []
        var removed: [[Int]] = []
        var left: [Reference] = []
        for number in 0..<3 {
            let references = (0..<generator.index(below: 8)).map {
                Reference(
                    id: "\(number) \($0)",
                    signature: PeakMusic.signature(
                        seed: UInt64($0), seconds: [0, 1, 3, 9][$0 % 4], settings: settings))
            }
            let gone = references.indices.filter { _ in generator.index(below: 4) == 0 }
            left += references.indices.filter { !gone.contains($0) }.map { references[$0] }
            let own = limit()
            let catalog = try Catalog(references: references, settings: settings, limit: own)
            let read = try CatalogFile.decode(
                CatalogFile.encode(catalog, limit: own), name: "source", settings: settings)
            try CatalogFile.verify(read, limit: own)
            catalogs.append(number == 1 ? catalog : read)
            removed.append(gone)
        }
        let expected = try Catalog(references: left, settings: settings)
        let merged = try CatalogFile.merged(catalogs, removed: removed)
        #expect(try CatalogFile.encode(merged) == CatalogFile.encode(expected))
        let last = limit()
        let bytes = try CatalogFile.encode(expected, limit: last)
        #expect(try CatalogFile.encode(merged, limit: last) == bytes)
        let divided = try Catalog(references: left, settings: settings, limit: last)
        #expect(try CatalogFile.encode(divided, limit: last) == bytes)
        #expect(try CatalogFile.encode(divided) == CatalogFile.encode(expected))
    }

    @Test("The first reference of each further shard is in section INFO, and verified")
    func firstsAreStored() throws {
        let read = try CatalogFile.decode(
            SmallCatalog.bytesInShards, name: "shards", settings: SmallCatalog.settings)
        try CatalogFile.verify(read, limit: SmallCatalog.narrow)
        #expect(throws: FingerprintingError.self) { try CatalogFile.verify(read) }
        let file = CatalogSections(bytes: SmallCatalog.bytesInShards)
        #expect(Array(file.numbers("INFO", width: 8).dropFirst(2)) == [1, 2])
        #expect(file.numbers("STARTS", width: 4).count == 6)
    }
}
