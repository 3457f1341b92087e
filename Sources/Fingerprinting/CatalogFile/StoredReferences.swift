/// The references of a catalog file of any version, each read by itself.
///
/// It takes what was heard and what was said of it, and leaves the index, which follows from the peaks. A damaged block costs
/// the references that have bytes in it, and no others.
struct StoredReferences {
    private let file: MappedFile
    private let settings: Settings
    private let form: PeakRecords
    private let table: ReferenceTable
    private let records: FrozenArray<UInt32>

    /// - Throws: `FingerprintingError.malformedFile` for a missing section.
    init(_ file: MappedFile, settings: Settings) throws {
        self.file = file
        self.settings = settings
        form = CatalogLayout.records(ofVersion: file.frame.version)
        table = try ReferenceTable(file)
        records = try file.section("PEAKS", of: UInt32.self)
    }

    /// The number of rows, which is that of the references in a sound file.
    var count: Int { table.count }

    /// The parts of a catalog of all references, with an index made for them.
    ///
    /// - Throws: `FingerprintingError.malformedFile` for the first reference that is damaged.
    func contents() throws -> CatalogContents {
        var assembly = CatalogAssembly(settings: settings)
        for place in 0..<count { try assembly.add(reference(place)) }
        try file.throwIfDamaged()
        return try assembly.contents()
    }

    /// A reference with its peaks; those of version 4 have no levels.
    ///
    /// - Throws: `FingerprintingError.malformedFile` with the byte that is wrong.
    func reference(_ place: Int) throws -> Reference {
        var row = try reader(
            table.rows, at: place * ReferenceTable.width..<(place + 1) * ReferenceTable.width, of: "a row")
        let frames = try row.count(UInt64.self, "a number of frames", atMost: Signature.mostFrames - 1)
        let rateAndFlags = try row.number(UInt64.self, "a sample rate")
        let rate = Int(rateAndFlags & 0xFFFF_FFFF)
        guard Signature.sampleRates.contains(rate), rateAndFlags >> 33 == 0 else {
            throw row.error(at: row.position - 8, expected: "a sample rate of 1000…768000 Hz and a flag")
        }
        let peakCount = try row.count(UInt64.self, "a number of peaks", atMost: records.count)
        let id = try id(place)
        var itemReader = try reader(
            table.items, at: range(.item, of: place, in: table.items), of: "a media item")
        let item = try MediaItem(&itemReader)
        try itemReader.expectEnd(of: "a media item")
        let recordRange = try range(.record, of: place, in: records)
        var peakReader = try reader(records, at: recordRange, of: "peaks")
        let ranks = settings.analysis.referenceRank
        let peaks = try form.decode(
            &peakReader, count: recordRange.count,
            longest: SignatureRecord.longestTime(frameCount: frames, sampleRate: rate), ranks: ranks)
        guard peaks.count == peakCount else {
            throw row.error(at: row.position - 8, expected: "\(peaks.count) peaks, found \(peakCount)")
        }
        return Reference(
            id: id, mediaItem: item,
            signature: Signature(
                peaks: peaks, frameCount: frames, sampleRate: rate, keptRanks: ranks,
                channelsCancel: rateAndFlags >> 32 == 1, analysisIdentity: settings.analysis.identity))
    }

    /// The identifier of a reference.
    ///
    /// - Throws: `FingerprintingError.malformedFile` with the byte that is wrong.
    func id(_ place: Int) throws -> String {
        let range = try range(.id, of: place, in: table.ids)
        var reader = try reader(table.ids, at: range, of: "an identifier")
        guard !range.isEmpty else { throw reader.error(expected: "an identifier that is not empty") }
        return try reader.text(range.count, "an identifier")
    }

    /// The range of a reference in another section.
    private func range<Element>(
        _ column: ReferenceTable.Column, of place: Int, in section: FrozenArray<Element>
    ) throws -> Range<Int> {
        let here = place * ReferenceTable.width + column.rawValue
        let next = here + ReferenceTable.width
        var (first, second) = (
            try reader(table.rows, at: here..<here + 1, of: "a row"),
            try reader(table.rows, at: next..<next + 1, of: "a row")
        )
        let end = try second.count(UInt64.self, "an end", atMost: section.count)
        return try first.count(UInt64.self, "a start", atMost: end)..<end
    }

    private func reader<Element>(
        _ section: FrozenArray<Element>, at range: Range<Int>, of what: String
    ) throws -> ByteReader {
        let bytes = section.bytes(range)
        try file.requireIntact(bytes)
        return ByteReader(bytes, origin: section.position(of: range.lowerBound), name: file.name, owner: file)
    }
}

/// What is whole of a damaged catalog file.
package struct SalvagedCatalog {
    /// The whole references, in order.
    ///
    /// They are compared with queries, but found by none.
    package let catalog: Catalog
    /// Their indices in the file.
    package let places: [Int]
    /// The others.
    package let lost: [LostReference]
}

/// A reference that a damaged file does not give back.
package struct LostReference: CustomStringConvertible {
    package let place: Int
    /// Its identifier, where that is whole.
    package let id: String?
    /// What is wrong, with file and byte.
    package let error: any Error

    /// What messages call it.
    package var name: String { "reference \(place + 1)\(id.map { " \"\($0)\"" } ?? "")" }

    package var description: String { "\(name) is lost: \(error)" }
}
