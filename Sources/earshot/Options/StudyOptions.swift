import ArgumentParser
import Evaluation
import Foundation

/// The options of every study and run: the matcher, the number of threads, the folder for results.
struct StudyOptions: ParsableArguments {
    @OptionGroup var choice: MatcherOptions
    @OptionGroup var threads: ThreadOptions
    @OptionGroup var results: ResultOptions
    @OptionGroup var decoding: SandboxOptions

    var jobs: Int { threads.count }
    var output: String? { results.output }
}

/// The option of the number of threads.
struct ThreadOptions: ParsableArguments {
    @Option(
        name: .customLong("jobs"),
        help: "The number of threads. Only times depend on it. (default: one for each processor)")
    var chosen: Int?

    func validate() throws { try require("--jobs", chosen, in: 1...4096) }

    var count: Int { chosen ?? ProcessInfo.processInfo.activeProcessorCount }
}

/// The option of the folder for results.
struct ResultOptions: ParsableArguments {
    @Option(
        help: "The folder for results. Without it, one under Reports/runs; `tune` and `minimise` need it.",
        completion: .directory)
    var output: String?
}

/// The option of commands that write files to a folder of any name.
struct FolderOptions: ParsableArguments {
    @Option(help: "The folder to write to. It is made if it does not exist.", completion: .directory)
    var output: String
}

/// The option that starts over.
struct ResumeOptions: ParsableArguments {
    @Flag(help: "Start over: remove the results that the folder has of the same run or study.")
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
    @Option(help: "Run only this share: 3/8 is the third of eight. `earshot merge` combines them.")
    var shard: Shard?
}

extension Shard: ExpressibleByArgument {}
