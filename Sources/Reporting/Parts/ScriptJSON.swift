import Foundation

/// JSON that can stand in a script element of a page.
enum ScriptJSON {
    /// Encodes `value` with sorted keys.
    ///
    /// No text in it can end or open an element or a comment, end a line of script, or turn the direction of text
    /// around: `<`, `>`, `&`, U+2028, U+2029 and the directional marks are escaped. Reading gives the same texts.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: escaped(try encoder.encode(value)), as: UTF8.self)
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

    /// Whether a scalar ends lines of script or says which way text runs.
    private static func isUnruly(_ scalar: Int) -> Bool {
        (0x200E...0x200F).contains(scalar) || (0x2028...0x202E).contains(scalar)
            || (0x2066...0x2069).contains(scalar)
    }
}
