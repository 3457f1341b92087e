/// Paths of files with any name as texts for tables and locks: without control characters, and no two alike.
package enum PathText {
    /// The path with control characters as `%` and two digits; escapes a `%` that looks like such an escape.
    ///
    /// - Parameter isPlain: Escapes all bytes beyond ASCII too, which tells apart names that differ only in how their
    ///   letters are composed.
    package static func escaped(_ path: String, isPlain: Bool = false) -> String {
        let bytes = Array(path.utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isControl = byte < 0x20 || byte == 0x7F || (isPlain && byte >= 0x80)
            if isControl || (byte == UInt8(ascii: "%") && value(bytes, index) != nil) {
                text += Array("%".utf8) + Array([byte].hexadecimal.utf8)
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reverses ``escaped(_:isPlain:)``.
    package static func unescaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var path: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let byte = value(bytes, index) {
                path.append(byte)
                index += 3
            } else {
                path.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// The byte of the two hexadecimal digits after `index`; nil when there are none.
    private static func value(_ bytes: [UInt8], _ index: Int) -> UInt8? {
        guard index + 2 < bytes.count else { return nil }
        let digits = String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self)
        return digits.allSatisfy(\.isHexDigit) ? UInt8(digits, radix: 16) : nil
    }
}
