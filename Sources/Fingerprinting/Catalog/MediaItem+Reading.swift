extension MediaItem {
    /// Reads the stored form.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, naming the byte where it is not as it must be.
    init(_ reader: inout ByteReader) throws {
        let count = try reader.number(UInt16.self, "a number of properties")
        var properties: [Property] = []
        for _ in 0..<count { properties.append(try Self.property(&reader, depth: 0)) }
        self.init(properties)
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

    /// The elements of a list or dictionary; no memory is claimed before they are read.
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
