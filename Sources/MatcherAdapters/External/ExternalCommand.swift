import Evaluation
import Foundation
import SystemIO

/// The command line of an adapter, split like a POSIX shell, without expansion.
package struct ExternalCommand: Hashable, Sendable {
    package let text: String
    package let words: [String]
    /// The names of the variables that the program gets beside the usual ones.
    package let variables: [String]

    /// The variables that every program gets, beside `TMPDIR` and `EARSHOT_WORK`; no other tells it what it is measured with.
    package static let usualVariables = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH"]

    /// Splits `text`.
    ///
    /// - Parameter variables: The names of variables that the program gets.
    /// - Throws: ``ExternalMatcherError`` when there is no word, or a quote is not closed.
    package init(_ text: String, variables: [String] = []) throws {
        guard let words = ShellWord.words(of: text), !words.isEmpty else {
            throw ExternalMatcherError(
                "'\(VisibleText.quoted(text))' is no command line: a word is missing, or the end of a quotation"
            )
        }
        self.text = text
        self.variables = variables
        self.words = words
    }

    /// The command line with values in place of `{name}`.
    func filled(_ values: [String: String]) -> ExternalCommand {
        func filled(_ text: String) -> String {
            values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        return ExternalCommand(text: filled(text), words: words.map(filled), variables: variables)
    }

    private init(text: String, words: [String], variables: [String]) {
        self.text = text
        self.words = words
        self.variables = variables
    }

    /// Refuses a setting without a place in the words, and a place without a setting.
    func requirePlaces(of names: [String]) throws {
        let places = words.flatMap { $0.matches(of: /\{([A-Za-z0-9._-]+)\}/).map { String($0.1) } }
        if let absent = names.first(where: { !places.contains($0) }) {
            throw ExternalMatcherError(
                "the command line has no {\(absent)}, so the setting \(absent) would change nothing")
        }
        if let unknown = places.first(where: { !names.contains($0) }) {
            throw ExternalMatcherError(
                "the command line has {\(unknown)}, and no setting is called so\(Set(names).suggestion(for: unknown))"
            )
        }
    }

    /// A name made of the words, for files and tables: `olaf-pairs` for `scripts/adapters/olaf.py --pairs`.
    package var name: String {
        let program = URL(fileURLWithPath: words[0]).deletingPathExtension().lastPathComponent
        let parts = ([program] + words.dropFirst()).map { word in
            String(word.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
                .split(separator: "-").joined(separator: "-")
        }
        return String(parts.filter { !$0.isEmpty }.joined(separator: "-").prefix(60))
    }

    /// The words with relative paths made absolute, because the adapter works in another folder.
    ///
    /// A path is a word with a slash that names a file or folder, and a word after the first that names a file. So is such a
    /// value after an equals sign. A first word without a slash is a program of `PATH`, as in a shell.
    package var resolvedWords: [String] {
        words.enumerated().map { place, word in
            let start = word.firstIndex(of: "=").map { word.index(after: $0) } ?? word.startIndex
            for begin in [word.startIndex, start] {
                let path = String(word[begin...])
                let isPath =
                    path.contains("/")
                    ? FileManager.default.fileExists(atPath: path)
                    : (place > 0 || begin > word.startIndex) && Self.isFile(path)
                if isPath, !path.hasPrefix("/") {
                    return word[..<begin] + FileManager.default.currentDirectoryPath + "/" + path
                }
            }
            return word
        }
    }

    /// That the program is not there, and what to write instead; nil if it is, or if the line is for a shell.
    var absence: String? {
        let program = words[0]
        guard !isForShell else { return nil }
        if program.contains("/") { return Self.isFile(program) ? nil : "there is no file \"\(program)\"" }
        guard Self.programs(program).isEmpty else { return nil }
        let instead =
            Self.isFile(program)
            ? ". For the file in this folder write ./\(program)" : Self.allPrograms.suggestion(for: program)
        return "PATH has no program \"\(program)\"\(instead)"
    }

    /// What to write instead, for a program that did not start; nil if the words do not show it.
    var advice: String? {
        let program = words[0]
        if program.contains("/"), Self.isFile(program), !FileManager.default.isExecutableFile(atPath: program)
        {
            return "The file is not executable. Make it so with chmod +x, or begin with its interpreter"
        }
        guard isForShell else { return nil }
        return "No shell reads this line. To use one, write sh -c and then one word in quotes"
    }

    private var isForShell: Bool {
        words[0].contains("=")
            || words.contains { word in
                word.first.map { "|&;<>$~".contains($0) } ?? false || word.hasSuffix(";")
            }
    }

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    /// The files that the command line names: programs in `PATH`, and words or values after an equals sign.
    ///
    /// A word may be a command line itself, as after `sh -c`.
    package var files: [String] {
        let nested = words.flatMap { ShellWord.words(of: $0) ?? [] }
        var files: [String] = []
        for word in words + nested {
            let value = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
            let paths = [word, value].compactMap { $0 } + Self.programs(word)
            if let path = paths.first(where: { FileStamp(path: $0) != nil }), !files.contains(path) {
                files.append(path)
            }
        }
        return files
    }

    /// Where a program called `word` may be.
    private static func programs(_ word: String) -> [String] {
        guard !word.isEmpty, !word.contains("/") else { return [] }
        return programFolders.map { "\($0)/\(word)" }.filter(FileManager.default.isExecutableFile(atPath:))
    }

    private static var programFolders: [String] {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(
            String.init)
    }

    private static var allPrograms: Set<String> {
        Set(programFolders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] })
    }
}
