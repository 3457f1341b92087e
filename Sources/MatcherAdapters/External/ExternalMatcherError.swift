/// What went wrong with a matcher in a process of its own, in one line that says what it did and what was expected.
package struct ExternalMatcherError: Error, CustomStringConvertible, Sendable {
    /// What went wrong, with the last lines of standard error where there are any.
    package let description: String
    let isFatal: Bool

    init(_ description: String, isFatal: Bool = false) {
        self.description = description
        self.isFatal = isFatal
    }
}

/// Text from outside as it can be shown in a line: nothing in it moves the cursor, turns text around or goes on for ever.
enum VisibleText {
    /// At most `limit` characters of `text`, control and direction characters as `\u{…}`.
    static func quoted(_ text: String, limit: Int = 200) -> String {
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return shown + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// The same for bytes, which need not be UTF-8.
    static func quoted(_ bytes: some Collection<UInt8>, limit: Int = 200) -> String {
        // Four bytes a character at most, and one more to see that there is more.
        quoted(String(decoding: bytes.prefix(4 * (limit + 1)), as: UTF8.self), limit: limit)
    }

    /// The last `count` lines that say something.
    static func lastLines(_ bytes: [UInt8], count: Int = 4) -> String {
        bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }).suffix(count).map { quoted($0) }
            .joined(separator: " | ")
    }
}
