import Fingerprinting

extension Catalog {
    /// The references that have some of the media items, without these items.
    ///
    /// The result leaves out `references`. Errors call the catalog `path`.
    ///
    /// - Throws: ``CatalogEditError`` when the catalog does not have an item.
    package func references(
        without ids: Set<UUID>, leavingOut references: [String], path: String
    ) throws -> [Reference] {
        guard !ids.isEmpty else { return [] }
        var left = ids
        var changed: [Reference] = []
        for place in entries.indices {
            let entry = try entry(at: place)
            let items = entry.mediaItem.items(ofReference: entry.id)
            let kept = items.filter { !ids.contains($0.id) }
            guard kept.count < items.count else { continue }
            left.subtract(items.map(\.id))
            if references.contains(entry.id) { continue }
            changed.append(
                Reference(id: entry.id, mediaItem: MediaItem(items: kept), signature: signature(at: place)))
        }
        guard left.isEmpty else {
            let missing = left.map(\.uuidString).sorted().joined(separator: ", ")
            throw CatalogEditError(description: "\(path): has no media item \(missing)")
        }
        return changed
    }
}

extension Catalog {
    /// Writes the signature (`.earsignature`) and the media items (`.csv`) of each reference into `folder`.
    ///
    /// The files are named by the reference's identifier, in which slashes name folders. At the end every block of
    /// the catalog is checked.
    ///
    /// - Parameter note: receives the paths of each reference's files, on two lines.
    /// - Throws: ``CatalogEditError`` when an identifier cannot be the name of a file; then nothing is written.
    package func export(to folder: String, note: (String) -> Void) throws {
        let stems = try entries.indices.map { place in
            let id = try entry(at: place).id
            let parts = id.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else {
                throw CatalogEditError(
                    description: "the identifier \"\(id)\" cannot be the name of a file; nothing was written")
            }
            return (folder.hasSuffix("/") ? folder : folder + "/") + id
        }
        for (place, stem) in zip(entries.indices, stems) {
            let entry = try entry(at: place)
            try FileManager.default.createDirectory(
                atPath: (stem as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let files = (stem + "." + Signature.fileExtension, stem + ".csv")
            try signature(at: place).write(to: files.0)
            try MediaItemTable(entry.mediaItem.items(ofReference: entry.id)).write(to: files.1)
            note("\(files.0)\n\(files.1)")
        }
        try CatalogFile.verify(self)
    }
}
