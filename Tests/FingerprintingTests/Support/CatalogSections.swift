/// The sections of a catalog file, read from the format's description alone.
struct CatalogSections {
    static let names = [
        "SETTINGS", "INFO", "REFS", "IDS", "ITEMS", "STARTS", "PEAKS", "MARKS", "ROWS", "COUNTS", "POSTINGS",
    ]
    let bytes: [UInt8]

    /// Where a section is.
    func range(_ name: String) -> Range<Int> {
        guard let place = Self.names.firstIndex(of: name) else { return 0..<0 }
        return SealedFile.section(place, of: bytes)
    }

    /// The bytes of a section.
    subscript(name: String) -> ArraySlice<UInt8> { bytes[range(name)] }

    /// The numbers of `width` bytes each that a section holds.
    func numbers(_ name: String, width: Int) -> [UInt64] {
        let section = self[name]
        return stride(from: section.startIndex, to: section.endIndex, by: width).map { start in
            section[start..<min(start + width, section.endIndex)].reversed().reduce(0) {
                $0 << 8 | UInt64($1)
            }
        }
    }
}
