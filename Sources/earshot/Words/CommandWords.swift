import ArgumentParser
import Reporting

/// The words of a command line: the command, and its options by their declarations.
struct CommandWords {
    static let current = CommandWords(Array(CommandLine.arguments.dropFirst()))

    /// The values that are not UTF-8, as Swift passes them on: with U+FFFD for what is wrong.
    static let repaired = (0..<Int(CommandLine.argc)).compactMap { place -> String? in
        guard let word = CommandLine.unsafeArgv[place], String(validatingCString: word) == nil else {
            return nil
        }
        let text = String(cString: word)
        let value = text.hasPrefix("-") ? String(text.drop { $0 != "=" }.dropFirst()) : text
        return value.isEmpty ? nil : value
    }

    /// The words as the parser gets them, with today's names of options.
    let words: [String]
    /// The command and those above it; the root is the first.
    let path: [any ParsableCommand.Type]
    /// What follows the names of commands.
    private let rest: ArraySlice<String>

    init(_ words: [String]) {
        var path: [any ParsableCommand.Type] = [Earshot.self]
        var count = words.first == "help" ? 1 : 0
        while count < words.count,
            let next = path[path.count - 1].configuration.subcommands.first(where: {
                $0._commandName == words[count]
            })
        {
            path.append(next)
            count += 1
        }
        self.path = path
        let earlier = Synonyms.earlierNames[path.dropFirst().map { $0._commandName }.joined(separator: " ")]
        let end = words.firstIndex(of: "--") ?? words.count
        self.words = words.enumerated().map { place, word in
            let name = String(word.prefix { $0 != "=" })
            guard place >= count, place < end, let today = earlier?[name] else { return word }
            return today + word.dropFirst(name.count)
        }
        rest = self.words[count...]
    }

    private var command: any ParsableCommand.Type { path[path.count - 1] }

    var name: String { path.map { $0._commandName }.joined(separator: " ") }

    private var declaration: Declaration {
        Declaration(rest.isEmpty ? command : command.configuration.defaultSubcommand ?? command)
    }

    /// Throws if a word in the place of a subcommand is none.
    func requireCommand() throws {
        let known = command.configuration.subcommands.map { $0._commandName }
        guard !known.isEmpty, let word = rest.first, !word.hasPrefix("-") else { return }
        if path.count == 1, word == "help" { return }
        let near = Synonyms.nearest(known, to: word).map { " Did you mean '\($0)'?" } ?? ""
        let list = path.count == 1 ? "" : " Its subcommands are: \(known.joined(separator: ", "))"
        throw ValidationError("'\(name)' has no subcommand '\(word)'.\(near)\(list)")
    }

    /// The options in their order, by the names that were written.
    private func options(of declaration: Declaration) -> [(written: String, argument: Declaration.Argument?)]
    {
        var found: [(written: String, argument: Declaration.Argument?)] = []
        var rest = rest
        while let word = rest.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word.count > 1, Double(word) == nil else { continue }
            let name = String(word.prefix { $0 != "=" })
            let letters = word.dropFirst().map { "-\($0)" }
            let isCluster = !word.hasPrefix("--") && letters.allSatisfy { declaration[$0] != nil }
            for name in isCluster ? letters : [name] { found.append((name, declaration[name])) }
            if found.last?.argument?.parsingStrategy == "unconditional", name == word { _ = rest.popFirst() }
        }
        return found
    }

    /// The options that are given, by the names that help texts show first.
    static let given = Set(
        current.options(of: current.declaration).compactMap { $0.argument?.preferredName?.text })

    /// What to say of the first option that the command does not have; nil if it has all.
    var unknownOption: String? {
        let declaration = declaration
        let builtIn = [
            "--version", "--help-hidden", "--generate-completion-script", "--experimental-dump-help",
        ]
        let unknown = options(of: declaration).first { $0.argument == nil && !builtIn.contains($0.written) }
        guard let unknown else { return nil }
        let shown = declaration.arguments.filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        let known = shown.filter { $0.kind == "long" }.map(\.name) + (path.count == 1 ? ["version"] : [])
        let near =
            unknown.written.hasPrefix("--")
            ? Synonyms.nearest(known, to: String(unknown.written.dropFirst(2))) : nil
        return "Unknown option '\(unknown.written)'" + (near.map { ". Did you mean '--\($0)'?" } ?? "")
    }

    /// The line of usage, in lines of at most `columns` characters where a word allows it.
    func usage(columns: Int) -> String {
        let words = command.configuration.subcommands.isEmpty ? Declaration(command).usage : ["<subcommand>"]
        let line = (["Usage: " + name] + words.map { $0.replacing(" ", with: "\u{A0}") }).joined(
            separator: " ")
        return TableText.folded(line, columns: columns).joined(separator: "\n").replacing("\u{A0}", with: " ")
    }
}
