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
            "The folder for the run; by default one under Reports/runs named after plan, corpus and matcher.")
    var output: String?

    @Option(
        help:
            "Run only this share of the trials: 3/8 is the third of eight. Each has as many of every cell as the others."
    )
    var shard: Shard?

    @OptionGroup var caching: CacheOptions

    @OptionGroup var detailOptions: DetailOptions

    @OptionGroup var doubts: SuspectOptions

    @OptionGroup var comparison: BaselineOptions

    @Flag(help: "Forget what an earlier run of the same plan and matcher stored here.")
    var fresh = false

    func validate() throws {
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
    }

    func run() throws {
        let baseline = try comparison.open()
        let request = options.request(choice.request)
        let contestant = try choice.request.contestant()
        let opened = try request.open()
        let plan = opened.plan
        var run = try ContestantRun(
            opened, request: request, contestant: contestant, jobs: jobs,
            cache: caching.open(in: opened.library), progress: ProgressDisplay().show(_:done:of:))
        run.shard = shard
        run.details = detailOptions.details
        let folder = output ?? "Reports/runs/" + run.defaultName
        try plan.corpus.requireOutside(folder)
        StandardError.print(
            "seed \(plan.seed), \(trialsInWords(plan)), \(plan.references(leavingOut: nil).count) references"
        )
        let (runFolder, records, facts) = try run.run(
            in: folder, isFresh: fresh, resuming: Self.noteKnown(in: folder))

        var model = ReportModel(
            records: records, facts: facts,
            suspects: try doubts.list(corpus: plan.corpus.name, recipeFolder: options.corpora),
            commands: RunCommands(facts.request))
        model.against = try baseline?.compare(records, facts, folder: folder)
        model.shown = try detailOptions.shown(in: runFolder.store, run.key, of: model)
        try model.write(to: folder)
        try StandardOutput.print(SummaryTable.text(model))
        try StandardOutput.print("\(folder)/report.html")
    }

    /// Tells how many trials a run folder holds already.
    static func noteKnown(in folder: String) -> (Int) -> Void {
        {
            StandardError.print(
                "\($0.counting("trial is", "trials are")) in \(folder) already; --fresh measures again")
        }
    }

    private func trialsInWords(_ plan: Plan) -> String {
        guard let shard else { return plan.trials.count.counting("trial") }
        return "shard \(shard): \(shard.size(of: plan.trials.count)) of \(plan.trials.count) trials"
    }
}

extension Shard: ExpressibleByArgument {}
