/// Reads little-endian values from untrusted bytes: it never traps, and every error names its position.
struct ByteReader {
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

    var position: Int { origin + next }
    var remaining: Int { bytes.count - next }

    func error(
        at place: Int? = nil, expected: String, remedy: FingerprintingError.Remedy? = nil
    ) -> FingerprintingError {
        FingerprintingError(
            .malformedFile, "\(name): byte \(place ?? position): expected \(expected)", remedy: remedy)
    }

    mutating func take(_ count: Int, of what: String) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else {
            throw error(expected: "\(count) bytes of \(what), found \(remaining)")
        }
        defer { next += count }
        return UnsafeRawBufferPointer(rebasing: bytes[next..<(next + count)])
    }

    mutating func number<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ type: T.Type, _ what: String
    ) throws -> T {
        T(littleEndian: try take(MemoryLayout<T>.size, of: what).loadUnaligned(as: T.self))
    }

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

    mutating func text(_ count: Int, _ what: String) throws -> String {
        let place = position
        guard let text = String(validating: try take(count, of: what), as: UTF8.self) else {
            throw error(at: place, expected: "\(what) in UTF-8")
        }
        return text
    }

    func expectEnd(of what: String) throws {
        guard remaining == 0 else {
            throw error(expected: "the end of \(what), found \(remaining) more bytes")
        }
    }
}

struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append<T: FixedWidthInteger>(_ number: T) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(bytes more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
}
