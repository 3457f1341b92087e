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

/// JSON for a script element of a page.
enum ScriptJSON {
    /// Encodes `value` with sorted keys.
    ///
    /// Escapes `<`, `>`, `&`, control characters, U+2028, U+2029 and the directional marks. So no text can end or open
    /// an element, a comment or a line of script, or reverse the direction of text. Reading gives the same texts.
    static func text(_ value: some Encodable) throws -> String {
        String(decoding: escaped(try JSONText.encoder().encode(value)), as: UTF8.self)
    }

    private static func escaped(_ json: Data) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count + json.count / 64)
        let json = [UInt8](json)
        var place = 0
        while place < json.count {
            let byte = json[place]
            switch byte {
            case UInt8(ascii: "<"): escaped += "\\u003c".utf8
            case UInt8(ascii: ">"): escaped += "\\u003e".utf8
            case UInt8(ascii: "&"): escaped += "\\u0026".utf8
            case 0x7F: escaped += "\\u007f".utf8
            case 0xC2 where place + 1 < json.count && json[place + 1] < 0xA0:
                escaped += "\\u00\(String(json[place + 1], radix: 16))".utf8
                place += 1
            case 0xE2 where place + 2 < json.count:
                let scalar = 0x2000 | Int(json[place + 1] & 0x3F) << 6 | Int(json[place + 2] & 0x3F)
                if isUnruly(scalar) {
                    escaped += "\\u\(String(scalar, radix: 16))".utf8
                } else {
                    escaped += json[place..<(place + 3)]
                }
                place += 2
            default: escaped.append(byte)
            }
            place += 1
        }
        return escaped
    }

    /// Whether a scalar ends a line of script or sets the direction of text.
    private static func isUnruly(_ scalar: Int) -> Bool {
        (0x200E...0x200F).contains(scalar) || (0x2028...0x202E).contains(scalar)
            || (0x2066...0x2069).contains(scalar)
    }
}
