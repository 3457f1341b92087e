import Evaluation
import Foundation
import Studies
import SystemIO

/// Writes minimised cases.
package enum MinimisedWriter {
    /// Writes `minimised.csv`, `commands.tsv` and `minimised.html` into `folder`, each whole or not at all.
    ///
    /// - Parameters:
    ///   - facts: the run that the trials failed in.
    ///   - command: the words of the command that puts a query to the matcher of the request.
    package static func write(
        _ cases: [MinimisedCase], facts: RunFacts, to folder: String,
        command words: @escaping @Sendable (DegradedQuery, RunRequest) -> [String]
    ) throws {
        let command: MinimisedTables.Command = { words($0, $1).map(ShellWord.quoted).joined(separator: " ") }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("minimised.csv", MinimisedTables.cases(cases, command)),
            ("commands.tsv", MinimisedTables.commands(cases, command)),
            ("minimised.html", try MinimisedPage.html(cases, facts: facts, command: command)),
        ] {
            try AtomicFile.write(text, to: "\(folder)/\(name)")
        }
    }
}
