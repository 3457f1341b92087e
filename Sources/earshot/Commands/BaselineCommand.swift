import ArgumentParser
import Evaluation
import Foundation

struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline", abstract: "Record the runs that a gate compares others with.",
        subcommands: [Accept.self])

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a run the baseline: write a JSON file whose difference can be reviewed.",
            discussion:
                "A line of the file is a cell, a character in it a trial. Commit it with the change it records."
        )

        @Argument(help: "The folder of the run.")
        var folder: String

        @Option(help: "The baseline's name in Reports/baselines, or the path of a JSON file.")
        var name: String

        func run() throws {
            let marked = try RunFolder(existing: folder).markedRun()
            let path = ReportFiles.path(of: name, in: "baselines", extension: "json")
            if FileManager.default.fileExists(atPath: path) {
                try show(marked, against: Baseline(path: path))
            }
            try FileManager.default.createDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
                withIntermediateDirectories: true)
            try Baseline(marked).write(to: path)
            try StandardOutput.print(
                "\(path): \(marked.trials.count) trials of \(marked.cells.count) cells; read the difference before committing it"
            )
        }

        private func show(_ run: MarkedRun, against baseline: Baseline) throws {
            guard run.identity.panelDigest == baseline.identity.panelDigest else {
                try StandardOutput.print("the baseline there is of other trials and is replaced")
                return
            }
            for cell in try PairedRun(run, baseline: baseline).cells {
                let changed = cell.pairs.filter { $0.before?.character != $0.now.mark.character }
                guard !changed.isEmpty else { continue }
                let marks = changed.map { "\($0.before?.character ?? "?")\($0.now.mark.character)" }
                let counts = Dictionary(grouping: marks) { $0 }.mapValues(\.count).sorted { $0.key < $1.key }
                let changes = counts.map { "\($0.value) × \($0.key.prefix(1)) → \($0.key.suffix(1))" }
                try StandardOutput.print("\(cell.cell.key.words): \(changes.joined(separator: ", "))")
            }
        }
    }
}
