import ArgumentParser
import Evaluation
import Foundation
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

    @OptionGroup var detailOptions: DetailOptions

    @OptionGroup var doubts: SuspectOptions

    func run() throws {
        if let first = shards.first, StudyFolder.isOne(first) { return try mergeStudy() }
        let set = try ShardSet(folders: shards)
        for text in set.warnings { StandardError.print("Warning: \(text)") }
        for text in set.remarks { StandardError.print(text) }
        let staged = try StagedFolder(for: output)
        let model = try merge(set, in: staged.path)
        try model.write(to: staged.path)
        try staged.publish()
        try StandardOutput.print(SummaryTable.text(model))
        try StandardOutput.print("\(output)/report.html")
    }

    private func mergeStudy() throws {
        let staged = try StagedFolder(for: output)
        let study = try merged(in: staged.path)
        let page = try study.report.write(to: staged.path)
        try staged.publish()
        try StandardOutput.print(study.summary)
        try StandardOutput.print(output + page.dropFirst(staged.path.count))
    }

    /// The folder is closed on return.
    private func merged(in path: String) throws -> StoredStudy {
        let folder = try StudyFolder(path: path, isLocked: true)
        try folder.merge(shards)
        return try StoredStudy(folder)
    }

    /// The store is closed on return.
    private func merge(_ set: ShardSet, in folder: String) throws -> ReportModel {
        let store = try TrialStore(path: folder + "/" + RunFolder.storeName)
        let (key, facts) = try set.merge(into: store, progress: ProgressDisplay().show(_:done:of:))
        var model = ReportModel(
            records: try store.records(of: key), facts: facts,
            suspects: try doubts.list(corpus: facts.corpusName, recipeFolder: nil),
            commands: RunCommands(facts.request))
        model.shown = try detailOptions.shown(in: store, key, of: model)
        return model
    }
}
