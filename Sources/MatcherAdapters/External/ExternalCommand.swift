import Evaluation
import Foundation
import SystemIO

/// The command line of an adapter, split like a POSIX shell, without expansion.
package struct ExternalCommand: Hashable, Sendable {
    package let text: String
    package let words: [String]

    /// Splits `text`.
    ///
    /// - Throws: ``ExternalMatcherError`` when there is no word, or a quote is not closed.
    package init(_ text: String) throws {
        guard let words = ShellWord.words(of: text), !words.isEmpty else {
            throw ExternalMatcherError(
                "'\(VisibleText.quoted(text))' is no command line: a word is missing, or the end of a quotation"
            )
        }
        self.text = text
        self.words = words
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
    /// A path is a word with a slash that names a file or folder, or such a value after an equals sign.
    var resolvedWords: [String] {
        words.map { word in
            let start = word.firstIndex(of: "=").map { word.index(after: $0) } ?? word.startIndex
            for begin in [word.startIndex, start] {
                let path = String(word[begin...])
                if path.contains("/"), !path.hasPrefix("/"), FileManager.default.fileExists(atPath: path) {
                    return word[..<begin] + FileManager.default.currentDirectoryPath + "/" + path
                }
            }
            return word
        }
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
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(word)" }
            .filter { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
