import Fingerprinting

/// JSON cells, which can hold every value.
///
/// Strings, numbers, booleans, arrays and objects are JSON values. A number without a fraction is an integer.
/// Types that JSON lacks are objects with one member:
///
/// - `{"$number": "1.0"}`: A floating-point number without a fraction.
/// - `{"$float": "0.1"}`: A single-precision number.
/// - `{"$date": "7.5"}`, `{"$epoch": "7.5"}`: Seconds since 2001, since 1970.
/// - `{"$data": "AAEC"}`: Bytes in base 64.
/// - `{"$url": "https://example.org"}`: A URL.
/// - `{"$range": ["0.5", "1.0"]}`: A range; `$floatRange` is single-precision and `$integerRange` of
///   integers.
/// - `{"$object": {"$date": 1}}`: The inner object, unconverted.
enum JSONCell {
    /// Parses a value.
    /// - Throws: `CellType.Mistake` if the text is no JSON or nests too deep.
    static func value(of text: String) throws(CellType.Mistake) -> MediaItem.Value {
        guard let parsed = try? JSONDecoder().decode(Parsed.self, from: Data(text.utf8)) else {
            throw CellType.Mistake("JSON without null")
        }
        return try value(parsed, depth: MediaItem.maxValueDepth)
    }

    fileprivate static func value(_ parsed: Parsed, depth: Int) throws(CellType.Mistake) -> MediaItem.Value {
        switch parsed {
        case .text(let text): return .string(text)
        case .integer(let number): return .integer(number)
        case .number(let number): return .number(number)
        case .bool(let flag): return .bool(flag)
        case .list(let list):
            guard depth > 0 else { throw tooDeep }
            var values: [MediaItem.Value] = []
            for element in list { values.append(try value(element, depth: depth - 1)) }
            return .list(values)
        case .object(let members):
            guard depth > 0 else { throw tooDeep }
            guard members.count == 1, let only = members.first, only.key.hasPrefix("$") else {
                return try dictionary(members, depth: depth - 1)
            }
            if only.key == "$object", case .object(let inner) = only.value {
                return try dictionary(inner, depth: depth - 1)
            }
            guard let value = tagged(only.key, only.value) else {
                throw CellType.Mistake("a valid value of \"\(only.key)\"")
            }
            return value
        }
    }

    private static var tooDeep: CellType.Mistake {
        CellType.Mistake("JSON nested at most \(MediaItem.maxValueDepth) deep")
    }

    private static func dictionary(
        _ members: [String: Parsed], depth: Int
    ) throws(CellType.Mistake) -> MediaItem.Value {
        var properties: [MediaItem.Property] = []
        for key in members.keys.sorted() {
            guard let member = members[key] else { continue }
            properties.append(MediaItem.Property(key, try value(member, depth: depth)))
        }
        return .dictionary(properties)
    }

    private static func tagged(_ tag: String, _ parsed: Parsed) -> MediaItem.Value? {
        switch (tag, parsed) {
        case ("$number", .text(let text)): Double(text).map { .number($0) }
        case ("$float", .text(let text)): Float(text).map { .single($0) }
        case ("$date", .text(let text)): Double(text).map { .instant($0) }
        case ("$epoch", .text(let text)): Double(text).map { .date($0) }
        case ("$data", .text(let text)): Data(base64Encoded: text).map { .data([UInt8]($0)) }
        case ("$url", .text(let text)): .url(text)
        case ("$range", .list(let ends)): range(ends, Double.init).map { .range($0, $1) }
        case ("$floatRange", .list(let ends)): range(ends, Float.init).map { .singleRange($0, $1) }
        case ("$integerRange", .list(let ends)): range(ends, { Int64($0) }).map { .integerRange($0, $1) }
        default: nil
        }
    }

    private static func range<Bound: Comparable>(
        _ ends: [Parsed], _ bound: (String) -> Bound?
    ) -> (Bound, Bound)? {
        guard ends.count == 2, case .text(let first) = ends[0], case .text(let second) = ends[1],
            let lower = bound(first), let upper = bound(second), lower <= upper
        else { return nil }
        return (lower, upper)
    }

    static func text(of value: MediaItem.Value) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Every value has a JSON form.
        return (try? encoder.encode(TypedValue(value))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

private enum Parsed: Decodable {
    case text(String), integer(Int64), number(Double), bool(Bool), list([Parsed]), object([String: Parsed])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([Parsed].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: Parsed].self))
        }
    }
}

/// A value in the form of a JSON cell, within a larger JSON document.
package struct TypedValue: Codable, Sendable {
    package let value: MediaItem.Value

    package init(_ value: MediaItem.Value) { self.value = value }

    package init(from decoder: any Decoder) throws {
        do {
            value = try JSONCell.value(Parsed(from: decoder), depth: MediaItem.maxValueDepth)
        } catch let mistake as CellType.Mistake {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(mistake)"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .string(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .number(let number) where number.isFinite && number.rounded() != number:
            try container.encode(number)
        case .number(let number): try container.encode(["$number": "\(number)"])
        case .bool(let flag): try container.encode(flag)
        case .date(let seconds): try container.encode(["$epoch": "\(seconds)"])
        case .instant(let seconds): try container.encode(["$date": "\(seconds)"])
        case .data(let bytes): try container.encode(["$data": Data(bytes).base64EncodedString()])
        case .list(let values): try container.encode(values.map { TypedValue($0) })
        case .single(let number): try container.encode(["$float": "\(number)"])
        case .url(let text): try container.encode(["$url": text])
        case .range(let lower, let upper): try container.encode(["$range": ["\(lower)", "\(upper)"]])
        case .singleRange(let lower, let upper):
            try container.encode(["$floatRange": ["\(lower)", "\(upper)"]])
        case .integerRange(let lower, let upper):
            try container.encode(["$integerRange": ["\(lower)", "\(upper)"]])
        case .dictionary(let entries):
            let members = Dictionary(
                entries.map { ($0.key, TypedValue($0.value)) }, uniquingKeysWith: { first, _ in first })
            if members.count == 1, members.keys.first?.hasPrefix("$") == true {
                try container.encode(["$object": members])
            } else {
                try container.encode(members)
            }
        }
    }
}
