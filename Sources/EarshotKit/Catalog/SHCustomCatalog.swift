import Fingerprinting
import Synchronization

/// A catalog of your own references and their media items.
///
/// ```swift
/// let catalog = SHCustomCatalog()
/// try catalog.addReferenceSignature(signature, representing: [SHMediaItem(properties: [.title: "One"])])
/// try catalog.write(to: URL(fileURLWithPath: "lessons.shazamcatalog"))
/// ```
///
/// A session freezes the catalog: later additions and removals have no effect. Files have the `.earcatalog`
/// format under any name.
///
/// Sendable: all mutable state is behind a lock. Catalogs are equal only if identical.
public final class SHCustomCatalog: SHCatalog, @unchecked Sendable {
    private struct State {
        var references = CollectedReferences()
        var isFrozen = false
        var files: [(path: String, source: CatalogSource?)] = []
    }

    private let state: Mutex<State>

    /// Makes an empty catalog.
    public init() {
        state = Mutex(State())
        super.init(queryDurations: SHCatalog.usualDurations)
    }

    /// Reads the bytes of a catalog.
    /// - Throws: `SHError` 300, naming the byte, if they are no catalog.
    public init(dataRepresentation: Data) throws {
        var references = CollectedReferences()
        try SHError.mapping(to: .customCatalogInvalid) {
            try references.add(CatalogFile.decode([UInt8](dataRepresentation), name: "catalog"))
        }
        state = Mutex(State(references: references))
        super.init(queryDurations: SHCatalog.usualDurations)
    }

    /// The catalog as bytes in the format of ``write(to:)``.
    ///
    /// Empty if a file added before has become damaged. ``write(to:)`` throws the reason.
    public var dataRepresentation: Data { (try? Data(CatalogFile.encode(engine()))) ?? Data() }

    /// Adds a reference with any number of media items.
    ///
    /// Its identifier is derived from the signature. Adding a signature twice makes two references. No effect
    /// once a session uses the catalog.
    /// - Throws: `SHError` 200 if the signature has no peaks, usually because of silence, or too few ranks of
    ///   peaks for a reference. Code 300 for more than 10,000 media items, or one with a value of a type that cannot be
    ///   stored.
    public func addReferenceSignature(
        _ signature: SHSignature, representing mediaItems: [SHMediaItem]
    ) throws {
        for item in mediaItems { try item.expectStorable(.customCatalogInvalid) }
        let item = try SHError.mapping(to: .customCatalogInvalid) { try MediaItem(items: mediaItems) }
        let needed = Settings().analysis.referenceRank
        guard !signature.signature.peaks.isEmpty else {
            throw SHError(
                .signatureInvalid,
                message:
                    "the signature of \(signature.duration) s has no peaks; its audio is silent or shorter than"
                    + " about 0.1 s")
        }
        guard signature.signature.keptRanks >= needed else {
            throw SHError(
                .signatureInvalid,
                message:
                    "the signature keeps \(signature.signature.keptRanks) ranks of peaks, a reference needs"
                    + " \(needed)")
        }
        state.withLock { state in
            guard !state.isFrozen else { return }
            state.references.add(signature.signature, item)
        }
    }

    /// Adds all references of a catalog file.
    ///
    /// Skips references already present with the same identifier, signature and media items. A different
    /// reference under a known identifier gets a new identifier. No effect once a session uses the catalog.
    ///
    /// - Parameter customCatalogURL: a file, or a folder with `Signatures.shazamcatalog`. While the catalog
    ///   is in use, replace a file of 256 MB or more, but do not change it in place.
    /// - Throws: `SHError` 301 if the URL is no readable file, 300 if the file is no catalog or is damaged.
    ///   The catalog is unchanged then.
    public func add(from customCatalogURL: URL) throws {
        let path = try CatalogLocation(customCatalogURL).path
        let added: Catalog
        do {
            added = try CatalogFile.load(path)
        } catch let error as FingerprintingError where error.code == .unreadableFile {
            throw SHError(.customCatalogInvalidURL, because: error)
        } catch {
            throw SHError(.customCatalogInvalid, because: error)
        }
        try SHError.mapping(to: .customCatalogInvalid) {
            try state.withLock { state in
                guard !state.isFrozen else { return }
                var references = state.references
                try references.add(added)
                state.references = references
                state.files.append((path, added.source))
            }
        }
    }

    /// The files whose references were added.
    package var files: [(path: String, source: CatalogSource?)] { state.withLock { $0.files } }

    /// Takes the references of catalog files, as ``add(from:)`` does.
    /// - Throws: `SHError` 300 or 301.
    package convenience init(merging paths: [String]) throws {
        self.init()
        for path in paths { try add(from: URL(fileURLWithPath: path)) }
    }

    /// Writes the catalog to a file atomically; in a folder its name is `Signatures.shazamcatalog`.
    ///
    /// If there is a catalog, it waits for an update of it by another process to end, ten minutes at most.
    /// - Throws: `SHError` 301 if the URL is not a file's or the file cannot be written, 300 if
    ///   ``dataRepresentation`` is empty.
    public func write(to destinationURL: URL) throws {
        let path = try CatalogLocation(destinationURL).path
        let file: CatalogReplacement
        do { file = try CatalogReplacement(path) } catch {
            throw SHError(.customCatalogInvalidURL, because: error)
        }
        try write(to: file)
    }

    /// Writes the catalog to a file that no other process changes meanwhile.
    /// - Throws: The errors of ``write(to:)``.
    package func write(to file: CatalogReplacement) throws {
        var references = state.withLock { $0.references }
        do {
            try references.write(to: file)
        } catch let error as FingerprintingError where error.code != .unreadableFile {
            throw SHError(.customCatalogInvalid, because: error)
        } catch {
            throw SHError(.customCatalogInvalidURL, because: error)
        }
    }

    /// The engine's catalog, built on the first access after a change.
    /// - Throws: `SHError` 300 if a file added before is damaged, or the references are too long for one
    ///   catalog.
    package func engine() throws -> Catalog {
        try SHError.mapping(to: .customCatalogInvalid) {
            try state.withLock { try $0.references.catalog() }
        }
    }

    /// Whether the engine's catalog has been built since the last change.
    package var isBuilt: Bool { state.withLock { $0.references.isWhole } }

    package override var fault: SHError? { nil }

    package override func freeze() { state.withLock { $0.isFrozen = true } }

    override func prepare() {
        // An error of the catalog is that of the next result.
        _ = try? engine()
    }

    package override func matches(of signature: SHSignature) throws -> [Match] {
        let engine = try engine()
        return try SHError.mapping(to: .customCatalogInvalid) {
            try engine.matchAll(Query(signature.signature)).filter(\.isAccepted)
        }
    }

    override func otherSpeed(of signature: SHSignature) throws -> OtherSpeed? {
        try engine().otherSpeed(of: Query(signature.signature))
    }

    package override func items(of match: Match, where isWanted: (MediaItem) -> Bool) -> [SHMediaItem] {
        items(ofReference: match.referenceIndex, where: isWanted)
    }

    package override func batchMatcher(minimumScore: Double?) throws -> BatchMatcher {
        BatchMatcher(catalog: try engine(), minimumScore: minimumScore)
    }

    package override func requireIntact() throws { try engine().requireIntact() }

    override func streamMatcher(
        sampleRate: Int, channelCount: Int, lostSeconds: Double
    ) throws -> StreamMatcher {
        var settings = StreamSettings()
        settings.lostSeconds = lostSeconds
        return try StreamMatcher(
            catalog: engine(), sampleRate: sampleRate, channelCount: channelCount, settings: settings)
    }

    /// The media items of the reference at an index of the engine's catalog; empty if its file is damaged.
    package func items(ofReference place: Int, where isWanted: (MediaItem) -> Bool = { _ in true })
        -> [SHMediaItem]
    {
        guard let catalog = try? engine(), catalog.entries.indices.contains(place),
            let items = try? catalog.items(at: place, where: isWanted)
        else { return [] }
        return items
    }

    /// Removes a reference; returns whether there was one; no effect once a session uses the catalog.
    /// - Throws: `SHError` 300, as ``write(to:)`` does.
    @discardableResult
    public func removeReference(withID id: String) throws -> Bool {
        try SHError.mapping(to: .customCatalogInvalid) {
            try state.withLock { try !$0.isFrozen && $0.references.remove(id) }
        }
    }

    /// Adds media items to a reference; returns whether there is one; no effect once a session uses the catalog.
    ///
    /// The items follow those of the reference, which keep their identifiers. The reference moves to the end of the
    /// catalog. Its signature stays as it is.
    /// - Throws: `SHError` 300, as ``write(to:)`` does, or for more than 10,000 items in all, or an item with a value of a
    ///   type that cannot be stored.
    @discardableResult
    public func addMediaItems(_ mediaItems: [SHMediaItem], toReference id: String) throws -> Bool {
        for item in mediaItems { try item.expectStorable(.customCatalogInvalid) }
        return try change(id) { try $0.adding(mediaItems, ofRecording: $1) }
    }

    /// Removes a media item of a reference; returns whether there was one; no effect once a session uses the catalog.
    ///
    /// The other items keep their identifiers. The reference moves to the end of the catalog. Its signature stays as it
    /// is.
    /// - Throws: `SHError` 300, as ``write(to:)`` does.
    @discardableResult
    public func removeMediaItem(withID itemID: UUID, fromReference id: String) throws -> Bool {
        try change(id) { $0.removing([itemID], ofRecording: $1) }
    }

    private func change(_ id: String, _ change: (MediaItem, [UInt8]) throws -> MediaItem?) throws -> Bool {
        try SHError.mapping(to: .customCatalogInvalid) {
            try state.withLock { try !$0.isFrozen && $0.references.change(id, change) }
        }
    }

    /// The number of references.
    public var referenceCount: Int { state.withLock { $0.references.count } }
}

extension SHCustomCatalog {
    /// A reference of a catalog.
    public struct Reference: Identifiable, Hashable, Sendable {
        /// Unique in the catalog.
        public let id: String
        /// The length of the audio in seconds.
        public let duration: TimeInterval
        /// The media items in order of addition.
        public let mediaItems: [SHMediaItem]
    }

    /// The references in order of addition.
    /// - Throws: `SHError` 300 if a file added before is damaged, or the references are too long for one
    ///   catalog.
    public func references() throws -> [Reference] {
        let catalog = try engine()
        return try SHError.mapping(to: .customCatalogInvalid) {
            try catalog.entries.indices.map { place in
                let entry = try catalog.entry(at: place)
                return Reference(
                    id: entry.id, duration: entry.durationSeconds,
                    mediaItems: try catalog.items(at: place))
            }
        }
    }

    /// The signature that the catalog stores, with fewer peaks than the one added; nil for an unknown
    /// identifier.
    /// - Throws: `SHError` 300, as ``references()`` does.
    public func signature(ofReference id: String) throws -> SHSignature? {
        let catalog = try engine()
        return try SHError.mapping(to: .customCatalogInvalid) {
            try catalog.place(ofID: id).map { SHSignature(catalog.signature(at: $0)) }
        }
    }
}

package struct CatalogLocation {
    private static let nameInFolder = "Signatures.shazamcatalog"

    package let path: String

    /// Takes the URL of a file, or of an existing folder.
    /// - Throws: `SHError` 301 if it is not a file URL.
    package init(_ url: URL) throws {
        guard url.isFileURL else {
            throw SHError(
                .customCatalogInvalidURL, message: "\(url.absoluteString): not the URL of a file (file:///…)")
        }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        path = exists && isFolder.boolValue ? url.appendingPathComponent(Self.nameInFolder).path : url.path
    }
}
