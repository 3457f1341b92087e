import ArgumentParser
import Evaluation
import Foundation
import SystemIO

struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline", abstract: "Record the runs that a gate compares others with",
        subcommands: [Accept.self])

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a run the baseline, in a JSON file that can be reviewed",
            discussion:
                "Each line of the file is a cell, each character a trial. Commit it with the change it records. "
                + "A first baseline must find most clean queries, or the exit code is 5."
        )

        @Argument(help: "The folder of the run.")
        var folder: String
        @Option(help: "The baseline's name in Reports/baselines, or the path of a JSON file.")
        var name: String
        @Flag(help: "Record a first baseline even if it misses most clean queries.")
        var anyway = false

        func run() throws {
            let run = try RunFolder(reading: folder).scoredRun()
            let path = ReportFile(name, in: "baselines", extension: "json").path
            if FileManager.default.fileExists(atPath: path) {
                do {
                    for line in try Baseline(path: path).changes(to: run) { try StandardOutput.print(line) }
                } catch let error as GateError where error.kind == .earlierFormat {
                    try StandardOutput.print("the baseline there is of an earlier format and is replaced")
                }
            } else if !anyway {
                try FirstBaseline(run).require(remedy: ". To record it all the same, add --anyway")
            }
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Baseline(run).write(to: path)
            try StandardOutput.print(
                "\(path): \(run.trials.count.counting("trial")) of \(run.cells.count.counting("cell")); "
                    + "read the difference before committing it")
        }
    }
}

extension FirstBaseline {
    /// Ends with exit code 5 if the run is no first baseline.
    func require(remedy: String = "") throws {
        guard let refusal else { return }
        StandardError.print("Error: \(refusal)\(remedy)")
        throw ExitCode(.noBaseline)
    }
}
