/// The stored form of media items.
///
/// An item is its number of properties (2 bytes), then for each its key (length in 2 bytes, UTF-8)
/// and its value: a tag byte and
///
/// | tag | value |
/// |---|---|
/// | 1 | text: length in 4 bytes, UTF-8 |
/// | 2 | whole number: 8 bytes, two's complement |
/// | 3 | number: 8 bytes, IEEE 754 |
/// | 4 | yes or no: 1 byte, 1 or 0 |
/// | 5 | date: 8 bytes, IEEE 754, seconds since 1970 |
/// | 6 | bytes: length in 4 bytes, then the bytes |
/// | 7 | list: number of values in 4 bytes, then the values, nested at most 8 deep |
extension MediaItem {
    private static let mostDepth = 8

    /// Appends the item.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when lists nest too deep.
    func encode(into writer: inout ByteWriter) throws {
        let kept = properties.prefix(Int(UInt16.max))
        writer.append(UInt16(kept.count))
        for property in kept {
            let key = Array(property.key.utf8.prefix(Int(UInt16.max)))
            writer.append(UInt16(key.count))
            writer.append(bytes: key)
            try Self.encode(property.value, into: &writer, depth: 0)
        }
    }

    private static func encode(_ value: Value, into writer: inout ByteWriter, depth: Int) throws {
        switch value {
        case .string(let text):
            let bytes = Array(text.utf8)
            writer.append(UInt8(1))
            writer.append(UInt32(bytes.count))
            writer.append(bytes: bytes)
        case .integer(let number):
            writer.append(UInt8(2))
            writer.append(number)
        case .number(let number):
            writer.append(UInt8(3))
            writer.append(number.bitPattern)
        case .bool(let flag):
            writer.append(UInt8(4))
            writer.append(UInt8(flag ? 1 : 0))
        case .date(let seconds):
            writer.append(UInt8(5))
            writer.append(seconds.bitPattern)
        case .data(let bytes):
            writer.append(UInt8(6))
            writer.append(UInt32(bytes.count))
            writer.append(bytes: bytes)
        case .list(let values):
            guard depth < mostDepth else {
                throw FingerprintingError(
                    .malformedFile, "a media item nests lists more than \(mostDepth) deep")
            }
            writer.append(UInt8(7))
            writer.append(UInt32(values.count))
            for value in values { try encode(value, into: &writer, depth: depth + 1) }
        }
    }

    init(_ reader: inout ByteReader) throws {
        let count = try reader.number(UInt16.self, "a number of properties")
        var properties: [Property] = []
        for _ in 0..<count {
            let length = Int(try reader.number(UInt16.self, "a key's length"))
            let key = try reader.text(length, "a key")
            properties.append(Property(key, try Self.value(&reader, depth: 0)))
        }
        self.init(properties)
    }

    private static func value(_ reader: inout ByteReader, depth: Int) throws -> Value {
        let place = reader.position
        switch try reader.number(UInt8.self, "a value's tag") {
        case 1:
            return .string(try reader.text(Int(try reader.number(UInt32.self, "a text's length")), "a text"))
        case 2: return .integer(Int64(bitPattern: try reader.number(UInt64.self, "a whole number")))
        case 3: return .number(Double(bitPattern: try reader.number(UInt64.self, "a number")))
        case 4: return .bool(try reader.count(UInt8.self, "yes or no", atMost: 1) == 1)
        case 5: return .date(Double(bitPattern: try reader.number(UInt64.self, "a date")))
        case 6:
            let length = Int(try reader.number(UInt32.self, "a length"))
            return .data(Array(try reader.take(length, of: "a value")))
        case 7:
            guard depth < mostDepth else {
                throw reader.error(at: place, expected: "lists at most \(mostDepth) deep")
            }
            let count = try reader.count(UInt32.self, "a number of values", atMost: reader.remaining)
            return .list(try (0..<count).map { _ in try value(&reader, depth: depth + 1) })
        case let tag: throw reader.error(at: place, expected: "a value's tag 1…7, found \(tag)")
        }
    }
}
