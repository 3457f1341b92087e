package enum CSVField {
    package static func quoted(_ text: String) -> String {
        // By scalars: a combining mark joins the quote before it into one Character.
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Whether a spreadsheet might compute the text, or run a program that it names.
    package static func isFormula(_ text: String) -> Bool {
        switch text.unicodeScalars.first {
        case "=", "@", "\t", "\r": true
        // Numbers and levels such as -10 dB begin with these too.
        case "+", "-": text.contains { "(|!".contains($0) }
        default: false
        }
    }
}
