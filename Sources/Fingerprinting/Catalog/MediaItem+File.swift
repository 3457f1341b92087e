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
/// | 7 | list: number of values in 4 bytes, then the values |
/// | 8 | number of single precision: 4 bytes, IEEE 754 |
/// | 9 | address of a resource: length in 4 bytes, UTF-8 |
/// | 10 | dictionary: number of entries in 4 bytes, then for each its key and value, as those of an item |
/// | 11 | range of numbers: lower and upper end, 8 bytes each, IEEE 754 |
/// | 12 | range of numbers of single precision: lower and upper end, 4 bytes each, IEEE 754 |
/// | 13 | range of whole numbers: lower and upper end, 8 bytes each, two's complement |
/// | 14 | date: 8 bytes, IEEE 754, seconds since 2001 |
///
/// Lists and dictionaries nest at most 32 deep. A range's lower end is at most its upper end, and neither is NaN.
extension MediaItem {
    /// How deep lists and dictionaries may nest.
    package static let mostDepth = 32
    /// How many properties an item, and how many bytes a key may have.
    package static let mostKeys = Int(UInt16.max)

    /// The stored form.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when lists or dictionaries nest too deep, a key is too long or
    ///   there are too many.
    package func encoded() throws -> [UInt8] {
        var writer = ByteWriter()
        try encode(into: &writer)
        return writer.bytes
    }

    /// Reads the stored form; `name` is what errors call it.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, whatever the bytes are.
    package init(encoded bytes: [UInt8], name: String) throws {
        let memory = FileMemory(bytes)
        var reader = ByteReader(memory.bytes, origin: 0, name: name, owner: memory)
        try self.init(&reader)
        try reader.expectEnd(of: "a media item")
    }

    /// Appends the item.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, as `encoded` does.
    func encode(into writer: inout ByteWriter) throws {
        guard properties.count <= Self.mostKeys else {
            throw FingerprintingError(
                .malformedFile,
                "a media item has \(properties.count) properties, at most \(Self.mostKeys) can be kept")
        }
        writer.append(UInt16(properties.count))
        for property in properties { try Self.encode(property, into: &writer, depth: 0) }
    }

    private static func encode(_ property: Property, into writer: inout ByteWriter, depth: Int) throws {
        let key = Array(property.key.utf8)
        guard key.count <= mostKeys else {
            throw FingerprintingError(
                .malformedFile,
                "a key of a media item has \(key.count) bytes, at most \(mostKeys) can be kept")
        }
        writer.append(UInt16(key.count))
        writer.append(bytes: key)
        try encode(property.value, into: &writer, depth: depth)
    }

    private static func encode(_ value: Value, into writer: inout ByteWriter, depth: Int) throws {
        writer.append(value.tag)
        switch value {
        case .string(let text), .url(let text):
            let bytes = Array(text.utf8)
            writer.append(UInt32(bytes.count))
            writer.append(bytes: bytes)
        case .integer(let number): writer.append(number)
        case .number(let number), .date(let number), .instant(let number): writer.append(number.bitPattern)
        case .bool(let flag): writer.append(UInt8(flag ? 1 : 0))
        case .data(let bytes):
            writer.append(UInt32(bytes.count))
            writer.append(bytes: bytes)
        case .list(let values):
            try expect(depth)
            writer.append(UInt32(values.count))
            for value in values { try encode(value, into: &writer, depth: depth + 1) }
        case .single(let number): writer.append(number.bitPattern)
        case .dictionary(let entries):
            try expect(depth)
            writer.append(UInt32(entries.count))
            for entry in entries { try encode(entry, into: &writer, depth: depth + 1) }
        case .range(let lower, let upper):
            writer.append(lower.bitPattern)
            writer.append(upper.bitPattern)
        case .singleRange(let lower, let upper):
            writer.append(lower.bitPattern)
            writer.append(upper.bitPattern)
        case .integerRange(let lower, let upper):
            writer.append(lower)
            writer.append(upper)
        }
    }

    private static func expect(_ depth: Int) throws {
        guard depth < mostDepth else {
            throw FingerprintingError(
                .malformedFile, "a media item nests lists and dictionaries more than \(mostDepth) deep")
        }
    }
}

extension MediaItem.Value {
    /// The byte that stands before it in a file.
    fileprivate var tag: UInt8 {
        switch self {
        case .string: 1
        case .integer: 2
        case .number: 3
        case .bool: 4
        case .date: 5
        case .data: 6
        case .list: 7
        case .single: 8
        case .url: 9
        case .dictionary: 10
        case .range: 11
        case .singleRange: 12
        case .integerRange: 13
        case .instant: 14
        }
    }
}
