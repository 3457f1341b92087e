import ArgumentParser
import Evaluation
import Reporting

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare runs with the first run, trial by trial",
        discussion: """
            Prints the difference of each cell, the trials that only one run answers rightly, and why the other lost them. With --output, also \
            writes Markdown, a CSV file of all cells and an HTML page. The exit code is 5 if the runs have different \
            queries.
            """
    )

    @Argument(help: "The folders of two or more runs.", completion: .directory)
    var folders: [String]
    @Option(
        name: .shortAndLong,
        help:
            "The folder for compare-N.md, compare-N.csv and compare-N.html. N is the number of the run.",
        completion: .directory)
    var output: String?
    @Flag(help: "Print Markdown, with the names of the trials that differ.")
    var markdown = false

    func validate() throws {
        try reject(if: folders.count < 2, "two or more run folders are needed")
        try reject(if: Set(folders).count < folders.count, "a run is named twice")
    }

    func run() throws {
        let runs = try folders.map { folder in
            let opened = try RunFolder(reading: folder)
            let run = try opened.onlyRun()
            return (
                run: (records: run.records, facts: run.facts, folder: folder),
                explanations: try opened.explanations()
            )
        }
        for (number, run) in runs.enumerated().dropFirst() {
            let comparison = try RunComparison(
                first: runs[0].run, second: run.run, explanations: (runs[0].explanations, run.explanations))
            let report = ComparisonReport(
                comparison, names: [folders[0], folders[number]], facts: [runs[0].run.facts, run.run.facts],
                number: number, folder: output)
            try StandardOutput.print(
                markdown ? report.markdown : report.summary(columns: StandardOutput.columns))
            if let output { try StandardOutput.print(report.write(to: output)) }
        }
    }
}
