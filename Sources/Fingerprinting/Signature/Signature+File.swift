import AudioIO

/// Signature files, `.earsignature`.
///
/// Magic `EARSIG`, version 1, framed as `SectionFile` says, with two sections: `INFO`, one
/// `SignatureRecord`; and `PEAKS`, that many `PeakRecords`.
extension Signature {
    private static let magic = "EARSIG"
    private static let version: UInt32 = 1
    /// What a signature file's name ends in.
    public static let fileExtension = "earsignature"

    /// The bytes of a signature file.
    public func encoded() -> [UInt8] {
        var records = ByteWriter()
        let recordCount = PeakRecords.encode(peaks, into: &records)
        var info = ByteWriter()
        SignatureRecord.encode(self, recordCount: recordCount, into: &info)
        return SectionFile.encode(
            magic: Self.magic, version: Self.version,
            [.init(name: "INFO", bytes: info.bytes), .init(name: "PEAKS", bytes: records.bytes)])
    }

    /// Reads the bytes of a signature file; `name` is what errors call it.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, whatever the bytes are.
    public init(encoded bytes: [UInt8], name: String) throws {
        let sections = try SectionFile.decode(
            bytes, name: name, magic: Self.magic, version: Self.version, kind: "a signature")
        var info = try ByteReader(section: "INFO", of: sections, name: name)
        let record = try SignatureRecord(&info)
        try info.expectEnd(of: "section INFO")
        var records = try ByteReader(section: "PEAKS", of: sections, name: name)
        self = try record.signature(&records)
        try records.expectEnd(of: "section PEAKS")
    }

    /// Reads a signature file.
    public init(contentsOf path: String) throws {
        try self.init(encoded: FileBytes.read(path) { SectionFile.begins($0, magic: Self.magic) }, name: path)
    }

    /// Writes a signature file: all of it, or nothing.
    public func write(to path: String) throws {
        try AtomicFile.write(encoded(), to: path)
    }
}

extension ByteReader {
    /// Reads one of a file's sections.
    init(section: String, of sections: [String: ArraySlice<UInt8>], name: String) throws {
        guard let bytes = sections[section] else {
            throw FingerprintingError(
                .malformedFile, "\(name): byte 40: expected a section named \"\(section)\"")
        }
        self.init(bytes, name: name)
    }
}
