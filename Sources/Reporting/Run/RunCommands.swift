import Evaluation

/// The commands that a report prints, as the program that writes it spells them.
package struct RunCommands: Sendable {
    /// Writes the query of a trial to a folder.
    package var writeQuery: @Sendable (_ trial: String) -> String
    /// Puts a trial to the matcher; the trial's name follows as one shell word.
    package var tryTrial: String
    /// The options that choose the matcher.
    package var matcher: String

    package init(
        writeQuery: @escaping @Sendable (_ trial: String) -> String, tryTrial: String, matcher: String
    ) {
        self.writeQuery = writeQuery
        self.tryTrial = tryTrial
        self.matcher = matcher
    }

    /// Prints the names of trials only.
    package static let none = RunCommands(writeQuery: ShellWord.quoted, tryTrial: "", matcher: "")
}
