import Evaluation
import Studies

/// `minimised.csv` and `commands.tsv`: minimised cases as tables.
enum MinimisedTables {
    /// The command that puts a query to the matcher of a request.
    typealias Command = @Sendable (DegradedQuery, RunRequest) -> String

    /// One row a case.
    static func cases(_ cases: [MinimisedCase], _ command: @escaping Command) -> String {
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
            Column("command", text: { command($0.minimal, $0.request) }),
        ]
        return CSVTable(columns: columns).text(cases)
    }

    /// A line a command: the exit code it shall have, the trial, what is easier (nothing for the case itself), the command.
    ///
    /// What cannot be made has exit code 1. Fields are separated by tabs; none holds a tab or a line break.
    static func commands(_ cases: [MinimisedCase], _ command: Command) -> String {
        cases.flatMap { one in
            [line(2, one.trialID, "", command(one.minimal, one.request))]
                + one.stepsLess.map { step in
                    line(
                        step.verdict == .holds ? 0 : 1, one.trialID, step.change,
                        command(step.cut, one.request))
                }
        }.map { $0 + "\n" }.joined()
    }

    private static func line(_ status: Int, _ trial: String, _ change: String, _ command: String) -> String {
        [String(status), trial, change, command]
            .map { $0.replacing("\t", with: " ").replacing("\n", with: " ") }.joined(separator: "\t")
    }
}
