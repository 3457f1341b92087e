/// The references without their peaks, with random access; each access reads one.
///
/// Each reference has a row of seven numbers of 8 bytes. One more row has the ends; its first three numbers are 0.
///
/// | number | meaning |
/// |---|---|
/// | 0 | number of sample frames of the recording, below 2^48 |
/// | 1 | bits 0–31: sample rate in hertz, 1000 … 768000; bit 32: the channels nearly cancel in their mean |
/// | 2 | number of peaks |
/// | 3 | start of its identifier in the identifiers |
/// | 4 | start of its media item in the media items |
/// | 5 | its first peak record |
/// | 6 | its first checkpoint |
struct ReferenceTable: Sendable {
    static let width = 7

    /// A column of starts in another section.
    enum Column: Int, CaseIterable {
        case id = 3
        case item = 4
        case record = 5
        case checkpoint = 6
    }

    let rows: FrozenArray<UInt64>
    /// The identifiers in UTF-8, one after the other.
    let ids: FrozenArray<UInt8>
    let items: FrozenArray<UInt8>

    var count: Int { max(0, rows.count / Self.width - 1) }

    struct Recording: Hashable, Sendable {
        let frameCount: Int
        let sampleRate: Int
        let channelsCancel: Bool

        var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

        /// The recording of a damaged row.
        static let unknown = Recording(
            frameCount: 0, sampleRate: Signature.sampleRates.lowerBound, channelsCancel: false)
    }

    /// The recording of a reference; an empty one if its row is damaged, and then the file keeps the error.
    func recording(_ place: Int) -> Recording {
        guard isIntact(place) else { return .unknown }
        let row = place * Self.width
        let rate = Int(rows[row + 1] & 0xFFFF_FFFF)
        guard rows[row] < UInt64(Signature.mostFrames) else {
            fail(row, expected: "fewer than 2^48 sample frames, found \(rows[row])")
            return .unknown
        }
        guard Signature.sampleRates.contains(rate), rows[row + 1] >> 33 == 0 else {
            fail(row + 1, expected: "a sample rate of 1000…768000 Hz and a flag")
            return .unknown
        }
        return Recording(
            frameCount: Int(rows[row]), sampleRate: rate, channelsCancel: rows[row + 1] >> 32 == 1)
    }

    func peakCount(_ place: Int) -> Int {
        isIntact(place) ? Int(clamping: rows[place * Self.width + 2]) : 0
    }

    func recordRange(_ place: Int, of records: FrozenArray<UInt32>) -> Range<Int> {
        range(.record, of: place, within: records.count)
    }

    /// The checkpoints of a reference, at most as many as its records need.
    func checkpointRange(_ place: Int, of checkpoints: FrozenArray<UInt32>) -> Range<Int> {
        let marks = range(.checkpoint, of: place, within: checkpoints.count)
        let records = range(.record, of: place, within: .max)
        return marks.prefix((records.count + PeakStore.checkpointRecords - 1) / PeakStore.checkpointRecords)
    }

    /// The identifier of a reference.
    ///
    /// - Throws: `FingerprintingError.malformedFile`.
    func id(_ place: Int) throws -> String {
        let range = range(.id, of: place, within: ids.count)
        try throwIfDamaged()
        var reader = try ids.reader(of: "an identifier", in: range)
        return try reader.text(range.count, "an identifier")
    }

    /// The identifier of a reference; empty if the file is damaged, and then the file keeps the error.
    func idOrEmpty(_ place: Int) -> String {
        do {
            return try id(place)
        } catch {
            if let error = error as? FingerprintingError { rows.owner?.fail(error) }
            return ""
        }
    }

    /// The media item of a reference.
    ///
    /// - Throws: `FingerprintingError.malformedFile`.
    func mediaItem(_ place: Int) throws -> MediaItem {
        var reader = try mediaItemReader(place)
        let item = try MediaItem(&reader)
        try reader.expectEnd(of: "a media item")
        return item
    }

    /// A reader of the stored form of a reference's media item.
    ///
    /// - Throws: `FingerprintingError.malformedFile`.
    func mediaItemReader(_ place: Int) throws -> ByteReader {
        let range = range(.item, of: place, within: items.count)
        try throwIfDamaged()
        return try items.reader(of: "a media item", in: range)
    }

    /// The range of a reference in another section of length `limit`.
    ///
    /// It is empty if the rows are damaged or the range is out of bounds, and then the file keeps the error.
    func range(_ column: Column, of place: Int, within limit: Int) -> Range<Int> {
        guard isIntact(place) else { return 0..<0 }
        let here = place * Self.width + column.rawValue
        let start = rows[here]
        let end = rows[here + Self.width]
        guard start <= end, end <= UInt64(limit) else {
            fail(here, expected: "a start of at most the next one, \(end), which is at most \(limit)")
            return 0..<0
        }
        return Int(start)..<Int(end)
    }

    private func isIntact(_ place: Int) -> Bool {
        let row = place * Self.width
        return rows.isIntact(row..<(row + 2 * Self.width))
    }

    private func fail(_ number: Int, expected: String) {
        rows.owner?.fail(rows.error(at: number, expected: expected))
    }

    private func throwIfDamaged() throws { try rows.owner?.throwIfDamaged() }
}

extension ReferenceTable {
    /// The table of a catalog file.
    init(_ file: MappedFile) throws {
        self.init(
            rows: try file.section("REFS", of: UInt64.self), ids: try file.section("IDS", of: UInt8.self),
            items: try file.section("ITEMS", of: UInt8.self))
    }
}
