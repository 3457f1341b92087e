import Fingerprinting
import SystemIO

extension Catalog {
    /// The references that have some of the media items, without these items.
    ///
    /// The result leaves out `references`. Errors call the catalog `path`.
    ///
    /// - Throws: ``CatalogEditError`` when the catalog does not have an item, or two references have it.
    package func references(
        without ids: Set<UUID>, leavingOut references: [String], path: String
    ) throws -> [Reference] {
        guard !ids.isEmpty else { return [] }
        var owners: [UUID: String] = [:]
        var changed: [Reference] = []
        for place in entries.indices {
            let entry = try entry(at: place)
            guard let kept = entry.mediaItem.removing(ids, ofRecording: recordingName(at: place)) else {
                continue
            }
            for item in try Set(items(at: place).map(\.id)).intersection(ids) {
                guard let other = owners.updateValue(entry.id, forKey: item) else { continue }
                throw CatalogEditError(
                    "\(path): the references \"\(other)\" and \"\(entry.id)\" both have the media item"
                        + " \(item.uuidString)")
            }
            if references.contains(entry.id) { continue }
            changed.append(Reference(id: entry.id, mediaItem: kept, signature: signature(at: place)))
        }
        let missing = ids.filter { owners[$0] == nil }.map(\.uuidString).sorted()
        guard missing.isEmpty else {
            throw CatalogEditError("\(path): has no media item \(missing.joined(separator: ", "))")
        }
        return changed
    }

    /// The references with more media items, by the references' identifiers.
    ///
    /// Errors call the catalog `path`.
    ///
    /// - Throws: ``CatalogEditError`` when the catalog does not have a reference, or one gets too many items.
    package func references(adding items: [String: [SHMediaItem]], path: String) throws -> [Reference] {
        try items.sorted { $0.key < $1.key }.map { id, items in
            guard let place = try place(ofID: id) else {
                throw CatalogEditError("\(path): has no reference \"\(id)\" to add the media items to")
            }
            let item = try entry(at: place).mediaItem
            do throws(CatalogEditError) {
                return Reference(
                    id: id, mediaItem: try item.adding(items, ofRecording: recordingName(at: place)),
                    signature: signature(at: place))
            } catch { throw CatalogEditError("\(path): reference \"\(id)\": \(error)") }
        }
    }
}

extension Catalog {
    /// Writes the signature (`.earsignature`) and the media items (`.csv`) of each reference into `folder`.
    ///
    /// The files are named by the reference's identifier, in which slashes name folders. A name that is too long is
    /// shortened. At the end every block of the catalog is checked.
    ///
    /// - Parameters:
    ///   - signatureExtension: The extension of signatures.
    ///   - replacing: Whether tables that say something else are replaced, and files that are no signatures.
    ///   - note: receives the paths of each reference's files, on two lines.
    ///   - fail: Called before anything is written with a ``CatalogEditError`` for each identifier that cannot be the
    ///     name of a file, and each file that must not be replaced. Later with a ``MediaItemTableError`` for items that
    ///     no table can hold.
    /// - Throws: The errors of `fail`, and ``CatalogEditError`` for a file that cannot be written.
    package func export(
        to folder: String, signatureExtension: String = Signature.fileExtension, replacing: Bool = false,
        note: (String) -> Void,
        failing fail: (any Error) throws -> Void = { throw $0 }
    ) throws {
        var stems: [(place: Int, stem: String)] = []
        for place in entries.indices {
            let id = try entry(at: place).id
            do {
                let stem = try folder + (folder.hasSuffix("/") ? "" : "/") + Self.path(ofID: id)
                if !replacing { try requireReplaceable(stem, signatureExtension, by: place) }
                stems.append((place, stem))
            } catch let error as CatalogEditError { try fail(error) }
        }
        for (count, (place, stem)) in stems.enumerated() {
            try FileManager.default.createDirectory(
                atPath: (stem as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let files = (stem + "." + signatureExtension, stem + ".csv")
            do {
                try signature(at: place).write(to: files.0)
                try MediaItemTable(items(at: place)).write(to: files.1)
            } catch let error as FileWriteError where !error.isInPlace {
                throw CatalogEditError(
                    "\(error) of it; \(count.counting("reference was", "references were")) written before"
                )
            } catch let error as MediaItemTableError {
                try fail(error)
                continue
            }
            note("\(files.0)\n\(files.1)")
        }
        try CatalogFile.verify(self)
    }

    /// The path of a reference's files without extension.
    private static func path(ofID id: String) throws -> String {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else {
            throw CatalogEditError("the identifier \"\(id)\" cannot be the name of a file")
        }
        return parts.map { DerivedName.stem($0, forExtension: Signature.fileExtension) }
            .joined(separator: "/")
    }

    /// Throws if a file at `stem` would lose what is not in the catalog.
    private func requireReplaceable(_ stem: String, _ signatureExtension: String, by place: Int) throws {
        let files = FileManager.default
        let (signature, table) = (stem + "." + signatureExtension, stem + ".csv")
        if files.fileExists(atPath: signature), (try? Signature(contentsOf: signature)) == nil {
            throw CatalogEditError(
                "\(signature): is no signature; export to another folder, or replace it with --force")
        }
        guard let old = files.contents(atPath: table) else { return }
        let new = MediaItemTable(try items(at: place)).csv
        guard old != Data(new.utf8), !old.isEmpty else { return }
        throw CatalogEditError(
            "\(table): says something else than the catalog; export to another folder, or replace it with --force"
        )
    }
}
