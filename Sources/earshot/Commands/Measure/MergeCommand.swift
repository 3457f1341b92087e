import ArgumentParser
import Evaluation
import Reporting

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Put the shards of a run together into one run folder, with its report",
        discussion: """
            Takes the folders that `evaluate`, `streams` or `intros` wrote with --shard i/n, in any order. The result \
            equals that of one machine of the same type of processor, except for latency. A shard that is missing, \
            unfinished or of another run is an error. The error says what to do. A shard may be given twice if both \
            agree; otherwise an error names the trial. The output appears whole or not at all.
            """)

    @Argument(help: "The folders of all shards.")
    var shards: [String]
    @Option(
        name: .shortAndLong, help: "The run folder to make. It must not exist, or be empty.",
        completion: .directory)
    var output: String
    @OptionGroup var reporting: ReportOptions

    func run() throws {
        let set = try ShardSet(folders: shards)
        set.warnings.forEach(StandardError.warn)
        for text in set.remarks { StandardError.print(text) }
        let staged = try StagedFolder(for: output)
        let report = try merge(set, in: staged.path)
        let page = try report.write(to: staged.path)
        try staged.publish()
        try StandardOutput.print(report.summary)
        try StandardOutput.print(output + page.dropFirst(staged.path.count))
    }

    /// The store is closed on return.
    private func merge(_ set: ShardSet, in path: String) throws -> any Report {
        let folder = try RunFolder(locked: path)
        let (key, facts) = try set.merge(into: folder.store, progress: ProgressDisplay().show)
        if try folder.holdsStudies {
            try allow(only: ["--output"], "with shards of a study")
            return try folder.studyReport()
        }
        return try reporting.model(
            of: FinishedRun(folder.store, key, facts, folder: folder.path), folder.store.records(of: key))
    }
}
