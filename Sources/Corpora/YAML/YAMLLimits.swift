/// Limits on the memory and stack of a YAML file, checked before parsing.
enum YAMLLimits {
    static let maximumBytes = 256 * 1024
    static let maximumValues = 100_000
    static let maximumDepth = 64

    /// Refuses text that is too long or that opens too many levels at once.
    ///
    /// The parser recurses once a level. Levels are opened by brackets and by indicators in a row
    /// (`- - -`); by indentation alone the size limit keeps them below 800.
    static func check(_ text: String, name: String) throws {
        guard text.utf8.count <= maximumBytes else {
            throw ConfigurationError(
                file: name, line: nil,
                message: "\(text.utf8.count) bytes long; expected at most \(maximumBytes)")
        }
        var line = 1
        var brackets = 0
        var indicators = 0
        var isLineStart = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                indicators = 0
                isLineStart = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                brackets += 1
                isLineStart = false
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                brackets = max(0, brackets - 1)
                isLineStart = false
            case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
                if isLineStart { indicators += 1 }
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                break
            default:
                isLineStart = false
            }
            // A line of dashes (`-----`) is a document marker or text, but never useful here.
            guard brackets <= maximumDepth, indicators <= maximumDepth else {
                throw ConfigurationError(
                    file: name, line: line, message: "nested deeper than \(maximumDepth) levels")
            }
        }
    }
}
