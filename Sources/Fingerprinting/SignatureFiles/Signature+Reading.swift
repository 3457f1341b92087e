import SystemIO

extension Signature {
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
        // A large file is not read before its first bytes tell that it is a signature.
        try self.init(FileMemory(path: path, loadingBelow: MappedFile.wholeLimit), name: path)
    }

    private init(_ memory: FileMemory, name: String) throws {
        try self.init(MappedFile(memory, kind: Self.fileKind, name: name, wholeLimit: .max))
    }

    private init(_ file: MappedFile) throws {
        var info = try file.reader("INFO")
        let record = try SignatureRecord(&info)
        try info.expectEnd(of: "section INFO")
        let form: PeakRecords = file.frame.version == 3 ? .withoutLevels : .current
        let hasRanks = record.keptRanks > form.ranks
        let hasHeights = file.frame.sections.contains { $0.name == "HEIGHTS" }
        try file.expectSections(
            ["INFO", "PEAKS"] + (hasRanks ? ["RANKS"] : []) + (hasHeights ? ["HEIGHTS"] : []))
        var records = try file.reader("PEAKS")
        var signature = try record.signature(&records, records: form)
        try records.expectEnd(of: "section PEAKS")
        if hasRanks {
            var ranks = try file.reader("RANKS")
            let place = ranks.position
            let bytes = try ranks.take(signature.peaks.count, of: "the ranks of peaks")
            for (number, (peak, rank)) in zip(signature.peaks, bytes).enumerated() {
                guard rank < record.keptRanks, min(rank, UInt8(form.ranks - 1)) == peak.rank else {
                    throw ranks.error(
                        at: place + number,
                        expected: "a rank below \(record.keptRanks) as in section PEAKS, found \(rank)")
                }
            }
            try ranks.expectEnd(of: "section RANKS")
            signature = signature.with(\.rank, bytes, hasHeights: false)
        }
        if hasHeights {
            var heights = try file.reader("HEIGHTS")
            let bytes = try heights.take(signature.peaks.count, of: "the heights of peaks")
            try heights.expectEnd(of: "section HEIGHTS")
            signature = signature.with(\.height, bytes, hasHeights: true)
        }
        self = signature
    }

    /// Replaces a signature file of an earlier version by one of today's: all of it, or nothing.
    ///
    /// - Returns: Both versions; nil if the file stays as it is.
    /// - Throws: `FingerprintingError`, or `FileWriteError`; the file is then unchanged.
    package static func upgrade(_ path: String) throws -> (from: UInt32, to: UInt32)? {
        let memory = try FileMemory(path: path, loadingBelow: MappedFile.wholeLimit)
        let file = try MappedFile(memory, kind: fileKind, name: path, wholeLimit: .max)
        let signature = try Signature(file)
        guard file.frame.version < fileKind.versions.upperBound else { return nil }
        try signature.write(to: path)
        return (file.frame.version, fileKind.versions.upperBound)
    }

    /// Writes a signature file: all of it, or nothing.
    public func write(to path: String) throws {
        try AtomicFile.write(to: path) { file in
            try SectionFileWriter.write(kind: Self.fileKind, sections) { try file.append($0) }
        }
    }
}
