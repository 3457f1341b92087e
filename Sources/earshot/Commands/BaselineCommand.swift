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
            abstract: "Make a run the baseline: write a JSON file whose difference can be reviewed",
            discussion:
                "A line of the file is a cell, a character in it a trial. Commit it with the change it records."
        )

        @Argument(help: "The folder of the run.")
        var folder: String

        @Option(help: "The baseline's name in Reports/baselines, or the path of a JSON file.")
        var name: String

        func run() throws {
            let scored = try RunFolder(existing: folder).scoredRun()
            let path = ReportFiles.path(of: name, in: "baselines", extension: "json")
            if FileManager.default.fileExists(atPath: path) {
                try show(scored, against: Baseline(path: path))
            }
            try FileManager.default.createDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
                withIntermediateDirectories: true)
            try Baseline(scored).write(to: path)
            try StandardOutput.print(
                "\(path): \(scored.trials.count.counting("trial")) of \(scored.cells.count.counting("cell")); "
                    + "read the difference before committing it")
        }

        private func show(_ run: ScoredRun, against baseline: Baseline) throws {
            guard run.identity.panelDigest == baseline.identity.panelDigest else {
                try StandardOutput.print("the baseline there is of other trials and is replaced")
                return
            }
            for cell in try PairedRun(run, baseline: baseline).cells {
                let changed = cell.pairs.filter { $0.before?.character != $0.now.result.character }
                guard !changed.isEmpty else { continue }
                let results = changed.map { "\($0.before?.character ?? "?")\($0.now.result.character)" }
                let counts = Dictionary(grouping: results) { $0 }.mapValues(\.count).sorted {
                    $0.key < $1.key
                }
                let changes = counts.map { "\($0.value) × \($0.key.prefix(1)) → \($0.key.suffix(1))" }
                try StandardOutput.print("\(cell.cell.key.words): \(changes.joined(separator: ", "))")
            }
        }
    }
}
