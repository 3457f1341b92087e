/// Reads little-endian values from untrusted bytes: it never traps, and every error names its position.
package struct ByteReader {
    package let name: String
    private let bytes: UnsafeRawBufferPointer
    /// Keeps the memory of `bytes`.
    private let owner: AnyObject
    private let origin: Int
    private var next = 0

    /// Reads `bytes`, the first of which is byte `origin` of the file, and which live as long as `owner`.
    package init(_ bytes: UnsafeRawBufferPointer, origin: Int, name: String, owner: AnyObject) {
        self.bytes = bytes
        self.origin = origin
        self.name = name
        self.owner = owner
    }

    package var position: Int { origin + next }
    package var remaining: Int { bytes.count - next }

    package func error(at place: Int? = nil, expected: String) -> FingerprintingError {
        FingerprintingError(.malformedFile, "\(name): byte \(place ?? position): expected \(expected)")
    }

    package mutating func take(_ count: Int, of what: String) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else {
            throw error(expected: "\(count) bytes of \(what), found \(remaining)")
        }
        defer { next += count }
        return UnsafeRawBufferPointer(rebasing: bytes[next..<(next + count)])
    }

    package mutating func number<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ type: T.Type, _ what: String
    ) throws -> T {
        T(littleEndian: try take(MemoryLayout<T>.size, of: what).loadUnaligned(as: T.self))
    }

    package mutating func count<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ type: T.Type, _ what: String, atMost most: Int
    ) throws -> Int {
        let place = position
        let number = try number(type, what)
        guard let count = Int(exactly: number), count <= most else {
            throw error(at: place, expected: "\(what) of at most \(most), found \(number)")
        }
        return count
    }

    package mutating func text(_ count: Int, _ what: String) throws -> String {
        let place = position
        guard let text = String(validating: try take(count, of: what), as: UTF8.self) else {
            throw error(at: place, expected: "\(what) in UTF-8")
        }
        return text
    }

    package func expectEnd(of what: String) throws {
        guard remaining == 0 else {
            throw error(expected: "the end of \(what), found \(remaining) more bytes")
        }
    }
}

package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append<T: FixedWidthInteger>(_ number: T) {
        withUnsafeBytes(of: number.littleEndian) { append(bytes: $0) }
    }

    package mutating func append(bytes more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
}
