import AudioCore
import Fingerprinting
import Testing

/// Signature files byte by byte: what is written is what the format says, and what it forbids is refused at its byte.
struct SignatureFormatTests {
    /// Long enough for a peak at any time that can be stored.
    private static let frames = 1 << 40

    /// The bytes of a number, least significant first.
    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    private func record(_ step: UInt32, _ frequency: UInt32, rank: UInt32 = 0, level: UInt32 = 0) -> UInt32 {
        level << 27 | rank << 25 | step << 16 | frequency
    }

    /// A file of the given contents, put together from the format's description.
    private func file(
        _ records: [UInt32], peaks: Int, frames: UInt64 = UInt64(Self.frames), rate: UInt64 = 8000,
        ranks: UInt64 = 3,
        flags: UInt64 = 0, reserved: UInt64 = 0, rankBytes: [UInt8]? = nil, heights: [UInt8]? = nil
    ) -> [UInt8] {
        let info =
            Self.bytes(frames, 8) + Self.bytes(rate, 4) + Self.bytes(ranks, 1) + Self.bytes(flags, 1)
            + Self.bytes(reserved, 2) + Self.bytes(UInt64(peaks), 8) + Self.bytes(UInt64(records.count), 8)
            + Self.bytes(Settings().analysis.identity, 8)
        var sections = [("INFO    ", info), ("PEAKS   ", records.flatMap { Self.bytes(UInt64($0), 4) })]
        if let rankBytes { sections.append(("RANKS   ", rankBytes)) }
        if let heights { sections.append(("HEIGHTS ", heights)) }
        let header = (56 + 24 * sections.count + 63) / 64 * 64
        let padded = sections.map { $0.1 + [UInt8](repeating: 0, count: (64 - $0.1.count % 64) % 64) }
        let table = header + padded.reduce(0) { $0 + $1.count }
        let blocks = (table - header + 65_535) / 65_536
        var file: [UInt8] = [0x89] + Array("EARSIG\n".utf8) + Self.bytes(4, 4)
        file += Self.bytes(UInt64(sections.count), 4) + Self.bytes(UInt64(table + 8 * blocks + 8), 8)
        file += Self.bytes(UInt64(header), 8) + Self.bytes(UInt64(table), 8)
        file += Self.bytes(65_536, 4) + Self.bytes(UInt64(blocks), 4)
        var place = header
        for (section, bytes) in zip(sections, padded) {
            file +=
                Array(section.0.utf8) + Self.bytes(UInt64(place), 8) + Self.bytes(UInt64(section.1.count), 8)
            place += bytes.count
        }
        file += [UInt8](repeating: 0, count: header - file.count) + padded.joined()
        file += [UInt8](repeating: 0, count: 8 * blocks + 8)
        SealedFile.seal(&file)
        return file
    }

    private func signature(
        _ peaks: [Peak], ranks: Int = 16, cancel: Bool = false, heights: Bool = false
    ) -> Signature {
        Signature(
            peaks: peaks, frameCount: Self.frames, sampleRate: 8000, keptRanks: ranks, channelsCancel: cancel,
            hasHeights: heights, analysisIdentity: Settings().analysis.identity)
    }

    @Test("A file holds the bytes that the format describes")
    func bytesAreThoseDescribed() {
        let peaks = [
            Peak(time: 5, frequency: 700, rank: 2, height: 9, level: 31),
            Peak(time: 5, frequency: 65_535, rank: 15, height: 255),
            Peak(time: 516, frequency: 1, rank: 0, height: 0, level: 1),
            Peak(time: 1538, frequency: 2, rank: 1, height: 1),
        ]
        let records = [
            record(5, 700, rank: 2, level: 31), record(0, 65_535, rank: 3), record(511, 1, level: 1),
            // Half a second that nine bits cannot hold.
            record(511, 0), record(511, 2, rank: 1),
        ]
        let bare = peaks.map(Self.withoutHeight)
        #expect(
            signature(bare, cancel: true).encoded()
                == file(records, peaks: 4, ranks: 16, flags: 1, rankBytes: [2, 15, 0, 1]))
        let kept = Array(bare.filter { $0.rank < 4 })
        #expect(
            signature(kept, ranks: 4).encoded()
                == file([records[0], record(511, 1, level: 1)] + records[3...], peaks: 3, ranks: 4))
        #expect(
            signature(peaks, heights: true).encoded()
                == file(records, peaks: 4, ranks: 16, rankBytes: [2, 15, 0, 1], heights: [9, 255, 0, 1]))
        #expect(signature([], ranks: 1).encoded() == file([], peaks: 0, ranks: 1))
    }

    private static func withoutHeight(_ peak: Peak) -> Peak {
        Peak(time: peak.time, frequency: peak.frequency, rank: peak.rank, level: peak.level)
    }

    @Test("Peaks of any time, frequency, rank, height and level are read as written")
    func randomPeaksAreReadAsWritten() throws {
        var generator = SeededGenerator(seed: 77, "records")
        for _ in 0..<300 {
            let peaks = (0..<generator.index(below: 40)).map { _ in
                // Often at the edge of what one record can span.
                let time =
                    511 * generator.index(below: 7000)
                    + [0, 1, 510, generator.index(below: 511)][generator.index(below: 4)]
                return Peak(
                    time: UInt32(time),
                    frequency: UInt16(
                        [1, 65_535, 1 + generator.index(below: 65_535)][generator.index(below: 3)]),
                    rank: UInt8(generator.index(below: 16)), height: UInt8(generator.index(below: 256)),
                    level: UInt8(generator.index(below: 32)))
            }
            var signature = signature(PeakMusic.ordered(peaks), heights: true)
            #expect(try Signature(encoded: signature.encoded(), name: "random") == signature)
            let bare = signature.peaks.map(Self.withoutHeight)
            signature = self.signature(bare)
            #expect(try Signature(encoded: signature.encoded(), name: "random") == signature)
        }
    }

    @Test("A catalog keeps the same peaks as a signature file")
    func catalogsKeepThem() throws {
        let peaks = [0, 511, 512, 1022, 1023, 1534, 3_000_000].map {
            Peak(time: UInt32($0), frequency: 9000, rank: 1, level: UInt8($0 % 32))
        }
        let signature = signature(peaks, ranks: 3)
        let catalog = try Catalog(references: [Reference(id: "a", signature: signature)])
        #expect(catalog.signature(at: 0) == signature)
        let bytes = try CatalogFile.encode(catalog)
        #expect(try CatalogFile.decode(bytes, name: "a").signature(at: 0) == signature)
        try CatalogFile.verify(CatalogFile.decode(bytes, name: "a"))
    }

    /// Expects an error at a byte that speaks of `words`.
    private func expectRefusal(_ bytes: [UInt8], at place: Int, _ words: String...) {
        let error = #expect(throws: FingerprintingError.self) { try Signature(encoded: bytes, name: "x") }
        let text = error?.description ?? ""
        #expect(error?.code == .malformedFile && text.hasPrefix("x: byte \(place): "), "\(text)")
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    /// The sections start at byte 128, and the peaks at byte 192.
    @Test("Records that no writer makes are refused, each at its byte")
    func recordsAreChecked() {
        let good = record(10, 500)
        for (records, peaks, place, word) in [
            ([good, record(0, 499)], 2, 196, "order"), ([good, record(0, 500)], 2, 196, "order"),
            ([good, record(1, 500, rank: 3)], 2, 196, "rank"),
            ([good, record(510, 0), good], 2, 196, "pause"),
            ([good, record(511, 0, rank: 1), good], 2, 196, "pause"),
            ([good, record(511, 0, level: 1), good], 2, 196, "pause"),
            ([good, record(511, 0), record(0, 9)], 2, 200, "pause"),
            ([good, record(511, 0)], 1, 200, "pause"), ([good], 2, 192, "2 peaks"),
            ([good, record(1, 3)], 1, 192, "1 peaks"),
        ] as [([UInt32], Int, Int, String)] {
            expectRefusal(file(records, peaks: peaks), at: place, word)
        }
        #expect(throws: Never.self) { try Signature(encoded: file([good], peaks: 1), name: "x") }
    }

    @Test("No peak is later than a frame of the low band after the recording's end")
    func peaksEndWithTheRecording() {
        // A second of audio is 2000 units; a frame of the low band is 128.
        let pauses = [UInt32](repeating: record(511, 0), count: 4)
        #expect(throws: Never.self) {
            try Signature(encoded: file(pauses + [record(84, 500)], peaks: 1, frames: 8000), name: "x")
        }
        expectRefusal(
            file(pauses + [record(85, 500)], peaks: 1, frames: 8000), at: 208, "end of the recording")
    }

    @Test("A description that no writer makes is refused, each number at its byte")
    func descriptionsAreChecked() {
        expectRefusal(file([], peaks: 0, frames: 1 << 48), at: 128, "frames")
        for rate in [0, 999, 768_001] as [UInt64] {
            expectRefusal(file([], peaks: 0, rate: rate), at: 136, "sample rate", "\(rate)")
        }
        for ranks in [0, 17] as [UInt64] { expectRefusal(file([], peaks: 0, ranks: ranks), at: 140, "rank") }
        expectRefusal(file([], peaks: 0, flags: 2), at: 141, "flags")
        expectRefusal(file([], peaks: 0, reserved: 1), at: 142)
        for (rate, frames) in [(1000, 0), (768_000, (1 << 48) - 1)] as [(UInt64, UInt64)] {
            #expect(throws: Never.self) {
                try Signature(encoded: file([], peaks: 0, frames: frames, rate: rate), name: "x")
            }
        }
    }

    @Test("Ranks must be as many as peaks, below those kept, and those of the records")
    func ranksAreChecked() {
        let records = [record(1, 500, rank: 3), record(1, 500, rank: 2)]
        // The peaks end at byte 200, and ranks start at the next multiple of 64.
        func file(_ ranks: [UInt8]?, kept: UInt64 = 10) -> [UInt8] {
            self.file(records, peaks: 2, ranks: kept, rankBytes: ranks)
        }
        #expect(throws: Never.self) { try Signature(encoded: file([9, 2]), name: "x") }
        #expect(throws: Never.self) { try Signature(encoded: file(nil, kept: 4), name: "x") }
        expectRefusal(file([10, 2]), at: 256, "rank")
        expectRefusal(file([2, 2]), at: 256, "rank")
        expectRefusal(file([3, 3]), at: 257, "rank")
        expectRefusal(file([3]), at: 256, "ranks")
        expectRefusal(file([3, 2, 1]), at: 258, "RANKS")
        expectRefusal(file(nil), at: 96, "RANKS")
        expectRefusal(file([3, 2], kept: 4), at: 12, "section")
    }

    @Test("Heights must be as many as peaks")
    func heightsAreCounted() {
        let records = [record(1, 500), record(1, 500)]
        // The peaks end at byte 200, and heights start at the next multiple of 64.
        expectRefusal(file(records, peaks: 2, heights: [1]), at: 256, "heights")
        expectRefusal(file(records, peaks: 2, heights: [1, 2, 3]), at: 258, "HEIGHTS")
    }

    @Test("Files around the length of a block of checksums are read as written")
    func blocksMayEndAnywhere() throws {
        let settings = SmallCatalog.settings
        let frame = try CatalogFile.encode(Catalog(references: [item(0)], settings: settings)).count
        for extra in [-130, -65, -64, -1, 0, 1, 63, 64, 65, 130] {
            // So that the payload comes near one, two and three blocks.
            for blocks in 1...3 {
                let size = max(0, blocks * 65_536 + extra - frame % 65_536 + 65_536)
                let catalog = try Catalog(references: [item(size)], settings: settings)
                let bytes = try CatalogFile.encode(catalog)
                var sealed = bytes
                SealedFile.seal(&sealed)
                #expect(sealed == bytes, "the checksums are not those described")
                let read = try CatalogFile.decode(bytes, name: "blocks", settings: settings)
                try CatalogFile.verify(read)
                #expect(read.entries.first == catalog.entries.first)
            }
        }
    }

    private func item(_ bytes: Int) -> Reference {
        Reference(
            id: "a", mediaItem: MediaItem([.init("x", .data([UInt8](repeating: 3, count: bytes)))]),
            signature: SmallCatalog.references[0].signature)
    }
}
