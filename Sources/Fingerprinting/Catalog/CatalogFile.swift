import AudioIO

/// Catalog files, `.earcatalog`: references in order, each with identifier, media item and peaks.
///
/// Magic `EARCAT`, version 1, framed as `SectionFile` says, with four sections:
/// - `REFS`: for each reference 48 bytes: length of its identifier (4), length of its media item (4), and its
///   `SignatureRecord` (40);
/// - `IDS`: the identifiers in UTF-8, one after the other;
/// - `ITEMS`: the media items (see `MediaItem`), one after the other;
/// - `PEAKS`: the references' `PeakRecords`, one after the other.
///
/// The index is not stored: it is made from the peaks when a catalog is opened, at more than 100,000 times
/// real time.
public enum CatalogFile {
    private static let magic = "EARCAT"
    private static let version: UInt32 = 1
    private static let recordLength = 48
    /// What a catalog file's name ends in.
    public static let fileExtension = "earcatalog"

    /// The bytes of a catalog file.
    ///
    /// - Throws: `FingerprintingError` when a media item nests lists more than 8 deep.
    public static func encode(_ references: [Reference]) throws -> [UInt8] {
        var records = ByteWriter()
        var ids = ByteWriter()
        var items = ByteWriter()
        var peaks = ByteWriter()
        for reference in references {
            let idStart = ids.bytes.count
            let itemStart = items.bytes.count
            ids.append(bytes: reference.id.utf8)
            try reference.mediaItem.encode(into: &items)
            let recordCount = PeakRecords.encode(reference.signature.peaks, into: &peaks)
            records.append(UInt32(ids.bytes.count - idStart))
            records.append(UInt32(items.bytes.count - itemStart))
            SignatureRecord.encode(reference.signature, recordCount: recordCount, into: &records)
        }
        return SectionFile.encode(
            magic: magic, version: version,
            [
                .init(name: "REFS", bytes: records.bytes), .init(name: "IDS", bytes: ids.bytes),
                .init(name: "ITEMS", bytes: items.bytes), .init(name: "PEAKS", bytes: peaks.bytes),
            ])
    }

    /// Reads the bytes of a catalog file; `name` is what errors call it.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, whatever the bytes are.
    public static func decode(_ bytes: [UInt8], name: String) throws -> [Reference] {
        let sections = try SectionFile.decode(
            bytes, name: name, magic: magic, version: version, kind: "a catalog")
        var records = try ByteReader(section: "REFS", of: sections, name: name)
        var ids = try ByteReader(section: "IDS", of: sections, name: name)
        var items = try ByteReader(section: "ITEMS", of: sections, name: name)
        var peaks = try ByteReader(section: "PEAKS", of: sections, name: name)
        guard records.remaining % recordLength == 0 else {
            throw records.error(expected: "records of \(recordLength) bytes")
        }
        var references: [Reference] = []
        references.reserveCapacity(records.remaining / recordLength)
        while records.remaining > 0 {
            let idLength = Int(try records.number(UInt32.self, "an identifier's length"))
            let itemLength = Int(try records.number(UInt32.self, "a media item's length"))
            let record = try SignatureRecord(&records)
            let id = try ids.text(idLength, "an identifier")
            var item = ByteReader(try items.take(itemLength, of: "a media item"), name: name)
            let mediaItem = try MediaItem(&item)
            try item.expectEnd(of: "a media item")
            references.append(
                Reference(id: id, mediaItem: mediaItem, signature: try record.signature(&peaks)))
        }
        try ids.expectEnd(of: "section IDS")
        try items.expectEnd(of: "section ITEMS")
        try peaks.expectEnd(of: "section PEAKS")
        return references
    }

    /// Reads a catalog file and makes its index.
    public static func open(_ path: String, settings: Settings = Settings()) throws -> Catalog {
        do {
            let bytes = try FileBytes.read(path) { SectionFile.begins($0, magic: magic) }
            return try Catalog(references: decode(bytes, name: path), settings: settings)
        } catch let error as FingerprintingError
            where error.code == .badIdentifier || error.code == .incompatibleSignature
        {
            throw FingerprintingError(error.code, "\(path): \(error.description)")
        }
    }

    /// Writes a catalog file: all of it, or nothing.
    public static func write(_ references: [Reference], to path: String) throws {
        try AtomicFile.write(try encode(references), to: path)
    }
}
