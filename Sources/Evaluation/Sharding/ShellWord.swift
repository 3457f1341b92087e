/// Words of a POSIX shell: for commands that a reader copies, and those a user gives.
package enum ShellWord {
    /// `text` as it is if that is safe, else in single quotes.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ",", ":", "@", "%", "=": true
            default: false
            }
        }
        if isPlain, !text.isEmpty { return text }
        // By scalars: a combining mark after a quote joins it into one Character, which is not a quote.
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            escaped.append(contentsOf: scalar == "'" ? "'\\''".unicodeScalars : String(scalar).unicodeScalars)
        }
        return "'" + String(escaped) + "'"
    }

    /// Splits a command line into words as a POSIX shell does, without expansion.
    ///
    /// - Returns: Nil if a quotation has no end.
    package static func words(of line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        // By scalars: a combining mark after a quote joins it into one Character.
        for scalar in line.unicodeScalars {
            let text = String(Character(scalar))
            if isEscaped {
                // Between double quotes a backslash stays, except before the characters it escapes.
                if quote == "\"", !"\"\\$`".unicodeScalars.contains(scalar) { word?.append("\\") }
                word = (word ?? "") + text
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? ""
            } else if quote == nil, " \t\n".unicodeScalars.contains(scalar) {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + text
            }
        }
        if let word { words.append(word) }
        return quote == nil && !isEscaped ? words : nil
    }
}
