import Evaluation
import Foundation
import Studies
import SystemIO

/// Writes minimised cases.
package enum MinimisedWriter {
    /// Writes `minimised.csv`, `commands.tsv` and `minimised.html` into `folder`, each whole or not at all.
    ///
    /// - Parameter facts: the run that the trials failed in.
    package static func write(_ cases: [MinimisedCase], facts: RunFacts, to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("minimised.csv", MinimisedTables.cases(cases)),
            ("commands.tsv", MinimisedTables.commands(cases)),
            ("minimised.html", try MinimisedPage.html(cases, facts: facts)),
        ] {
            try AtomicFile.write(text, to: "\(folder)/\(name)")
        }
    }
}
