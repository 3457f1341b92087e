import Evaluation
import Studies

/// `minimised.csv` and `commands.tsv`: minimised cases as tables.
enum MinimisedTables {
    /// One row a case.
    static func cases(_ cases: [MinimisedCase]) -> String {
        typealias Column = CSVTable<MinimisedCase>.Column
        let columns: [Column] = [
            Column("trial", text: \.trialID),
            Column("track", text: \.original.track),
            Column("start_seconds", number: \.original.startSeconds),
            Column("original_outcome", text: \.originalOutcome),
            Column("original_length_seconds", number: \.original.lengthSeconds),
            Column("original_chain", text: \.original.chain.json),
            Column("outcome", text: \.outcome),
            Column("length_seconds", number: \.minimal.lengthSeconds),
            Column("chain", text: \.minimal.chain.json),
            Column("answer", text: \.answer),
            Column("score", number: \.score),
            Column("steps_less", count: \.stepsLess.count),
            Column("steps_less_failing", count: { $0.stepsLess.count { $0.verdict == .fails } }),
            Column("steps_less_void", count: { $0.stepsLess.count { $0.verdict == .void } }),
            Column("runs", count: \.runs),
            Column("command", text: { command($0.arguments) }),
        ]
        return CSVTable(columns: columns).text(cases)
    }

    /// A line a command: the exit code it shall have, the trial, what is easier (nothing for the case itself), the command.
    ///
    /// What cannot be made has exit code 1. Fields are separated by tabs; none holds a tab or a line break.
    static func commands(_ cases: [MinimisedCase]) -> String {
        cases.flatMap { one in
            [line(2, one.trialID, "", one.arguments)]
                + one.stepsLess.map { step in
                    line(step.verdict == .holds ? 0 : 1, one.trialID, step.change, step.arguments)
                }
        }.map { $0 + "\n" }.joined()
    }

    /// A command as one would type it.
    static func command(_ arguments: [String]) -> String {
        (["earshot"] + arguments.map(ShellWord.quoted)).joined(separator: " ")
    }

    private static func line(_ status: Int, _ trial: String, _ change: String, _ arguments: [String])
        -> String
    {
        [String(status), trial, change, command(arguments)]
            .map { $0.replacing("\t", with: " ").replacing("\n", with: " ") }.joined(separator: "\t")
    }
}
