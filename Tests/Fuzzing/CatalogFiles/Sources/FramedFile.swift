/// A file of sections in parts, so that a section can change and the frame be made valid again.
struct FramedFile {
    private let head: [UInt8]
    private let names: [[UInt8]]
    var sections: [[UInt8]]

    /// Splits a file; nil when its frame is invalid.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 64, bytes[12] > 0, bytes[12] <= 64, bytes[13...15].allSatisfy({ $0 == 0 }) else {
            return nil
        }
        head = Array(bytes[..<16])
        let count = Int(bytes[12])
        guard bytes.count >= 56 + 24 * count else { return nil }
        names = (0..<count).map { Array(bytes[(48 + 24 * $0)..<(56 + 24 * $0)]) }
        sections = (0..<count).map { Array(bytes[SealedFile.section($0, of: bytes)]) }
    }

    /// The whole file, with all lengths, positions and checksums of the format.
    func encoded() -> [UInt8] {
        let headerLength = Self.aligned(56 + 24 * sections.count)
        var body: [UInt8] = []
        var list: [UInt8] = []
        for (name, section) in zip(names, sections) {
            list += name + Self.number(headerLength + body.count, 8) + Self.number(section.count, 8)
            body += section
            body += [UInt8](repeating: 0, count: Self.aligned(body.count) - body.count)
        }
        let blocks = (body.count + 65535) / 65536
        let table = headerLength + body.count
        var bytes = head + Self.number(table + 8 * blocks + 8, 8) + Self.number(headerLength, 8)
        bytes += Self.number(table, 8) + Self.number(65536, 4) + Self.number(blocks, 4) + list
        bytes += [UInt8](repeating: 0, count: headerLength - bytes.count)
        bytes += body + [UInt8](repeating: 0, count: 8 * blocks + 8)
        SealedFile.seal(&bytes)
        return bytes
    }

    private static func aligned(_ length: Int) -> Int { (length + 63) / 64 * 64 }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
