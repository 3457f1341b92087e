extension String {
    /// The text with some scalars replaced.
    ///
    /// By scalars: CR LF is one Character, and a combining mark joins the character before it.
    func escaping(_ replacements: [Unicode.Scalar: String]) -> String {
        var escaped = ""
        for scalar in unicodeScalars {
            if let replacement = replacements[scalar] {
                escaped += replacement
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
