import SystemIO

/// Catalog files, `.earcatalog`: references in order, each with identifier, media item and peaks, and their index.
///
/// The article <doc:FileFormats> describes them byte by byte. A `SectionFile` with the letters `EARCAT`, version 7, and
/// eleven sections:
///
/// | section | holds |
/// |---|---|
/// | `SETTINGS` | its settings: names and numbers in the form of a `MediaItem` |
/// | `INFO` | number of references R (8 bytes), length of all recordings in seconds (8, IEEE 754); see below |
/// | `REFS` | R + 1 rows of `ReferenceTable`, 56 bytes each |
/// | `IDS` | the identifiers in UTF-8, one after the other |
/// | `ITEMS` | the media items (see `MediaItem`), one after the other |
/// | `STARTS` | R + 1 numbers of 4 bytes: the frame of the timeline at which each reference starts, and the end |
/// | `PEAKS` | the references' `PeakRecords`, 4 bytes each, one after the other |
/// | `MARKS` | the references' checkpoints (see `PeakStore`), 4 bytes each, one after the other |
/// | `GROUPS` | two numbers of 4 bytes for each group of 320 keys, and for the end: see `ListEnds` |
/// | `ENDS` | where each key's posting list ends, in a code of two to three bits a key |
/// | `POSTINGS` | the postings of all keys (see `Posting`), 4 bytes each |
///
/// Up to 19,000 h are one `Shard`. Each further one adds the index of its first reference to `INFO` (8 bytes). `STARTS`,
/// `GROUPS`, `ENDS` and `POSTINGS` then hold what is said above for each shard, one after the other.
///
/// A timeline starts at frame 272. After a reference whose last peak is in its frame f, the next reference starts
/// f + 2 + 544 frames later, rounded up to a multiple of 8. `KeySpace` defines rows and keys.
///
/// `CatalogLayout` says how earlier versions differ. A file whose index is coded in another way is read from its first to its
/// last reference, and an index is made in memory.
///
/// Files are mapped, so the cost of opening does not depend on their size. Files below 64 MB verify all blocks when they
/// open. Larger ones verify each block on first use; the query that finds damage throws the error, and so do all later
/// ones. Smaller ones are copied into memory, so that changes in place do not matter. Do not change or shorten a larger
/// open file in place: queries then throw an error. The functions here replace files by renaming.
public enum CatalogFile {
    /// The extension of a catalog file's name.
    public static let fileExtension = "earcatalog"

    /// The version of the files that this engine writes.
    package static var currentVersion: UInt32 { kind.versions.upperBound }

    static let kind = FileKind(letters: "EARCAT", versions: CatalogLayout.versions, noun: "a catalog")
    static let sectionNames = [
        "SETTINGS", "INFO", "REFS", "IDS", "ITEMS", "STARTS", "PEAKS", "MARKS", "GROUPS", "ENDS", "POSTINGS",
    ]

    /// Opens a catalog file.
    ///
    /// - Parameter settings: For queries. The settings of peaks and index are those of the file.
    /// - Throws: `FingerprintingError.malformedFile`, `.unreadableFile`, or `.incompatibleSignature` for settings that
    ///   this engine cannot use. All name the file.
    public static func open(_ path: String, settings: Settings = Settings()) throws -> Catalog {
        try open(path, settings: settings, wholeLimit: MappedFile.wholeLimit)
    }

    /// Opens a catalog file; verifies all blocks at once when it has fewer than `wholeLimit` bytes.
    package static func open(
        _ path: String, settings: Settings = Settings(), wholeLimit: Int
    ) throws -> Catalog {
        let memory = try FileMemory(path: path, loadingBelow: wholeLimit, copyingBelow: wholeLimit)
        return try catalog(memory, name: path, settings: settings, wholeLimit: wholeLimit)
    }

    /// Opens the bytes of a catalog file; errors call it `name`.
    ///
    /// - Throws: `FingerprintingError` for any invalid bytes.
    public static func decode(
        _ bytes: [UInt8], name: String, settings: Settings = Settings()
    ) throws -> Catalog {
        try catalog(FileMemory(bytes), name: name, settings: settings, wholeLimit: MappedFile.wholeLimit)
    }

    private static func catalog(
        _ memory: FileMemory, name: String, settings: Settings, wholeLimit: Int
    ) throws -> Catalog {
        let file = try MappedFile(memory, kind: kind, name: name, wholeLimit: wholeLimit)
        try file.expectSections(sectionNames)
        let settings = try stored(settings, in: file)
        let info = try Info(file)
        let keys = KeySpace(settings.index, analysis: settings.analysis)
        let layout = try CatalogLayout(of: file, shards: info.firsts.count, keys: keys)
        let table = try ReferenceTable(file)
        try expect((info.count + 1) * ReferenceTable.width, in: table.rows, "REFS")
        let contents =
            layout.hasCurrentIndex
            ? try contents(of: file, table: table, info: info, keys: keys)
            : try StoredReferences(file, settings: settings).contents()
        return Catalog(
            contents: contents, settings: settings,
            source: CatalogSource(
                version: layout.version, byteCount: memory.bytes.count,
                hasCurrentIndex: layout.hasCurrentIndex))
    }

    /// Settings with those of a file for peaks and index.
    private static func stored(_ settings: Settings, in file: MappedFile) throws -> Settings {
        var reader = try file.reader("SETTINGS")
        let stored = try settings.honouring(try MediaItem(&reader), name: file.name)
        try reader.expectEnd(of: "section SETTINGS")
        return stored
    }

    /// Gives back the references of a damaged file whose blocks are whole.
    ///
    /// If its settings are damaged, those of every program take their place.
    ///
    /// - Throws: `FingerprintingError` if there are none, or if the header is damaged, without which nothing is found.
    package static func salvage(_ path: String) throws -> SalvagedCatalog {
        let memory = try FileMemory(path: path, loadingBelow: 0, copyingBelow: MappedFile.wholeLimit)
        let file = try MappedFile(memory, kind: kind, name: path, wholeLimit: 0, isSalvaged: true)
        try file.expectSections(sectionNames)
        var settings = Settings()
        do { settings = try stored(settings, in: file) } catch let error as FingerprintingError
            where error.code == .malformedFile
        {}
        let stored = try StoredReferences(file, settings: settings)
        var assembly = CatalogAssembly(settings: settings)
        var places: [Int] = []
        var lost: [LostReference] = []
        for place in 0..<stored.count {
            do {
                try assembly.add(stored.reference(place))
                places.append(place)
            } catch {
                lost.append(LostReference(place: place, id: try? stored.id(place), error: error))
            }
        }
        if let first = lost.first, lost.count == stored.count { throw first.error }
        let source = CatalogSource(
            version: file.frame.version, byteCount: memory.bytes.count, hasCurrentIndex: false)
        return SalvagedCatalog(
            catalog: Catalog(
                contents: try assembly.contents(index: Catalog.emptyIndex.get()), settings: settings,
                source: source),
            places: places, lost: lost)
    }

    /// The bytes of a catalog file.
    ///
    /// - Throws: `FingerprintingError` when the catalog's own file is damaged.
    public static func encode(_ catalog: Catalog) throws -> [UInt8] {
        try encode(catalog, limit: catalog.settings.shardLimit)
    }

    package static func encode(_ catalog: Catalog, limit: ShardLimit) throws -> [UInt8] {
        let collected = CollectedBytes()
        try CatalogWriter([catalog.contents], settings: catalog.settings, limit: limit).write(
            to: collected.append)
        return collected.bytes
    }

    /// Writes a catalog file: all of it, or nothing.
    ///
    /// If there is one at `path`, it waits for an update of it to end, ten minutes at most.
    public static func write(_ catalog: Catalog, to path: String) throws {
        try CatalogReplacement(path).write(catalog)
    }

    /// Makes a catalog of references and writes its file, as ``write(_:to:)`` does.
    public static func write(
        _ references: [Reference], to path: String, settings: Settings = Settings()
    ) throws {
        try CatalogReplacement(path).write(references, settings: settings)
    }

    /// Checks every block of a file and the consistency of all its contents.
    ///
    /// - Throws: `FingerprintingError.malformedFile` with the byte that is wrong, or an error of `open`.
    public static func verify(_ path: String, settings: Settings = Settings()) throws -> Catalog {
        let catalog = try open(path, settings: settings)
        if catalog.contents.file == nil {
            let memory = try FileMemory(path: path, loadingBelow: 0)
            try MappedFile(memory, kind: kind, name: path, wholeLimit: 0).verifyContents()
        }
        try verify(catalog)
        return catalog
    }

    /// Checks every block of an open catalog's file and the consistency of all its contents.
    ///
    /// - Throws: `FingerprintingError.malformedFile` with the byte that is wrong.
    public static func verify(_ catalog: Catalog) throws {
        try verify(catalog, limit: catalog.settings.shardLimit)
    }

    package static func verify(_ catalog: Catalog, limit: ShardLimit) throws {
        try catalog.contents.file?.verifyContents()
        try CatalogCheck(contents: catalog.contents).checkAll(catalog.settings, limit: limit)
        try catalog.contents.throwIfDamaged()
    }

    // MARK: - Changing

    /// Adds references to a catalog file.
    ///
    /// The contents are copied, so the memory does not grow with the file. When all of the new file is on the
    /// disk, it replaces the old one in one step: a crash leaves one or the other. It has the bytes of a file
    /// made of all references at once. Updates wait for each other, and remove temporary files of a killed update.
    ///
    /// - Parameters:
    ///   - output: The path of the new file; nil to replace the old one.
    ///   - references: Follow those of the file.
    ///   - replacing: Whether a new reference replaces one of the same identifier. Otherwise that is an error.
    ///   - longestWait: How many seconds to wait for another update, or for anyone else who locks the file.
    ///   - willWait: Called before a wait for another update.
    /// - Returns: The number of replaced references.
    /// - Throws: `FingerprintingError` or `FileWriteError`; the file is then unchanged.
    @discardableResult
    public static func update(
        _ path: String, to output: String? = nil, adding references: some Sequence<Reference>,
        replacing: Bool = false, longestWait: Double = 600, willWait: () -> Void = {}
    ) throws -> Int {
        let change = Change(adding: Array(references))
        let ids = Set(change.added.map(\.id))
        guard !ids.isEmpty else {
            throw FingerprintingError(.nothingToDo, "\(path): there is no reference to add")
        }
        return try edit(path, to: output, longestWait: longestWait, willWait: willWait) { old in
            if !replacing, let first = try old.places(ofIDs: ids).first {
                throw FingerprintingError(
                    .badIdentifier,
                    "\(path): already has a reference \"\(try old.contents.table.id(first))\"; give the new one"
                        + " another identifier, or replace the old one", remedy: .replaceReference)
            }
            return change
        }
    }

    /// A change of a catalog file.
    public struct Change {
        let removedIDs: Set<String>
        let added: [Reference]

        /// Makes a change; removed identifiers must exist, and added references replace those of the same identifier.
        public init(removing removedIDs: Set<String> = [], adding added: [Reference] = []) {
            self.removedIDs = removedIDs
            self.added = added
        }
    }

    /// Applies the change that `change` returns for the catalog.
    ///
    /// In other respects it works as ``update(_:to:adding:replacing:longestWait:willWait:)``.
    ///
    /// - Returns: The number of removed references.
    /// - Throws: `FingerprintingError`, `FileWriteError`, or an error of `change`; the file is then unchanged.
    @discardableResult
    public static func edit(
        _ path: String, to output: String? = nil, longestWait: Double = 600, willWait: () -> Void = {},
        change: (Catalog) throws -> Change
    ) throws -> Int {
        let replacement = try CatalogReplacement(
            output ?? path, madeOf: [path], longestWait: longestWait, willWait: willWait)
        let old = try open(path)
        let change = try change(old)
        let removed = try old.places(ofIDs: change.removedIDs)
        if removed.count != change.removedIDs.count {
            let known = Set(try removed.map { try old.contents.table.id($0) })
            let unknown = change.removedIDs.subtracting(known).min() ?? ""
            throw FingerprintingError(.badIdentifier, "\(path): has no reference \"\(unknown)\"")
        }
        guard !change.removedIDs.isEmpty || !change.added.isEmpty else {
            throw FingerprintingError(.nothingToDo, "\(path): there is nothing to change")
        }
        var assembly = CatalogAssembly(settings: old.settings)
        for reference in change.added { try assembly.add(reference) }
        let replaced = try old.places(ofIDs: Set(change.added.map(\.id)))
        let taken = Set(removed + replaced).sorted()
        try replacement.write(
            CatalogWriter(
                [old.contents, assembly.contents()], removed: [taken, []], settings: old.settings))
        return taken.count
    }

    /// Replaces a catalog file of an earlier version by one of today's: all of it, or nothing.
    ///
    /// - Parameters:
    ///   - longestWait: How many seconds to wait for an update, or for anyone else who locks the file.
    ///   - willWait: Called before such a wait.
    /// - Returns: Both versions; nil if the file stays as it is.
    /// - Throws: `FingerprintingError` or `FileWriteError`; the file is then unchanged.
    package static func upgrade(
        _ path: String, longestWait: Double = 600, willWait: () -> Void = {}
    ) throws -> (from: UInt32, to: UInt32)? {
        let replacement = try CatalogReplacement(
            path, madeOf: [path], longestWait: longestWait, willWait: willWait)
        let old = try open(path)
        guard let source = old.source, !source.isOfCurrentVersion else { return nil }
        try replacement.write(old)
        return (source.version, currentVersion)
    }

    // MARK: - Merging

    /// `load` copies files below this size into memory.
    private static let copyLimit = 1 << 28

    /// Opens a catalog file that others may change in place later: copies one below 256 MB and maps a larger one.
    ///
    /// - Throws: The errors of `open`.
    package static func load(_ path: String) throws -> Catalog {
        let memory = try FileMemory(path: path, loadingBelow: MappedFile.wholeLimit, copyingBelow: copyLimit)
        return try catalog(memory, name: path, settings: Settings(), wholeLimit: MappedFile.wholeLimit)
    }

    /// A catalog in memory of the references of all catalogs, except those that `removed` lists for each.
    ///
    /// The contents are copied. Identifiers must differ.
    ///
    /// - Throws: `FingerprintingError` when a catalog's file is damaged, or when catalogs were made with other settings
    ///   than the first.
    package static func merged(_ catalogs: [Catalog], removed: [[Int]]) throws -> Catalog {
        let collected = CollectedBytes()
        try CatalogWriter(merging: catalogs, removed: removed).write(to: collected.append)
        return try decode(
            collected.bytes, name: "the catalog in memory", settings: catalogs.first?.settings ?? Settings())
    }

    // MARK: - Reading

    /// What section `INFO` says.
    private struct Info {
        let count: Int
        let totalSeconds: Double
        /// The first reference of each shard.
        var firsts = [0]

        init(_ file: MappedFile) throws {
            var info = try file.reader("INFO")
            count = try info.count(UInt64.self, "a number of references", atMost: 1 << 32)
            totalSeconds = Double(bitPattern: try info.number(UInt64.self, "a length in seconds"))
            let longest =
                Double(count) * Double(Signature.mostFrames) / Double(Signature.sampleRates.lowerBound)
            guard totalSeconds >= 0, totalSeconds <= longest else {
                throw info.error(
                    at: info.position - 8,
                    expected: "a length of 0…\(longest) seconds, found \(totalSeconds)")
            }
            while info.remaining > 0 {
                let last = firsts[firsts.count - 1]
                let first = try info.count(UInt64.self, "the first reference of a shard", atMost: count)
                guard first > last, first < count else {
                    throw info.error(
                        at: info.position - 8,
                        expected: "a shard to begin at a reference after \(last), found \(first)")
                }
                firsts.append(first)
            }
        }
    }

    /// The parts of an open file, after checks whose cost does not depend on its size.
    ///
    /// - Throws: `FingerprintingError.malformedFile`.
    private static func contents(
        of file: MappedFile, table: ReferenceTable, info: Info, keys: KeySpace
    ) throws -> CatalogContents {
        let store = PeakStore(
            table: table, records: try file.section("PEAKS", of: UInt32.self),
            checkpoints: try file.section("MARKS", of: UInt32.self))
        let places = zip(info.firsts, info.firsts.dropFirst() + [info.count]).map { $0..<$1 }
        return CatalogContents(
            table: table, shards: try shards(places, of: file, records: store.records.count, keys: keys),
            peakStore: store, totalSeconds: info.totalSeconds)
    }

    private static func shards(
        _ places: [Range<Int>], of file: MappedFile, records: Int, keys: KeySpace
    ) throws -> [Shard] {
        let starts = try file.section("STARTS", of: UInt32.self)
        let postings = try file.section("POSTINGS", of: UInt32.self)
        try expect((places.last?.upperBound ?? 0) + places.count, in: starts, "STARTS")
        let ends = try listEnds(of: file, shards: places.count, keys: keys)
        var firstPosting = 0
        return try zip(places, ends).enumerated().map { number, shard in
            let (own, ends) = shard
            let count = Int(ends.groups[ends.groups.count - 2])
            let end = number + 1 == places.count ? postings.count : firstPosting + count
            guard end <= postings.count, end - firstPosting <= Int(UInt32.max) else {
                throw ends.groups.error(
                    at: ends.groups.count - 2,
                    expected: "at most \(min(postings.count - firstPosting, Int(UInt32.max))) postings,"
                        + " found \(end - firstPosting)"
                )
            }
            defer { firstPosting = end }
            let timeline = try timeline(
                FrozenArray(starts, own.lowerBound + number..<own.upperBound + number + 1, in: file),
                records: records)
            let index = PairIndex(
                keys: keys, ends: ends, postings: FrozenArray(postings, firstPosting..<end, in: file))
            return Shard(places: own, timeline: timeline, index: index)
        }
    }

    private static func listEnds(of file: MappedFile, shards: Int, keys: KeySpace) throws -> [ListEnds] {
        let groups = try file.section("GROUPS", of: UInt32.self)
        let code = try file.section("ENDS", of: UInt8.self)
        let width = 2 * (ListEnds.groupCount(keys: keys.keyCount) + 1)
        var firstByte = 0
        return try (0..<shards).map { shard in
            let own = FrozenArray(groups, shard * width..<(shard + 1) * width, in: file)
            try own.requireIntact(width - 2..<width)
            let end = firstByte + Int(own[width - 1]) + ListEnds.padding
            guard shard + 1 < shards ? end <= code.count : end == code.count else {
                throw own.error(
                    at: width - 1,
                    expected:
                        "\(code.count - firstByte - ListEnds.padding) bytes of section ENDS, found \(own[width - 1])"
                )
            }
            defer { firstByte = end }
            return ListEnds(groups: own, code: FrozenArray(code, firstByte..<end, in: file))
        }
    }

    private static func timeline(_ starts: FrozenArray<UInt32>, records: Int) throws -> Timeline {
        let references = starts.count - 1
        try starts.requireIntact(references..<(references + 1))
        // A record spans less than 64 frames. This bounds the memory for votes by the number of records.
        let longest = min(
            Posting.mostFrames,
            Timeline.margin + records * 64 + references * (2 * Timeline.margin + 2 * Timeline.cellFrames))
        guard starts[references] <= longest else {
            throw starts.error(
                at: references,
                expected: "a timeline of at most \(longest) frames, found \(starts[references])")
        }
        return Timeline(starts: starts)
    }

    private static func expect<Element>(
        _ count: Int, in section: FrozenArray<Element>, _ name: String
    ) throws {
        guard section.count != count else { return }
        throw section.error(
            at: 0, expected: "\(count) numbers in section \(name), found \(section.count)")
    }
}

extension Catalog {
    /// The indices of the references with these identifiers, in order.
    fileprivate func places(ofIDs ids: Set<String>) throws -> [Int] {
        guard !ids.isEmpty else { return [] }
        return try (0..<contents.table.count).filter { ids.contains(try contents.table.id($0)) }
    }
}
