/// Collects little-endian values.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// Adds a number.
    mutating func append<T: FixedWidthInteger>(_ number: T) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Adds bytes.
    mutating func append(bytes more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Adds zeros until the length is a multiple of `alignment`.
    mutating func pad(to alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }
}
