import Foundation

/// JSON with sorted keys, as text of a file.
enum JSONText {
    /// Infinite numbers become text, as JSON has none: a matcher may give any score.
    static func encoder(_ formatting: JSONEncoder.OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    static func pretty(_ value: some Encodable) throws -> String {
        String(decoding: try encoder(.prettyPrinted).encode(value), as: UTF8.self) + "\n"
    }
}

/// Any name in an object of JSON.
struct JSONName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { nil }
}

/// An object of JSON; keys without a value are left out.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
    typealias Value = (any Encodable)?
    typealias Entry = (key: String, value: Value)

    private let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    init(dictionaryLiteral entries: (String, Value)...) { self.init(entries) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONName.self)
        for case (let key, let value?) in entries { try container.encode(value, forKey: JSONName(key)) }
    }
}

/// JSON for a script element of a page.
enum ScriptJSON {
    /// Encodes `value` with sorted keys.
    ///
    /// Escapes `<`, `>`, `&`, control characters, U+2028, U+2029 and the directional marks. So no text can end or open
    /// an element, a comment or a line of script, or reverse the direction of text. Reading gives the same texts.
    static func text(_ value: some Encodable) throws -> String {
        let json = String(decoding: try JSONText.encoder().encode(value), as: UTF8.self)
        var escaped = ""
        escaped.reserveCapacity(json.utf8.count + json.utf8.count / 64)
        for scalar in json.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\u{7F}"..."\u{9F}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
