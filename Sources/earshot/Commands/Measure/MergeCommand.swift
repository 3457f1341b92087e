import ArgumentParser
import Evaluation
import Reporting
import Studies

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Put the shards of a run together into one run folder, with its report",
        discussion: """
            Takes the folders that `evaluate`, `streams` or `intros` wrote with --shard i/n, in any order. But for latency the result is that \
            of one machine of the same type of processor. A shard that is missing, unfinished or of another run is an \
            error that says what to do. A shard may be given twice, as a task leaves that ran twice: where both agree \
            the first is taken, else the trial that differs is named. The output appears whole or not at all.
            """)

    @Argument(help: "The folders of all shards.")
    var shards: [String]
    @Option(help: "The run folder to make; it must not exist or be empty.")
    var output: String
    @OptionGroup var reporting: ReportOptions

    func run() throws {
        let set = try shards.first.map(StudyFolder.isOne) == true ? nil : ShardSet(folders: shards)
        for text in set?.warnings ?? [] { StandardError.print("Warning: \(text)") }
        for text in set?.remarks ?? [] { StandardError.print(text) }
        let staged = try StagedFolder(for: output)
        let report = try set.map { try merge($0, in: staged.path) } ?? mergeStudy(in: staged.path)
        let page = try report.write(to: staged.path)
        try staged.publish()
        try StandardOutput.print(report.summary)
        try StandardOutput.print(output + page.dropFirst(staged.path.count))
    }

    /// The folder is closed on return.
    private func mergeStudy(in path: String) throws -> any Report {
        let folder = try StudyFolder(path: path, isLocked: true)
        try folder.merge(shards)
        return try folder.storedReport()
    }

    /// The store is closed on return.
    private func merge(_ set: ShardSet, in folder: String) throws -> any Report {
        let store = try TrialStore(path: folder + "/" + RunFolder.storeName)
        let (key, facts) = try set.merge(into: store, progress: ProgressDisplay().show(_:done:of:))
        return try reporting.model(
            of: FinishedRun(store, key, facts, folder: folder), store.records(of: key))
    }
}
