/// A value of a plan or a row, as in JSON and YAML.
///
/// An integer and a number with the same value are equal, because JSON does not distinguish them.
package enum PlainValue: Codable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([PlainValue])
    case object([String: PlainValue])

    /// The value of a number or an integer; nil for anything else.
    package var asNumber: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value of an integer, or of a number such as 4.0; nil for anything else.
    package var asInteger: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([PlainValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: PlainValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension PlainValue: Hashable {
    package static func == (a: PlainValue, b: PlainValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.integer(let x), .integer(let y)): x == y
        case (.string(let x), .string(let y)): x == y
        case (.array(let x), .array(let y)): x == y
        case (.object(let x), .object(let y)): x == y
        default: a.asNumber.map { $0 == b.asNumber } ?? false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(Double(value))
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension PlainValue: CustomStringConvertible {
    /// The type and the value, for messages: `text "loud"`, `number 0.5`.
    package var description: String {
        switch self {
        case .null: "nothing"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "number \(value)"
        case .number(let value): "number \(value)"
        case .string(let value): "text \"\(value)\""
        case .array(let value): "list of \(value.count)"
        case .object(let value): "mapping of \(value.keys.sorted().joined(separator: ", "))"
        }
    }
}

extension PlainValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: PlainValue...) { self = .array(elements) }
    /// Makes a mapping; of two entries with one name the last is used.
    package init(dictionaryLiteral elements: (String, PlainValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
