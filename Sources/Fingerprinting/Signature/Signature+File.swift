import SystemIO

/// Signature files, `.earsignature`: peaks and nothing else.
///
/// Letters `EARSIG`, version 2, framed as `SectionFile` says, with sections `INFO`, one
/// `SignatureRecord`; `PEAKS`, its `PeakRecords`; and, where they were measured, `HEIGHTS`: one byte for each peak,
/// how far it rises above what surrounds it in 1/16 of log2 power above −2.
extension Signature {
    private static let kind = FileKind(
        letters: "EARSIG", version: 2, noun: "a signature",
        remedy: "make it anew from the audio with `earshot signature`")
    /// What a signature file's name ends in.
    public static let fileExtension = "earsignature"
    /// What the names of files end in that are taken for signatures; the bytes are the same.
    public static let fileExtensions: Set = [fileExtension, "shazamsignature"]

    /// The bytes of a signature file.
    public func encoded() -> [UInt8] {
        var records = ByteWriter()
        PeakRecords.encode(peaks) { record, _ in records.append(record) }
        var info = ByteWriter()
        SignatureRecord.encode(self, recordCount: records.bytes.count / 4, into: &info)
        var sections = [("INFO", info.bytes), ("PEAKS", records.bytes)]
        if hasHeights { sections.append(("HEIGHTS", peaks.map(\.height))) }
        return SectionFileWriter.encode(kind: Self.kind, sections)
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
        let hasHeights = file.frame.sections.count > 2
        try file.expectSections(["INFO", "PEAKS"] + (hasHeights ? ["HEIGHTS"] : []))
        var info = try file.reader("INFO")
        let record = try SignatureRecord(&info)
        try info.expectEnd(of: "section INFO")
        var records = try file.reader("PEAKS")
        let signature = try record.signature(&records)
        try records.expectEnd(of: "section PEAKS")
        guard hasHeights else {
            self = signature
            return
        }
        var heights = try file.reader("HEIGHTS")
        let bytes = try heights.take(signature.peaks.count, of: "the heights of peaks")
        try heights.expectEnd(of: "section HEIGHTS")
        self = signature.with(heights: bytes)
    }

    private func with(heights: some Collection<UInt8>) -> Signature {
        let peaks = zip(peaks, heights).map { peak, height in
            Peak(time: peak.time, frequency: peak.frequency, rank: peak.rank, height: height)
        }
        return Signature(
            peaks: peaks, frameCount: frameCount, sampleRate: sampleRate, keptRanks: keptRanks,
            channelsCancel: channelsCancel, hasHeights: true, analysisIdentity: analysisIdentity)
    }

    /// Writes a signature file: all of it, or nothing.
    public func write(to path: String) throws {
        try AtomicFile.write(encoded(), to: path)
    }
}
