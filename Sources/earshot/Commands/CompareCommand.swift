import ArgumentParser
import Evaluation
import Foundation
import Reporting
import SystemIO

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract:
            "Set runs of the same trials beside the first: per cell, paired, with what each alone got right",
        discussion:
            "Prints Markdown. With --output it is written there too, with a CSV file of all cells and an HTML page."
    )

    @Argument(help: "The folders of two or more runs.")
    var folders: [String]

    @Option(
        help:
            "A folder for compare-N.md, compare-N.csv and compare-N.html, three files for each run after the first."
    )
    var output: String?

    func validate() throws {
        if folders.count < 2 { throw ValidationError("two or more run folders are needed") }
        if Set(folders).count < folders.count { throw ValidationError("a run is named twice") }
    }

    func run() throws {
        let runs = try folders.map { folder in
            let run = try RunFolder(existing: folder).onlyRun()
            return (records: run.records, facts: run.facts, folder: folder)
        }
        for (number, run) in runs.enumerated().dropFirst() {
            let comparison = try RunComparison(first: runs[0], second: run)
            let text = ComparisonText(comparison, names: [folders[0], folders[number]])
            try StandardOutput.print(text.markdown)
            guard let output else { continue }
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            try AtomicFile.write(text.markdown, to: "\(output)/compare-\(number).md")
            try AtomicFile.write(text.csv, to: "\(output)/compare-\(number).csv")
            try AtomicFile.write(try text.html, to: "\(output)/compare-\(number).html")
            try StandardOutput.print("\(output)/compare-\(number).html")
        }
    }
}
