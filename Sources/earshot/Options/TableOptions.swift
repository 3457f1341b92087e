import ArgumentParser
import Reporting
import SystemIO

/// The option that chooses the form of a table.
struct TableOptions: ParsableArguments {
    @Flag(help: "Print Markdown.")
    var markdown = false

    /// Prints a table: aligned on a terminal, with tabs elsewhere, or as Markdown.
    func print(_ head: [String], _ rows: [[String]], flushRight: Set<Int> = []) throws {
        let lines =
            if markdown {
                TableText.markdown(head, rows)
            } else if StandardOutput.isTerminal {
                TableText.aligned([head] + rows, flushRight: flushRight).flatMap {
                    TableText.folded(VisibleText.field($0), columns: StandardOutput.columns)
                }
            } else {
                ([head] + rows).map { $0.joined(separator: "\t") }
            }
        for (number, line) in lines.enumerated() {
            let isHead = number == 0 && !markdown && StandardOutput.isTerminal
            try StandardOutput.print(isHead ? Ink.bold(line) : line)
        }
    }
}
