import ArgumentParser
import Evaluation
import Reporting

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract:
            "Set runs of the same trials beside the first: per cell, paired, with what each alone got right",
        discussion:
            "With --output it is written there as Markdown, with a CSV file of all cells and an HTML page. "
            + "The exit code is 5 where runs have other queries."
    )

    @Argument(help: "The folders of two or more runs.", completion: .directory)
    var folders: [String]
    @Option(
        help:
            "A folder for compare-N.md, compare-N.csv and compare-N.html, three files for each run after the first.",
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
