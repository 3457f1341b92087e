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
        let file = try MappedFile(memory, kind: Self.fileKind, name: name, wholeLimit: .max)
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

    /// Writes a signature file: all of it, or nothing.
    public func write(to path: String) throws {
        try AtomicFile.write(to: path) { file in
            try SectionFileWriter.write(kind: Self.fileKind, sections) { try file.append($0) }
        }
    }
}
