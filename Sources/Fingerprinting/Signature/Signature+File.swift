import AudioIO

/// Signature files, `.earsignature`: peaks and nothing else.
///
/// Letters `EARSIG`, version 2, framed as `SectionFile` says, with two sections: `INFO`, one
/// `SignatureRecord`; and `PEAKS`, its `PeakRecords`.
extension Signature {
    private static let kind = FileKind(
        letters: "EARSIG", version: 2, noun: "a signature",
        remedy: "make it anew from the audio with `earshot signature`")
    /// What a signature file's name ends in.
    public static let fileExtension = "earsignature"

    /// The bytes of a signature file.
    public func encoded() -> [UInt8] {
        var records = ByteWriter()
        PeakRecords.encode(peaks) { record, _ in records.append(record) }
        var info = ByteWriter()
        SignatureRecord.encode(self, recordCount: records.bytes.count / 4, into: &info)
        return SectionFileWriter.encode(kind: Self.kind, [("INFO", info.bytes), ("PEAKS", records.bytes)])
    }

    /// Reads the bytes of a signature file; `name` is what errors call it.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, whatever the bytes are.
    public init(encoded bytes: [UInt8], name: String) throws {
        try self.init(FileMemory(bytes), name: name)
    }

    /// Reads a signature file.
    ///
    /// - Throws: `FingerprintingError.malformedFile` or `.unreadableFile`, naming the file.
    public init(contentsOf path: String) throws {
        try self.init(FileMemory(path: path, loadingBelow: .max), name: path)
    }

    private init(_ memory: FileMemory, name: String) throws {
        let file = try MappedFile(memory, kind: Self.kind, name: name, wholeLimit: .max)
        try file.expectSections(["INFO", "PEAKS"])
        var info = try file.reader("INFO")
        let record = try SignatureRecord(&info)
        try info.expectEnd(of: "section INFO")
        var records = try file.reader("PEAKS")
        self = try record.signature(&records)
        try records.expectEnd(of: "section PEAKS")
    }

    /// Writes a signature file: all of it, or nothing.
    public func write(to path: String) throws {
        try AtomicFile.write(encoded(), to: path)
    }
}
