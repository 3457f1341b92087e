import ArgumentParser
import Evaluation
import MatcherAdapters
import Reporting
import SystemIO

struct EvaluateCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure a matcher with degraded queries of real recordings, and write a report",
        discussion: """
            A plan lists the queries: recordings, degradations and query lengths. `earshot plan list` shows all plans. \
            --folder measures recordings of your own. The same command resumes an interrupted run, and writes the \
            report of a finished run again. The last line on standard output is the path of the report.

            --shard i/n runs one of n shares, for example on one of several machines. `earshot merge` combines the \
            folders of all shares.

            If this machine lacks an encoder, some conditions are not measured and the exit code is 69. Without \
            the corpus it is 69 too, and there is no report.
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var work: StudyOptions
    @OptionGroup var share: ShardOptions
    @OptionGroup var caching: CacheOptions
    @OptionGroup var reporting: ReportOptions
    @OptionGroup var comparison: BaselineOptions
    @OptionGroup var retry: RetryOptions
    @OptionGroup var exam: ExamOptions
    @Flag(
        help: ArgumentHelp(
            "Print the number of queries, the estimated time and the losses that a gate would find; measure nothing.",
            discussion: "Losses are those of recall and of other figures that the rules of --rules judge."))
    var dryRun = false
    @Option(
        help: ArgumentHelp(
            "The form of progress on standard error.",
            discussion: "json is an object a line: stage, done, total, and seconds since the stage began."))
    var progress = ProgressForm.text
    @Option(
        help: ArgumentHelp(
            "Time the queries of the latency sample in this many passes.",
            discussion: "A higher number adds passes to a finished run. Two programs can so take turns.")
    )
    var latencyPasses = 1
    @Flag(
        help: ArgumentHelp(
            "Ask some queries again, unchanged and as fresh cuts from a random seed.",
            discussion:
                "A matcher that knows the queries or keeps answers finds fewer fresh ones, or takes longer for them."
        ))
    var checkMemory = false

    func validate() throws {
        try require("--latency-passes", latencyPasses, in: 1...1000)
        if !dryRun { try require(["--rules"], with: "--baseline") }
    }

    func run() throws {
        let baseline = try comparison.open()
        let ledger = try exam.ledger()
        let (request, library) = try options.started(work.choice.request(), exam: ledger)
        let contestant = try request.matcher.contestant()
        // Opened first: what is wrong with the cache is said before the work.
        let cache = try caching.open(in: library)
        let opened = try request.open(noting: library)
        var run = try ContestantRun(
            opened, request: request, contestant: contestant, jobs: work.jobs,
            cache: cache, progress: ProgressDisplay(progress).show(_:done:of:))
        run.shard = share.shard
        run.details = reporting.details ?? TrialChoice.firstCount
        run.latencyPasses = latencyPasses
        run.exam = ledger
        if checkMemory { run.memorySeed = .random(in: 0...UInt64(Int.max)) }
        let folder = try opened.plan.corpus.resultFolder(work.output, run.defaultName)
        announce(opened.plan)
        if dryRun { return try printSize(of: opened.plan, contestant.name, folder: folder) }
        let (finished, records) = try run.noted(
            in: folder, isFresh: retry.fresh, retriesErrors: retry.retryErrors)
        let model = try reporting.model(
            of: finished, records, recipeFolder: options.recipes.corpora, against: baseline)
        try model.publish(to: folder)
        if model.everyTrialFailed { throw ExitCode(1) }
        if !opened.plan.absences.isEmpty { throw ExitCode(.unavailable) }
    }

    private func printSize(of plan: Plan, _ matcher: String, folder: String) throws {
        let count = share.shard?.size(of: plan.trials.count) ?? plan.trials.count
        let minutes = PlanSummary.minutes(forQueries: count, processors: work.jobs)
        let threads = work.jobs.counting("thread")
        try StandardOutput.print(
            """
            \(count.counting("query", "queries")) in \(plan.cellCount.counting("condition")), by \(matcher)
            about \(MinutesText.of(minutes)) minutes on \(threads), as long as the matcher is as fast as the built-in one
            into \(folder)
            """)
        for note in try GatePower(comparison.gateRules(), plan: plan).notes { try StandardOutput.print(note) }
    }

    private func announce(_ plan: Plan) {
        let count = plan.trials.count
        let share = share.shard.map { "shard \($0): \($0.size(of: count)) of \(count) trials" }
        StandardError.print(
            "seed \(plan.seed), \(share ?? count.counting("trial")), "
                + "\(plan.references(leavingOut: nil).count) references")
        for absence in plan.absences { StandardError.warn("\(absence); its conditions are not offered") }
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
