/// Words of a POSIX shell: for commands that a reader copies, and those a user gives.
package enum ShellWord {
    /// `text` as it is where that is safe, else in single quotes.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ",", ":", "@", "%", "=": true
            default: false
            }
        }
        if isPlain, !text.isEmpty { return text }
        // By scalars, for a mark behind a quote makes one Character of the two, which is no quote.
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            escaped.append(contentsOf: scalar == "'" ? "'\\''".unicodeScalars : String(scalar).unicodeScalars)
        }
        return "'" + String(escaped) + "'"
    }

    /// The words of a command line, split as a POSIX shell does, quotes and backslashes taken off, nothing expanded.
    ///
    /// - Returns: Nil where a quotation has no end.
    package static func words(of line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        // By scalars, for a mark behind a quote makes one Character of the two.
        for scalar in line.unicodeScalars {
            let text = String(Character(scalar))
            if isEscaped {
                // Between double quotes a backslash stays, except before what it is needed for.
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
