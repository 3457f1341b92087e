import ArgumentParser
import Foundation

/// The options and arguments that a command declares, as the parser dumps them.
struct Declaration: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            /// The name with its dashes.
            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let parsingStrategy: String
        let names: [Name]?
        let preferredName: Name?
        let valueName: String?

        /// The argument in a usage line.
        fileprivate var usage: String {
            let text = [preferredName?.text, valueName.map { "<\($0)>" }].compactMap(\.self)
            let repeated = text.joined(separator: " ") + (isRepeating ? " ..." : "")
            return isOptional ? "[\(repeated)]" : repeated
        }
    }

    let arguments: [Argument]

    init(_ command: any ParsableCommand.Type) {
        struct Dump: Decodable { let command: Declaration }
        let dump = try? JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8))
        arguments = dump?.command.arguments ?? []
    }

    /// What a user has to name, as words that a line of usage may break between.
    var usage: [String] {
        let shown = arguments.filter(\.shouldDisplay)
        let named = shown.filter { $0.kind != "positional" }
        let hasChoice = named.contains { $0.isOptional && $0.preferredName?.name != "help" }
        return (hasChoice ? ["[<options>]"] : []) + named.filter { !$0.isOptional }.map(\.usage)
            + shown.filter { $0.kind == "positional" }.map(\.usage)
    }

    /// The argument with a name such as `--output` or `-o`.
    subscript(name: some StringProtocol) -> Argument? {
        arguments.first { $0.names?.contains { $0.text == name } ?? false }
    }
}
