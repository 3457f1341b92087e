import ArgumentParser
import Corpora
import Evaluation
import Foundation
import Matchers

/// The options of every study and run: the matcher, the number of threads, the folder for results.
struct StudyOptions: ParsableArguments {
    @OptionGroup var choice: MatcherOptions
    @OptionGroup var threads: ThreadOptions
    @OptionGroup var results: ResultOptions
    @OptionGroup var decoding: SandboxOptions

    var jobs: Int { threads.count }
    var output: String? { results.output }

    /// Begins or resumes a study in a folder, and shows its progress.
    func run(
        _ study: some Study, _ origin: Provenance, in folder: String, shard: Shard? = nil,
        isFresh: Bool = false
    ) throws -> StudyRun {
        try StudyRun(
            of: study, in: folder, origin: origin, shard: shard, isFresh: isFresh, jobs: jobs,
            progress: ProgressDisplay().show)
    }
}

/// A command that measures a matcher.
protocol StudyCommand: DecodingCommand {
    var work: StudyOptions { get }
}

extension StudyCommand {
    var decoding: SandboxOptions { work.decoding }
}

extension Provenance {
    /// That of a study whose plan file has a design.
    init<Design>(
        _ plan: StudyPlan<Design>, of corpus: Corpus, by contestant: Contestant, _ request: RunRequest
    ) throws {
        self.init(
            matcher: try .init(contestant), planName: plan.head.name, planDigest: plan.head.digest,
            request: request, corpusName: corpus.name, corpusDigest: corpus.lockDigest, half: plan.head.half,
            seed: plan.head.seed)
    }
}

/// The option of the number of threads.
struct ThreadOptions: ParsableArguments {
    @Option(
        name: .customLong("jobs"),
        help: "The number of threads, which changes only times. (default: one for each processor)")
    var chosen: Int?

    func validate() throws { try require("--jobs", chosen, in: 1...4096) }

    var count: Int { chosen ?? ProcessInfo.processInfo.activeProcessorCount }
}

/// The option of the folder for results.
struct ResultOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The folder for results. (default: one in Reports/runs; `tune` and `minimise` have none)",
        completion: .directory)
    var output: String?
}

/// The option of commands that write files to a folder of any name.
struct FolderOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The folder to write to. It is made if it does not exist.",
        completion: .directory)
    var output: String
}

/// The options of commands that write the signature and the media items of each reference.
struct ExportOptions: ParsableArguments {
    @OptionGroup var target: FolderOptions
    @Flag(help: "Replace tables with other content, and files of another kind.")
    var force = false
    @Flag(name: .shortAndLong, help: "List the files.")
    var verbose = false
    @OptionGroup var batch: BatchOptions

    var output: String { target.output }

    func note(_ file: String) { if verbose { StandardError.print(file) } }
}

/// The option that starts over.
struct ResumeOptions: ParsableArguments {
    @Flag(help: "Remove the earlier results of the same run from the folder, and start over.")
    var fresh = false
}

/// The options of runs that may have failed trials.
struct RetryOptions: ParsableArguments {
    @OptionGroup var resume: ResumeOptions
    @Flag(help: "Run the failed trials of an earlier run again.")
    var retryErrors = false

    var fresh: Bool { resume.fresh }
}

/// The option that runs a share, on one of several machines.
struct ShardOptions: ParsableArguments {
    @Option(
        help: "Run only this share, such as 3/8 for the third of eight. `earshot merge` combines all shares.")
    var shard: Shard?
}

extension Shard: ExpressibleByArgument {}
