/// The sections of a catalog file, read from the format's description alone.
struct CatalogSections {
    static let names = [
        "SETTINGS", "INFO", "REFS", "IDS", "ITEMS", "STARTS", "PEAKS", "MARKS", "GROUPS", "ENDS",
        "POSTINGS",
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

    /// The lengths of all posting lists of each of `shards` shards, with the keys that fill the last group.
    func listLengths(shards: Int) -> [[Int]] {
        let groups = numbers("GROUPS", width: 4).map { Int($0) }
        let width = groups.count / shards
        var code = Array(self["ENDS"])
        return (0..<shards).map { shard in
            let own = Array(groups[shard * width..<(shard + 1) * width])
            defer { code.removeFirst(own[width - 1] + 8) }
            return stride(from: 0, to: width - 2, by: 2).flatMap { entry in
                Self.lengths(count: own[entry + 2] - own[entry], Array(code[own[entry + 1]..<own[entry + 3]]))
            }
        }
    }

    /// The lengths of the 320 lists of a group of `count` postings.
    private static func lengths(count: Int, _ code: [UInt8]) -> [Int] {
        guard count > 0 else { return Array(repeating: 0, count: 320) }
        func bit(_ place: Int) -> Int { Int(code[place / 8] >> UInt8(place % 8) & 1) }
        var shift = 0
        while count >> shift >= 512 { shift += 1 }
        let ones = (320 * shift..<8 * code.count).filter { bit($0) == 1 }.map { $0 - 320 * shift }
        let ends = ones.enumerated().map { key, place in
            (0..<shift).reduce((place - key) << shift) { $0 | bit(key * shift + $1) << $1 }
        }
        return zip(ends, [0] + ends).map { $0 - $1 }
    }
}
