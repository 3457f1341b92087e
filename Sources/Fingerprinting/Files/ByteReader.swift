/// Reads little-endian values from bytes of unknown origin: nothing traps, every failure names its position.
struct ByteReader {
    /// What errors call the source.
    let name: String
    private let bytes: UnsafeRawBufferPointer
    /// Keeps the memory of `bytes`.
    private let owner: AnyObject
    private let origin: Int
    private var next = 0

    /// Reads `bytes`, the first of which is byte `origin` of the file, and which live as long as `owner`.
    init(_ bytes: UnsafeRawBufferPointer, origin: Int, name: String, owner: AnyObject) {
        self.bytes = bytes
        self.origin = origin
        self.name = name
        self.owner = owner
    }

    /// The place of the next byte, counted from the start of the file.
    var position: Int { origin + next }

    /// The number of bytes left.
    var remaining: Int { bytes.count - next }

    /// An error at the current position, or another.
    func error(at place: Int? = nil, expected: String) -> FingerprintingError {
        FingerprintingError(.malformedFile, "\(name): byte \(place ?? position): expected \(expected)")
    }

    /// The next `count` bytes.
    mutating func take(_ count: Int, of what: String) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else {
            throw error(expected: "\(count) bytes of \(what), found \(remaining)")
        }
        defer { next += count }
        return UnsafeRawBufferPointer(rebasing: bytes[next..<(next + count)])
    }

    /// The next unsigned number.
    mutating func number<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ type: T.Type, _ what: String
    ) throws -> T {
        T(littleEndian: try take(MemoryLayout<T>.size, of: what).loadUnaligned(as: T.self))
    }

    /// The next unsigned number, which must not exceed `most`.
    mutating func count<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
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
