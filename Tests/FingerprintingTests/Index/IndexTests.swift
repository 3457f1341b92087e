import AudioCore
import Fingerprinting
import Testing

/// The index of pairs: what is filed, where, and how narrow.
struct IndexTests {
    /// Settings that differ in every way in which the index can.
    private static let variants: [Settings] = {
        var wide = Settings()
        wide.index.referencePairs = 7
        wide.index.ratioWeight = 2.5
        var narrow = Settings()
        narrow.index.referencePairs = 1
        narrow.index.widestOctaves = 0.3
        narrow.analysis.lowestHertz = 200
        narrow.analysis.highestHertz = 2000
        var coarse = Settings()
        coarse.index.ratioStepBins = 3
        coarse.index.coarsestRatioOctaves = 0.05
        coarse.analysis.referenceRank = 2
        return [Settings(), wide, narrow, coarse, SmallCatalog.settings]
    }()

    /// Random peaks, many at the same moment or at the same frequency, so that there are ties.
    private func references(_ settings: Settings, seed: UInt64) -> [Reference] {
        var generator = SeededGenerator(seed: seed, "ties")
        return (0..<4).map { number in
            let peaks = (0..<[300, 0, 1, 500][number]).map { _ in
                Peak(
                    time: UInt32(
                        64 * generator.index(below: 300) + [0, 0, 17, 63][generator.index(below: 4)]),
                    frequency: UInt16(1 + 512 * generator.index(below: 110) + generator.index(below: 2)),
                    rank: UInt8(generator.index(below: settings.analysis.referenceRank)))
            }
            return Reference(
                id: "\(number)",
                signature: Signature(
                    peaks: PeakMusic.ordered(peaks), frameCount: 80_000, sampleRate: 8000,
                    keptRanks: settings.analysis.referenceRank, channelsCancel: false,
                    analysisIdentity: settings.analysis.identity))
        }
    }

    private func sections(_ references: [Reference], _ settings: Settings) throws -> CatalogSections {
        CatalogSections(bytes: try CatalogFile.encode(Catalog(references: references, settings: settings)))
    }

    @Test(
        "The index of a file is what an exhaustive search over all pairs gives", arguments: variants.indices)
    func indexEqualsExhaustiveSearch(variant: Int) throws {
        let settings = Self.variants[variant]
        for seed in 0..<3 as Range<UInt64> {
            let references =
                references(settings, seed: seed)
                + [
                    Reference(
                        id: "even",
                        signature: PeakMusic.signature(seed: seed, seconds: 30, settings: settings))
                ]
            var oracle = IndexOracle(settings)
            for reference in references { oracle.add(reference.signature.peaks) }
            let file = try sections(references, settings)
            // Compared apart from `#expect`, which would write out a million numbers.
            let lengths = file.listLengths(shards: 1)[0]
            let postings = oracle.runs.flatMap(\.self)
            let areEqual = [
                file.numbers("STARTS", width: 4) == oracle.starts.map { UInt64($0) },
                Array(lengths.prefix(oracle.runs.count)) == oracle.runs.map(\.count),
                file.numbers("POSTINGS", width: 4) == postings,
            ]
            #expect(areEqual == [true, true, true], "STARTS, lengths of lists, POSTINGS")
            #expect(lengths.dropFirst(oracle.runs.count).allSatisfy { $0 == 0 } && lengths.count % 320 == 0)
            #expect(postings.count > 50, "too few pairs to tell")
        }
    }

    @Test("A peak starts no more pairs than the settings say, and more are chosen when more may be")
    func pairsAreLimited() throws {
        let reference = Reference(id: "a", signature: PeakMusic.signature(seed: 5, seconds: 60))
        var before = 0
        for most in 1...6 {
            var settings = Settings()
            settings.index.referencePairs = most
            let count = try Catalog(references: [reference], settings: settings).pairCount
            #expect(count <= most * reference.signature.peaks.count)
            #expect(count > before)
            before = count
        }
    }

    @Test("Peaks closer than a frame or further apart than 20 frames make no pair")
    func pairsKeepTheirDistance() throws {
        func pairs(_ difference: UInt32) throws -> Int {
            let peaks = [0, difference].map { Peak(time: 1000 + $0, frequency: 16_000, rank: 0) }
            return try Catalog(references: [Reference(id: "a", signature: signature(peaks))]).pairCount
        }
        for (difference, count) in [(1, 0), (63, 0), (64, 1), (65, 1), (1279, 1), (1280, 1), (1281, 0)] {
            #expect(try pairs(UInt32(difference)) == count, "\(difference) units apart")
        }
    }

    @Test("Peaks further apart than the widest interval make no pair, in either direction")
    func pairsKeepTheirInterval() throws {
        func pairs(_ low: UInt16, _ high: UInt16) throws -> Int {
            let peaks = [Peak(time: 0, frequency: low, rank: 0), Peak(time: 300, frequency: high, rank: 0)]
            return try Catalog(references: [Reference(id: "a", signature: signature(peaks))]).pairCount
        }
        // 0.9 octaves are a ratio of 1.8661.
        #expect(try pairs(10_000, 18_660) == 1 && pairs(10_000, 18_662) == 0)
        #expect(try pairs(18_660, 10_000) == 1 && pairs(18_662, 10_000) == 0)
    }

    private func signature(_ peaks: [Peak]) -> Signature {
        Signature(
            peaks: peaks, frameCount: 1 << 40, sampleRate: 8000, keptRanks: 3, channelsCancel: false,
            analysisIdentity: Settings().analysis.identity)
    }

    @Test(
        "A list of any length is read back", arguments: [511, 512, 1023, 1024, 65_535, 65_536])
    func listsOfAnyLength(pairs: Int) throws {
        // Every second two peaks: all pairs have one key.
        let times = (0..<pairs).flatMap { [2000 * $0, 2000 * $0 + 400] }
        let peaks = times.map { Peak(time: UInt32($0), frequency: 20_000, rank: 0) }
        let reference = Reference(id: "a", signature: signature(peaks))
        let catalog = try Catalog(references: [reference])
        #expect(catalog.pairCount == pairs)
        let bytes = try CatalogFile.encode(catalog)
        #expect(CatalogSections(bytes: bytes)["ENDS"].count < 450)
        let read = try CatalogFile.decode(bytes, name: "wide")
        try CatalogFile.verify(read)
        #expect(try CatalogFile.encode(read) == bytes)
        #expect(read.signature(at: 0).peaks == peaks)
    }

    @Test("References follow each other on the timeline, with room for a query that hangs over either end")
    func timelineHasRoom() throws {
        let references = PeakMusic.references(5, seconds: 7)
        let starts = try sections(references, Settings()).numbers("STARTS", width: 4).map { Int($0) }
        #expect(starts[0] == 272)
        for (place, reference) in references.enumerated() {
            let last = Int(reference.signature.peaks.last?.time ?? 0) / 64
            #expect(starts[place + 1] - (starts[place] + last) >= 2 * 272)
            #expect(starts[place] % 8 == 0)
        }
    }

    @Test("A checkpoint is the time before every 64th record")
    func checkpointsAreTimes() throws {
        let references = PeakMusic.references(3, seconds: 40)
        let file = try sections(references, Settings())
        var expected: [UInt64] = []
        for reference in references {
            var time: UInt64 = 0
            var number = 0
            for peak in reference.signature.peaks {
                // A pause of 511 units is a record too.
                let pauses = UInt64(peak.time) > time ? (UInt64(peak.time) - time - 1) / 511 : 0
                for _ in 0..<pauses {
                    if number % 64 == 0 { expected.append(time) }
                    number += 1
                    time += 511
                }
                if number % 64 == 0 { expected.append(time) }
                number += 1
                time = UInt64(peak.time)
            }
        }
        #expect(file.numbers("MARKS", width: 4) == expected)
    }

    @Test("The memory of an index is what its parts take")
    func sizesAddUp() throws {
        let catalog = try Catalog(references: PeakMusic.references(3, seconds: 40))
        let file = CatalogSections(bytes: try CatalogFile.encode(catalog))
        let index = ["GROUPS", "ENDS", "POSTINGS"].reduce(0) { $0 + file[$1].count }
        #expect(catalog.pairIndexBytes == index)
        #expect(catalog.indexBytes == index + file["PEAKS"].count + file["MARKS"].count)
        #expect(catalog.pairCount * 4 == file["POSTINGS"].count)
        let own = catalog.entries.indices.reduce(0) { $0 + catalog.size(at: $1).bytes }
        // One row and one start more mark the ends.
        let parts = ["REFS", "IDS", "ITEMS", "STARTS", "PEAKS", "MARKS"].reduce(0) { $0 + file[$1].count }
        #expect(own == parts - 56 - 4)
    }
}
