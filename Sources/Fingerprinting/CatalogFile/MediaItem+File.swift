/// The stored form of media items.
///
/// An item is its number of properties (2 bytes), then each property: its key (length in 2 bytes, UTF-8) and its value.
/// A value is a tag byte and
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
    package static let mostDepth = 32
    /// The most properties of an item, and the most bytes of a key.
    package static let mostKeys = Int(UInt16.max)

    /// The stored form.
    ///
    /// - Throws: `FingerprintingError.malformedFile` for too deep nesting, a too long key, or too many keys.
    package func encoded() throws -> [UInt8] {
        var writer = ByteWriter()
        try encode(into: &writer)
        return writer.bytes
    }

    /// Reads the stored form; errors call it `name`.
    ///
    /// - Throws: `FingerprintingError.malformedFile` for any invalid bytes.
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
                "a media item has \(properties.count) properties, the limit is \(Self.mostKeys)")
        }
        writer.append(UInt16(properties.count))
        for property in properties { try Self.encode(property, into: &writer, depth: 0) }
    }

    private static func encode(_ property: Property, into writer: inout ByteWriter, depth: Int) throws {
        let key = Array(property.key.utf8)
        guard key.count <= mostKeys else {
            throw FingerprintingError(
                .malformedFile, "a key of a media item has \(key.count) bytes, the limit is \(mostKeys)")
        }
        writer.append(UInt16(key.count))
        writer.append(bytes: key)
        try encode(property.value, into: &writer, depth: depth)
    }

    private static func encode(_ value: Value, into writer: inout ByteWriter, depth: Int) throws {
        writer.append(value.tag)
        switch value {
        case .string(let text), .url(let text): append(Array(text.utf8), to: &writer)
        case .integer(let number): writer.append(number)
        case .number(let number), .date(let number), .instant(let number): writer.append(number.bitPattern)
        case .bool(let flag): writer.append(UInt8(flag ? 1 : 0))
        case .data(let bytes): append(bytes, to: &writer)
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

    private static func append(_ bytes: [UInt8], to writer: inout ByteWriter) {
        writer.append(UInt32(bytes.count))
        writer.append(bytes: bytes)
    }

    private static func expect(_ depth: Int) throws {
        guard depth < mostDepth else {
            throw FingerprintingError(
                .malformedFile, "a media item nests lists and dictionaries more than \(mostDepth) deep")
        }
    }

    /// Reads the stored form.
    ///
    /// - Throws: `FingerprintingError.malformedFile` with the byte that is wrong.
    init(_ reader: inout ByteReader) throws {
        let count = try reader.number(UInt16.self, "a number of properties")
        var properties: [Property] = []
        for _ in 0..<count { properties.append(try Self.property(&reader, depth: 0)) }
        self.init(properties)
    }

    /// Reads an item whose only property is a list of dictionaries, and passes these to `body` one at a time.
    ///
    /// - Returns: False for any other item; what `body` received is then no dictionary of such a list.
    /// - Throws: As `init` does, and the errors of `body`.
    static func readDictionaries(
        under key: String, _ reader: inout ByteReader, _ body: (MediaItem) throws -> Void
    ) throws -> Bool {
        guard try reader.number(UInt16.self, "a number of properties") == 1 else { return false }
        let length = Int(try reader.number(UInt16.self, "a key's length"))
        guard try reader.text(length, "a key") == key,
            try reader.number(UInt8.self, "a value's tag") == Value.list([]).tag
        else { return false }
        let count = try reader.count(UInt32.self, "a number of values", atMost: reader.remaining)
        for _ in 0..<count {
            guard case .dictionary(let properties) = try value(&reader, depth: 1) else { return false }
            try body(MediaItem(properties))
        }
        try reader.expectEnd(of: "a media item")
        return true
    }

    private static func property(_ reader: inout ByteReader, depth: Int) throws -> Property {
        let length = Int(try reader.number(UInt16.self, "a key's length"))
        let key = try reader.text(length, "a key")
        return Property(key, try value(&reader, depth: depth))
    }

    private static func value(_ reader: inout ByteReader, depth: Int) throws -> Value {
        let place = reader.position
        switch try reader.number(UInt8.self, "a value's tag") {
        case 1: return .string(try text(&reader, "a text"))
        case 2: return .integer(try integer(&reader))
        case 3: return .number(try number(&reader, "a number"))
        case 4: return .bool(try reader.count(UInt8.self, "yes or no", atMost: 1) == 1)
        case 5: return .date(try number(&reader, "a date"))
        case 6:
            let length = Int(try reader.number(UInt32.self, "a length"))
            return .data(Array(try reader.take(length, of: "a value")))
        case 7: return .list(try elements(&reader, at: place, depth: depth, value))
        case 8: return .single(try single(&reader))
        case 9: return .url(try text(&reader, "an address"))
        case 10: return .dictionary(try elements(&reader, at: place, depth: depth, property))
        case 11:
            let ends = (try number(&reader, "a range's end"), try number(&reader, "a range's end"))
            try expect(ends.0 <= ends.1, &reader, at: place)
            return .range(ends.0, ends.1)
        case 12:
            let ends = (try single(&reader), try single(&reader))
            try expect(ends.0 <= ends.1, &reader, at: place)
            return .singleRange(ends.0, ends.1)
        case 13:
            let ends = (try integer(&reader), try integer(&reader))
            try expect(ends.0 <= ends.1, &reader, at: place)
            return .integerRange(ends.0, ends.1)
        case 14: return .instant(try number(&reader, "a date"))
        case let tag: throw reader.error(at: place, expected: "a value's tag 1…14, found \(tag)")
        }
    }

    /// The elements of a list or dictionary; the stated count claims no memory.
    private static func elements<Element>(
        _ reader: inout ByteReader, at place: Int, depth: Int,
        _ element: (inout ByteReader, Int) throws -> Element
    ) throws -> [Element] {
        guard depth < mostDepth else {
            throw reader.error(at: place, expected: "lists and dictionaries at most \(mostDepth) deep")
        }
        let count = try reader.count(UInt32.self, "a number of values", atMost: reader.remaining)
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&reader, depth + 1)) }
        return elements
    }

    private static func text(_ reader: inout ByteReader, _ what: String) throws -> String {
        try reader.text(Int(try reader.number(UInt32.self, "a text's length")), what)
    }

    private static func integer(_ reader: inout ByteReader) throws -> Int64 {
        Int64(bitPattern: try reader.number(UInt64.self, "a whole number"))
    }

    private static func number(_ reader: inout ByteReader, _ what: String) throws -> Double {
        Double(bitPattern: try reader.number(UInt64.self, what))
    }

    private static func single(_ reader: inout ByteReader) throws -> Float {
        Float(bitPattern: try reader.number(UInt32.self, "a number"))
    }

    private static func expect(_ isOrdered: Bool, _ reader: inout ByteReader, at place: Int) throws {
        guard isOrdered else {
            throw reader.error(at: place, expected: "a range whose lower end is at most its upper end")
        }
    }
}

extension MediaItem.Value {
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
