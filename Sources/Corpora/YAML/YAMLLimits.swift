internal import CYaml

/// Limits on the memory and stack of a YAML file, checked before parsing.
enum YAMLLimits {
    static let maximumBytes = 256 * 1024
    static let maximumValues = 100_000
    static let maximumDepth = 64

    /// Refuses aliases, which let a short text hold any number of values.
    ///
    /// The composer compares keys by all that they hold, aliases expanded, so this looks at the events before it.
    static func refuseAliases(in text: String, name: String) throws {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else {
            throw ConfigurationError(file: name, message: "there is no memory to read it")
        }
        defer { yaml_parser_delete(parser) }
        var text = text
        try text.withUTF8 { bytes in
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
            while true {
                var event = yaml_event_t()
                // The composer names a mistake.
                guard yaml_parser_parse(parser, &event) == 1 else { return }
                defer { yaml_event_delete(&event) }
                if event.type == YAML_STREAM_END_EVENT { return }
                guard event.type != YAML_ALIAS_EVENT else {
                    throw ConfigurationError(
                        file: name, line: event.start_mark.line + 1,
                        message: "aliases (*name) are not allowed; write the value again")
                }
            }
        }
    }

    /// Refuses text that is too long or that opens too many levels at once.
    ///
    /// The parser recurses once a level. Levels are opened by brackets and by indicators in a row
    /// (`- - -`); by indentation alone the size limit keeps them below 800.
    static func check(_ text: String, name: String) throws {
        guard text.utf8.count <= maximumBytes else {
            throw ConfigurationError(
                file: name, message: "\(text.utf8.count) bytes long; expected at most \(maximumBytes)")
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
