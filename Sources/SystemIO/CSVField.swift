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
}
