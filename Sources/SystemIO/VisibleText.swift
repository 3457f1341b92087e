/// Text of others as it is shown: what would move a terminal's cursor or turn the direction of reading becomes `\u{…}`.
package enum VisibleText {
    /// The text of a message, which keeps its line ends and tabs.
    package static func message(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHostile) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars { append(scalar, escaped: isHostile(scalar), to: &shown) }
        return shown
    }

    private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\t" && scalar != "\n" && isSteering(scalar)
    }

    /// The text of a field in one line, with U+FFFD for what steers.
    package static func field(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isSteering($0) ? "\u{FFFD}" : $0 }))
    }

    /// Whether it is a control character, ends a line or changes the direction of its neighbours.
    package static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The text in one line: at most `limit` characters, without any that cannot be seen.
    package static func quoted(_ text: String, limit: Int = 200) -> String {
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return shown + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                append(scalar, escaped: true, to: &shown)
            default: append(scalar, escaped: false, to: &shown)
            }
        }
        return shown
    }

    package static func quoted(_ bytes: some Collection<UInt8>, limit: Int = 200) -> String {
        // A character has at most four bytes; one more character shows that the text continues.
        quoted(String(decoding: bytes.prefix(4 * (limit + 1)), as: UTF8.self), limit: limit)
    }

    package static func lastLines(_ bytes: [UInt8], count: Int = 4) -> String {
        bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }).suffix(count).map { quoted($0) }
            .joined(separator: " | ")
    }

    private static func append(_ scalar: Unicode.Scalar, escaped: Bool, to text: inout String) {
        if escaped {
            text += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            text.unicodeScalars.append(scalar)
        }
    }
}
