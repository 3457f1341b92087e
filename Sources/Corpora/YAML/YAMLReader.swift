import Foundation
import SystemIO
internal import Yams

/// Reads one YAML document into values that know their line.
///
/// It refuses aliases, and documents of more than 256 KiB, of more than 100,000 values or nested deeper than 64 levels.
/// So no input can exhaust memory, time or the stack.
package struct YAMLReader: Sendable {
    package let root: YAMLValue
    /// SHA-256 of the text, in hexadecimal.
    package let digest: String
    /// The comment at the top of the text, as one line.
    package let heading: String

    /// Reads the file at `path`.
    ///
    /// - Throws: ``ConfigurationError`` when it cannot be read, is not UTF-8 or is not YAML.
    package init(path: String) throws {
        let most = YAMLLimits.maximumBytes
        guard let bytes = FileContents.prefix(of: path, count: most + 1) else {
            let problem = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "does not exist"
            throw ConfigurationError(file: path, message: "the file \(problem)")
        }
        guard bytes.count <= most else {
            throw ConfigurationError(
                file: path, message: "more than \(most) bytes long; expected at most \(most)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(file: path, message: "the file is not UTF-8 text")
        }
        try self.init(text: text, name: path)
    }

    /// Reads `text`, with or without a byte-order mark; errors call it `name`.
    ///
    /// - Throws: ``ConfigurationError`` when it is not one YAML document.
    package init(text: String, name: String) throws {
        let text = String(text.trimmingPrefix("\u{FEFF}"))
        try YAMLLimits.check(text, name: name)
        try YAMLLimits.refuseAliases(in: text, name: name)
        let node: Node?
        do {
            node = try compose(yaml: text)
        } catch let error as YamlError {
            throw Self.configurationError(error, name: name)
        }
        guard let node else {
            throw ConfigurationError(file: name, message: "the file is empty; expected a mapping")
        }
        var budget = YAMLLimits.maximumValues
        root = try Self.value(of: node, name: name, depth: 0, budget: &budget)
        digest = Digest.sha256(text)
        heading = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }
            .map { $0.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }

    /// The outermost value as a mapping.
    ///
    /// - Throws: ``ConfigurationError`` when it is something else.
    package func mapping() throws -> YAMLMapping { try root.mapping() }

    private static func value(
        of node: Node, name: String, depth: Int, budget: inout Int
    ) throws -> YAMLValue {
        let line = node.mark?.line ?? 1
        budget -= 1
        guard budget >= 0, depth <= YAMLLimits.maximumDepth else {
            throw ConfigurationError(
                file: name, line: line,
                message: "too large: at most \(YAMLLimits.maximumValues) values, nested at most "
                    + "\(YAMLLimits.maximumDepth) deep")
        }
        let content: YAMLValue.Content
        switch node {
        case .scalar(let scalar):
            let isPlain = scalar.style == .plain || scalar.style == .any
            content = .scalar(scalar.string, isPlain: isPlain)
        case .sequence(let sequence):
            content = .sequence(
                try sequence.map { try value(of: $0, name: name, depth: depth + 1, budget: &budget) })
        case .mapping(let mapping):
            content = .mapping(
                try mapping.map { key, item in
                    guard case .scalar(let scalar) = key else {
                        throw ConfigurationError(
                            file: name, line: key.mark?.line ?? line, message: "a key must be plain text")
                    }
                    return YAMLValue.Entry(
                        key: scalar.string, line: scalar.mark?.line ?? line,
                        value: try value(of: item, name: name, depth: depth + 1, budget: &budget))
                })
        case .alias:
            throw ConfigurationError(file: name, line: line, message: "an alias is not allowed here")
        }
        return YAMLValue(file: name, line: line, content: content)
    }

    private static func configurationError(_ error: YamlError, name: String) -> ConfigurationError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ConfigurationError(file: name, line: mark.line, message: "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            ConfigurationError(
                file: name, line: context.mark.line,
                message: "the same key twice: "
                    + duplicates.sorted().joined(separator: ", "))
        default:
            ConfigurationError(file: name, message: "not valid YAML: \(error)")
        }
    }
}
