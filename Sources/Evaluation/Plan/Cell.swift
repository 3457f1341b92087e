/// What the trials of one cell share: a degradation, a severity and a query length.
public struct Cell: Codable, Hashable, Sendable {
    /// The degradation family, for example `pink noise`.
    public var degradation: String
    /// The strength as printed, for example `−3 dB` written `-3 dB`; empty where there is none.
    public var severity: String
    /// The strength as a number in the family's unit, where it has one.
    public var severityValue: Double?
    /// The query length in seconds.
    public var lengthSeconds: Double

    /// Makes a cell.
    public init(degradation: String, severity: String, severityValue: Double?, lengthSeconds: Double) {
        self.degradation = degradation
        self.severity = severity
        self.severityValue = severityValue
        self.lengthSeconds = lengthSeconds
    }

    /// The name that trial names start with: lower case, no blanks, safe in a shell.
    public var slug: String {
        let parts = [degradation, severity, "\(formatNumber(lengthSeconds))s"]
        return parts.filter { !$0.isEmpty }.map(Cell.slug).joined(separator: "/")
    }

    /// A text in lower case, without blanks, safe in a shell and in names of files.
    static func slug(_ text: String) -> String {
        var slug = ""
        for character in text.lowercased() {
            switch character {
            case "a"..."z", "0"..."9", "+", "-", ".", "_": slug.append(character)
            case "%": slug += "pct"
            case "×": slug += "x"
            default: if !slug.hasSuffix("-") { slug.append("-") }
            }
        }
        while slug.hasSuffix("-") { slug.removeLast() }
        return slug
    }
}

/// A number without needless digits: `5` for 5.0, `0.5` for 0.5.
func formatNumber(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
    return String(value)
}
