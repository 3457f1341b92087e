/// Tables after RFC 4180.
package enum CSVField {
    /// The fields of a row, quoted where a reader needs it.
    package static func line(_ fields: [String]) -> String {
        fields.map { needsQuotes($0) ? quoted($0) : $0 }.joined(separator: ",")
    }

    private static func needsQuotes(_ text: String) -> Bool {
        // By scalars: CR LF is one Character, and a combining mark joins the character before it.
        let scalars = text.unicodeScalars
        // Some readers take blanks and a byte order mark off the ends.
        return [scalars.first, scalars.last].contains { $0?.properties.isWhitespace ?? false }
            || scalars.first == "\u{FEFF}" || scalars.contains { "\",\r\n".unicodeScalars.contains($0) }
    }

    package static func quoted(_ text: String) -> String {
        // By scalars: a combining mark joins the quote before it into one Character.
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// The text as a field for people: before a formula stands an apostrophe.
    package static func shown(_ text: String) -> String { isFormula(text) ? "'" + text : text }

    /// Whether a spreadsheet might compute the text, or run a program that it names.
    package static func isFormula(_ text: String) -> Bool {
        switch text.unicodeScalars.first {
        case "=", "@", "\u{FF1D}", "\u{FF20}", "\t", "\r", "\n": true
        // Numbers and levels such as -10 dB begin with these too.
        case "+", "-", "\u{FF0B}", "\u{FF0D}": text.contains { "(|!".contains($0) }
        default: false
        }
    }
}
