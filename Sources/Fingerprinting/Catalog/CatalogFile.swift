import SystemIO

/// Catalog files, `.earcatalog`: references in order, each with identifier, media item and peaks, and their index.
///
/// The article <doc:FileFormats> describes them byte by byte. Letters `EARCAT`, version 2, framed as `SectionFile` says, with eleven sections:
///
/// | section | holds |
/// |---|---|
/// | `SETTINGS` | the settings it was made with: names and numbers in the form of a `MediaItem` |
/// | `INFO` | number of references R (8 bytes), length of all recordings in seconds (8, IEEE 754) |
/// | `REFS` | R + 1 rows of `ReferenceTable`, 56 bytes each |
/// | `IDS` | the identifiers in UTF-8, one after the other |
/// | `ITEMS` | the media items (see `MediaItem`), one after the other |
/// | `STARTS` | R + 1 numbers of 4 bytes: the frame of the timeline at which each reference starts, and the end |
/// | `PEAKS` | the references' `PeakRecords`, 4 bytes each, one after the other |
/// | `MARKS` | the references' checkpoints (see `PeakStore`), 4 bytes each, one after the other |
/// | `ROWS` | 4 bytes for each row of the index: its first posting; and one more, the number of postings |
/// | `COUNTS` | for each key of a row the row's postings up to its end, in 1, 2 or 4 bytes as the largest row needs |
/// | `POSTINGS` | the postings of all keys (see `Posting`), 4 bytes each |
///
/// The timeline starts at frame 272; after a reference whose last peak lies in its frame f the next one starts at the
/// next multiple of 8 from f + 2 + 544 frames later on. Rows and keys are those of `KeySpace`.
///
/// A file is mapped, not read: opening costs the same whatever its size. Files under 64 MB are verified
/// wholly when they are opened, larger ones block by block when the block is first used; damage found then is
/// thrown by the query that met it, and by all later ones. A file must not be changed in place while it is
/// open; all that is written here replaces files by renaming.
public enum CatalogFile {
    /// What a catalog file's name ends in.
    public static let fileExtension = "earcatalog"

    static let kind = FileKind(
        letters: "EARCAT", version: 2, noun: "a catalog",
        remedy: "make it anew from the audio with `earshot custom-catalog create`")
    static let sectionNames = [
        "SETTINGS", "INFO", "REFS", "IDS", "ITEMS", "STARTS", "PEAKS", "MARKS", "ROWS", "COUNTS", "POSTINGS",
    ]

    /// Opens a catalog file.
    ///
    /// - Parameter settings: must be those it was made with, as far as peaks and index depend on them.
    /// - Throws: `FingerprintingError.malformedFile`, `.unreadableFile`, or `.incompatibleSignature` for other
    ///   settings; all name the file.
    public static func open(_ path: String, settings: Settings = Settings()) throws -> Catalog {
        try open(path, settings: settings, wholeLimit: MappedFile.wholeLimit)
    }

    /// Opens a catalog file that is verified wholly when it has fewer than `wholeLimit` bytes.
    package static func open(
        _ path: String, settings: Settings = Settings(), wholeLimit: Int
    ) throws -> Catalog {
        let memory = try FileMemory(path: path, loadingBelow: wholeLimit)
        return try catalog(memory, name: path, settings: settings, wholeLimit: wholeLimit)
    }

    /// Opens the bytes of a catalog file; `name` is what errors call it.
    ///
    /// - Throws: `FingerprintingError`, whatever the bytes are.
    public static func decode(
        _ bytes: [UInt8], name: String, settings: Settings = Settings()
    ) throws -> Catalog {
        try catalog(
            FileMemory(bytes), name: name, settings: settings, wholeLimit: MappedFile.wholeLimit)
    }

    static func catalog(
        _ memory: FileMemory, name: String, settings: Settings, wholeLimit: Int
    ) throws -> Catalog {
        let file = try MappedFile(memory, kind: kind, name: name, wholeLimit: wholeLimit)
        return Catalog(contents: try contents(of: file, settings: settings), settings: settings)
    }

    /// The bytes of a catalog file.
    ///
    /// - Throws: `FingerprintingError` when the catalog's own file turns out to be damaged.
    public static func encode(_ catalog: Catalog) throws -> [UInt8] {
        let collected = CollectedBytes()
        try CatalogWriter([catalog.contents], settings: catalog.settings).write(to: collected.append)
        return collected.bytes
    }

    /// Writes a catalog file: all of it, or nothing.
    public static func write(_ catalog: Catalog, to path: String) throws {
        let writer = try CatalogWriter([catalog.contents], settings: catalog.settings)
        try AtomicFile.write(to: path) { file in try writer.write { try file.append($0) } }
    }

    /// Makes a catalog of references and writes its file: all of it, or nothing.
    public static func write(
        _ references: [Reference], to path: String, settings: Settings = Settings()
    ) throws {
        try write(Catalog(references: references, settings: settings), to: path)
    }

    /// Checks every block of a file and everything that its contents must agree on.
    ///
    /// - Returns: the catalog, for a word on what it holds.
    /// - Throws: `FingerprintingError.malformedFile`, naming the byte where the file is not as it must be, or what
    ///   `open` throws.
    public static func verify(_ path: String, settings: Settings = Settings()) throws -> Catalog {
        let catalog = try open(path, settings: settings)
        try verify(catalog)
        return catalog
    }

    /// Checks every block of an open catalog's file and everything that its contents must agree on.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, naming the byte where the file is not as it must be.
    public static func verify(_ catalog: Catalog) throws {
        if let file = catalog.contents.file {
            try file.verifyAll(forgets: true)
            try file.expectZerosBetweenSections()
        }
        try CatalogCheck(catalog.contents).checkAll(catalog.settings)
        try catalog.contents.throwIfDamaged()
    }
}
