import Degradations

/// One value of a YAML document, with typed getters whose errors name file and line.
///
/// Plain scalars are typed by the core schema of YAML 1.2: `null`, `true`, `false`, whole and
/// decimal numbers; everything else, and everything in quotes, is text.
package struct YAMLValue: Sendable {
    package enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case sequence([YAMLValue])
        case mapping([Entry])
    }

    package struct Entry: Sendable {
        package var key: String
        package var line: Int
        package var value: YAMLValue
    }

    package enum Scalar: Equatable {
        case null
        case bool(Bool)
        case int(Int)
        case double(Double)
        case text(String)
    }

    package let file: String
    package let line: Int
    package let content: Content

    package init(file: String, line: Int, content: Content) {
        self.file = file
        self.line = line
        self.content = content
    }

    package func error(_ message: String) -> ConfigurationError {
        ConfigurationError(file: file, line: line, message: message)
    }

    /// Whether nothing stands here: `null`, `~` or emptiness.
    package var isNull: Bool { scalar == .null }

    package var isMapping: Bool { if case .mapping = content { true } else { false } }

    package func string() throws -> String {
        if case .text(let text)? = scalar { return text }
        throw expected("text")
    }

    package func int() throws -> Int {
        if case .int(let number)? = scalar { return number }
        throw expected("a whole number")
    }

    package func double() throws -> Double {
        switch scalar {
        case .int(let number)?: return Double(number)
        case .double(let number)?: return number
        default: throw expected("a number")
        }
    }

    package func bool() throws -> Bool {
        if case .bool(let value)? = scalar { return value }
        throw expected("true or false")
    }

    package func list() throws -> [YAMLValue] {
        if case .sequence(let items) = content { return items }
        throw expected("a list")
    }

    package func mapping() throws -> YAMLMapping {
        if case .mapping(let entries) = content { return YAMLMapping(entries: entries, place: self) }
        throw expected("a mapping")
    }

    /// The typed scalar, nil for lists and mappings.
    package var scalar: Scalar? {
        guard case .scalar(let text, let isPlain) = content else { return nil }
        guard isPlain else { return .text(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else { return .text(text) }
        if let number = Int(text) { return .int(number) }
        // `Double` also reads hexadecimal and names such as `infinity`, which are no numbers here.
        let isDecimal = text.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) }
        if isDecimal, let number = Double(text), number.isFinite { return .double(number) }
        return .text(text)
    }

    private func expected(_ wanted: String) -> ConfigurationError {
        error("expected \(wanted), found \(found)")
    }

    private var found: String {
        switch content {
        case .sequence: return "a list"
        case .mapping: return "a mapping"
        case .scalar(let text, _):
            return switch scalar {
            case .null?, nil: "nothing"
            case .bool?: "\(text) (a truth value)"
            case .int?, .double?: "the number \(text)"
            case .text?: "the text \"\(text.prefix(60))\""
            }
        }
    }
}

extension YAMLValue {
    package var plainValue: PlainValue {
        switch content {
        case .scalar(let text, _):
            switch scalar {
            case .null?, nil: .null
            case .bool(let value)?: .bool(value)
            case .int(let number)?: .integer(number)
            case .double(let number)?: .number(number)
            case .text?: .string(text)
            }
        case .sequence(let items): .array(items.map(\.plainValue))
        case .mapping(let entries):
            .object(Dictionary(entries.map { ($0.key, $0.value.plainValue) }, uniquingKeysWith: { $1 }))
        }
    }
}
