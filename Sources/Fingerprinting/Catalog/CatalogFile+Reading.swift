extension CatalogFile {
    /// The parts of an open file, after checks whose cost does not depend on its size.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, or `.incompatibleSignature` when the file was made with
    ///   other settings.
    static func contents(of file: MappedFile, settings: Settings) throws -> CatalogContents {
        try file.expectSections(sectionNames)
        var stored = try file.reader("SETTINGS")
        try settings.expectStored(try MediaItem(&stored), name: file.name)
        try stored.expectEnd(of: "section SETTINGS")

        var info = try file.reader("INFO")
        let count = try info.count(UInt64.self, "a number of references", atMost: 1 << 32)
        let totalSeconds = Double(bitPattern: try info.number(UInt64.self, "a length in seconds"))
        let longest =
            Double(count) * Double(ReferenceTable.mostFrames) / Double(SpectrumStream.sampleRates.lowerBound)
        guard totalSeconds >= 0, totalSeconds <= longest else {
            throw info.error(
                at: info.position - 8, expected: "a length of 0…\(longest) seconds, found \(totalSeconds)")
        }
        try info.expectEnd(of: "section INFO")

        let table = ReferenceTable(
            rows: try file.section("REFS", of: UInt64.self), ids: try file.section("IDS", of: UInt8.self),
            items: try file.section("ITEMS", of: UInt8.self))
        try expect((count + 1) * ReferenceTable.width, in: table.rows, "REFS")
        let store = PeakStore(
            table: table, records: try file.section("PEAKS", of: UInt32.self),
            checkpoints: try file.section("MARKS", of: UInt32.self))
        return CatalogContents(
            table: table, timeline: try timeline(of: file, references: count, records: store.records.count),
            peakStore: store, index: try index(of: file, settings: settings), totalSeconds: totalSeconds)
    }

    private static func timeline(of file: MappedFile, references: Int, records: Int) throws -> Timeline {
        let starts = try file.section("STARTS", of: UInt32.self)
        try expect(references + 1, in: starts, "STARTS")
        guard starts.isIntact(references..<(references + 1)) else {
            try file.throwIfDamaged()
            throw file.error(at: starts.position(of: references), expected: "a sound end of the timeline")
        }
        // A record spans less than 64 frames: no more memory is claimed for votes than the records call for.
        let longest = min(
            Posting.mostFrames,
            Timeline.margin + records * 64
                + references * (2 * Timeline.margin + 2 * Timeline.cellFrames))
        guard starts[references] <= longest else {
            throw file.error(
                at: starts.position(of: references),
                expected: "a timeline of at most \(longest) frames, found \(starts[references])")
        }
        return Timeline(starts: starts)
    }

    private static func index(of file: MappedFile, settings: Settings) throws -> PairIndex {
        let keys = KeySpace(settings.index, analysis: settings.analysis)
        let rows = try file.section("ROWS", of: UInt32.self)
        let counts = try file.section("COUNTS", of: UInt8.self)
        let postings = try file.section("POSTINGS", of: UInt32.self)
        try expect(keys.rowCount + 1, in: rows, "ROWS")
        let width = counts.count / keys.keyCount
        guard postings.count <= Int(UInt32.max),
            let index = PairIndex(
                keys: keys, rowStarts: rows, cumulative: counts, cumulativeWidth: width, postings: postings)
        else {
            throw file.error(
                at: counts.position(of: 0),
                expected: "section COUNTS with 1, 2 or 4 bytes for each of \(keys.keyCount) keys, found"
                    + " \(counts.count) bytes")
        }
        return index
    }

    private static func expect<Element>(
        _ count: Int, in section: FrozenArray<Element>, _ name: String
    ) throws {
        guard section.count != count, let file = section.owner else { return }
        throw file.error(
            at: section.position(of: 0),
            expected: "\(count) numbers in section \(name), found \(section.count)")
    }
}
