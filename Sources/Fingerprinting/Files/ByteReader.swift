/// Reads little-endian values from bytes of unknown origin: nothing traps, every failure names its position.
struct ByteReader {
    /// What errors call the source.
    let name: String
    private let bytes: ArraySlice<UInt8>
    /// The place of the next byte, counted from the start of the file.
    private(set) var position: Int

    /// Reads `bytes`; the slice's indices are positions in the file.
    init(_ bytes: ArraySlice<UInt8>, name: String) {
        self.bytes = bytes
        self.name = name
        position = bytes.startIndex
    }

    /// The number of bytes left.
    var remaining: Int { bytes.endIndex - position }

    /// An error at the current position, or another.
    func error(at place: Int? = nil, expected: String) -> FingerprintingError {
        FingerprintingError(.malformedFile, "\(name): byte \(place ?? position): expected \(expected)")
    }

    /// The next `count` bytes.
    mutating func take(_ count: Int, of what: String) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else {
            throw error(expected: "\(count) bytes of \(what), found \(remaining)")
        }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    /// The next unsigned number.
    mutating func number<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type, _ what: String) throws -> T {
        let taken = try take(MemoryLayout<T>.size, of: what)
        return taken.reversed().reduce(T(0)) { ($0 << 8) | T($1) }
    }

    /// The next unsigned number, which must not exceed `most`.
    mutating func count<T: FixedWidthInteger & UnsignedInteger>(
        _ type: T.Type, _ what: String, atMost most: Int
    ) throws -> Int {
        let place = position
        let number = try number(type, what)
        guard let count = Int(exactly: number), count <= most else {
            throw error(at: place, expected: "\(what) of at most \(most), found \(number)")
        }
        return count
    }

    /// The next `count` bytes as text.
    mutating func text(_ count: Int, _ what: String) throws -> String {
        let place = position
        guard let text = String(validating: try take(count, of: what), as: UTF8.self) else {
            throw error(at: place, expected: "\(what) in UTF-8")
        }
        return text
    }

    /// Makes sure that nothing is left.
    func expectEnd(of what: String) throws {
        guard remaining == 0 else {
            throw error(expected: "the end of \(what), found \(remaining) more bytes")
        }
    }
}
