import ArgumentParser
import Evaluation
import Reporting

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare runs with the first run, trial by trial",
        discussion: """
            Prints the difference of each cell, and the trials that only one run answers rightly. With --output, also \
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
            let run = try RunFolder(reading: folder).onlyRun()
            return (records: run.records, facts: run.facts, folder: folder)
        }
        for (number, run) in runs.enumerated().dropFirst() {
            let comparison = try RunComparison(first: runs[0], second: run)
            let report = ComparisonReport(
                comparison, names: [folders[0], folders[number]], facts: [runs[0].facts, run.facts],
                number: number, folder: output)
            try StandardOutput.print(
                markdown ? report.markdown : report.summary(columns: StandardOutput.columns))
            if let output { try StandardOutput.print(report.write(to: output)) }
        }
    }
}
