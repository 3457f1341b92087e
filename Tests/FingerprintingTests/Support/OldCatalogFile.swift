/// Catalog files of version 3, whose sections `ROWS` and `COUNTS` say where posting lists end.
enum OldCatalogFile {
    /// The same catalog in version 3.
    ///
    /// - Parameters:
    ///   - bytes: A file of version 4.
    ///   - shards: The number of its shards.
    ///   - keys: The number of keys of its settings.
    static func bytes(_ bytes: [UInt8], shards: Int = 1, keys: Int) -> [UInt8]? {
        guard var file = FramedFile(bytes), let place = CatalogSections.names.firstIndex(of: "GROUPS") else {
            return nil
        }
        let rows = CatalogSections(bytes: bytes).listLengths(shards: shards).map { lengths in
            stride(from: 0, to: keys, by: 20).map { Array(lengths[$0..<$0 + 20]) }
        }
        let counts = rows.joined().flatMap { row in (1...20).map { row.prefix($0).reduce(0, +) } }
        let largest = counts.max() ?? 0
        let width = largest <= 255 ? 1 : largest <= 65_535 ? 2 : 4
        let starts = rows.flatMap { rows in
            rows.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.reduce(0, +)) }
        }
        file.setVersion(3)
        file.replace(place, by: "ROWS", starts.flatMap { number($0, 4) })
        file.replace(place + 1, by: "COUNTS", counts.flatMap { number($0, width) })
        return file.encoded()
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
