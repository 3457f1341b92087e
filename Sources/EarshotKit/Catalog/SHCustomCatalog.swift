import Fingerprinting
import Synchronization

/// References with their media items, made by you.
///
/// ```swift
/// let catalog = SHCustomCatalog()
/// try catalog.addReferenceSignature(signature, representing: [SHMediaItem(properties: [.title: "Lesson 1"])])
/// try catalog.write(to: URL(fileURLWithPath: "lessons.shazamcatalog"))
/// ```
///
/// A session takes the catalog as it is when the session is made; from then on additions and removals are
/// ignored. Its bytes are those of an `.earcatalog` file, whatever the file is called.
///
/// Sendable because all that changes is under a lock. Two catalogs are equal only when they are one object.
public final class SHCustomCatalog: SHCatalog, @unchecked Sendable {
    private struct State {
        var references = CollectedReferences()
        var isFrozen = false
    }

    private let state: Mutex<State>

    /// Makes an empty catalog.
    public init() {
        state = Mutex(State())
        super.init()
    }

    /// Reads the bytes of a catalog.
    ///
    /// - Throws: `SHError` 300 when they are not a catalog, naming the byte.
    public init(dataRepresentation: Data) throws {
        var references = CollectedReferences()
        try SHError.mapping(to: .customCatalogInvalid) {
            try references.add(CatalogFile.decode([UInt8](dataRepresentation), name: "catalog"))
        }
        state = Mutex(State(references: references))
        super.init()
    }

    /// The bytes of the catalog, to store or to send.
    ///
    /// Empty when there are none to be had: a large file that was added has since turned out to be damaged, or all the
    /// references together are too long for one catalog. `write(to:)` then says why.
    public var dataRepresentation: Data { (try? Data(CatalogFile.encode(engine()))) ?? Data() }

    /// Adds a reference and the media items that it is known by, of which there may be none.
    ///
    /// The reference's identifier follows from the signature; adding one signature twice makes two references. Ignored
    /// once a session has the catalog.
    ///
    /// - Throws: `SHError` 200 when the signature has no peaks, usually because the audio was silent, or too few kinds
    ///   of them for a reference.
    public func addReferenceSignature(
        _ signature: SHSignature, representing mediaItems: [SHMediaItem]
    ) throws {
        let needed = Settings().analysis.referenceRank
        guard !signature.signature.peaks.isEmpty else {
            throw SHError(
                .signatureInvalid,
                message:
                    "a signature of \(signature.duration) s without peaks cannot be recognised: its audio is"
                    + " silent or shorter than about 0.1 s")
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
            state.references.add(signature.signature, MediaItem(items: mediaItems))
        }
    }

    /// Adds all references of a catalog file.
    ///
    /// A reference that this catalog has already, with the same identifier, signature and media items, is not added
    /// again; another one of the same identifier gets a new identifier. Ignored once a session has the catalog.
    ///
    /// - Parameter customCatalogURL: of a file, or of a folder that holds `Signatures.shazamcatalog`. A file of 256 MB
    ///   and more must not be changed in place while the catalog is in use; replacing it is no matter.
    /// - Throws: `SHError` 301 when it is not a file's URL or there is no file to read, 300 when that is no catalog or
    ///   a damaged one. Nothing was added then.
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
            }
        }
    }

    /// Writes the catalog to a file, all of it or nothing; into a folder under the name `Signatures.shazamcatalog`.
    ///
    /// - Throws: `SHError` 301 when it is not a file's URL or the file cannot be written, 300 when the catalog
    ///   cannot be put together (see `dataRepresentation`).
    public func write(to destinationURL: URL) throws {
        let path = try CatalogLocation(destinationURL).path
        let catalog = try engine()
        do {
            try CatalogFile.write(catalog, to: path)
        } catch let error as FingerprintingError {
            throw SHError(.customCatalogInvalid, because: error)
        } catch {
            throw SHError(.customCatalogInvalidURL, because: error)
        }
    }

    /// The engine's catalog of all references, made when it is first asked for after a change.
    ///
    /// - Throws: `SHError` 300 when a file that was added is damaged, or the references are too long for one catalog.
    package func engine() throws -> Catalog {
        try SHError.mapping(to: .customCatalogInvalid) {
            try state.withLock { try $0.references.catalog() }
        }
    }

    /// Ignores changes from now on: a session has the catalog.
    package func freeze() { state.withLock { $0.isFrozen = true } }

    /// The media items of the reference at a place of the engine's catalog, in the order they were given; empty when its
    /// file is damaged there.
    package func items(ofReference place: Int) -> [SHMediaItem] {
        guard let catalog = try? engine(), catalog.entries.indices.contains(place),
            let entry = try? catalog.entry(at: place)
        else { return [] }
        return entry.mediaItem.items(ofReference: entry.id)
    }

    /// Removes a reference unless a session has the catalog; says whether there was one.
    ///
    /// - Throws: `SHError` 300 as `write(to:)` does.
    @discardableResult
    public func removeReference(withID id: String) throws -> Bool {
        try SHError.mapping(to: .customCatalogInvalid) {
            try state.withLock { try !$0.isFrozen && $0.references.remove(id) }
        }
    }

    /// The number of references.
    public var referenceCount: Int { state.withLock { $0.references.count } }
}
