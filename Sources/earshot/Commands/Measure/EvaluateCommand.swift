import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import SystemIO

struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Run a plan: degraded queries from real recordings, through a matcher, to a report",
        discussion: """
            A run that was broken off goes on where it stopped; a finished one is only reported again, \
            unless --fresh. The last line on standard output is the report's path.

            With --shard i/n only the i-th of n shares of the trials is run, on one of several machines, say; \
            `earshot merge` puts the folders of all shares together.
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The number of threads; figures other than latency do not depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    @Option(
        help:
            "The folder for the run; by default one under Reports/runs named after plan, corpus and matcher.",
        completion: .directory)
    var output: String?
    @Option(
        help:
            "Run only this share of the trials: 3/8 is the third of eight. Each has as many of every cell as the others."
    )
    var shard: Shard?
    @OptionGroup var caching: CacheOptions
    @OptionGroup var reporting: ReportOptions
    @OptionGroup var comparison: BaselineOptions
    @Flag(help: "Forget what an earlier run of the same plan and matcher stored here.")
    var fresh = false
    @Flag(help: "Ask the failed trials of an earlier run here again.")
    var retryErrors = false

    func validate() throws { try requireJobs(jobs) }

    func run() throws {
        let baseline = try comparison.open()
        let request = options.request(choice.request)
        let contestant = try request.matcher.contestant()
        // Opened first: what is wrong with the cache is said before the work.
        let cache = try caching.open(in: .standard(options.corpora))
        let opened = try request.open()
        var run = try ContestantRun(
            opened, request: request, contestant: contestant, jobs: jobs,
            cache: cache, progress: ProgressDisplay().show(_:done:of:))
        run.shard = shard
        run.details = reporting.details
        let folder = try opened.plan.corpus.resultFolder(output, run.defaultName)
        announce(opened.plan)
        let (finished, records) = try run.noted(in: folder, isFresh: fresh, retriesErrors: retryErrors)
        try reporting.model(of: finished, records, recipeFolder: options.corpora, against: baseline)
            .publish(to: folder)
    }

    private func announce(_ plan: Plan) {
        let count = plan.trials.count
        let share = shard.map { "shard \($0): \($0.size(of: count)) of \(count) trials" }
        StandardError.print(
            "seed \(plan.seed), \(share ?? count.counting("trial")), "
                + "\(plan.references(leavingOut: nil).count) references")
    }
}

extension ContestantRun {
    /// Runs what the folder does not hold yet, and says how much it holds.
    func noted(in folder: String, isFresh: Bool, retriesErrors: Bool) throws -> (FinishedRun, [TrialRecord]) {
        let (opened, records, facts) = try run(
            in: folder, isFresh: isFresh, retriesErrors: retriesErrors
        ) {
            StandardError.print(
                "\($0.counting("trial is", "trials are")) in \(folder) already; --fresh measures again")
        }
        return (FinishedRun(opened.store, key, facts, folder: folder), records)
    }
}
