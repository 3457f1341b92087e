import ArgumentParser
import Evaluation
import Foundation
import Matchers
import Reporting

/// `earshot evaluate`: runs a plan and writes its report.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Run a plan: degraded queries from real recordings, through a matcher, to a report.",
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
        let contestant = try choice.contestant()
        let (plan, material, library) = try options.open()
        let key = TrialStore.RunKey(plan: plan.digest, matcher: try contestant.digest())
        let folder = output ?? "Reports/runs/" + defaultName(plan, contestant, key)
        try plan.corpus.keepOut(folder)
        StandardError.print(
            "seed \(plan.seed), \(trialsInWords(plan)), \(plan.references(leavingOut: nil).count) references"
        )
        let cache = try caching.open(in: library)
        let run = ContestantRun(
            plan: plan, material: material, contestant: contestant, jobs: jobs, shard: shard, cache: cache,
            details: detailOptions.details, planArguments: options.commandLine,
            matcherArguments: choice.arguments)
        let (runFolder, records, facts) = try run.run(in: folder, key: key, isFresh: fresh)

        var model = ReportModel(
            records: records, facts: facts,
            suspects: try doubts.list(corpus: plan.corpus.name, recipeFolder: options.corpora))
        model.against = try baseline?.compare(records, facts, folder: folder)
        model.shown = try detailOptions.shown(in: runFolder.store, key, of: model)
        try model.write(to: folder)
        print(SummaryTable.text(model))
        print("\(folder)/report.html")
    }

    private func defaultName(_ plan: Plan, _ contestant: Contestant, _ key: TrialStore.RunKey) -> String {
        let name = [plan.file.name, plan.corpus.name, contestant.name, String(plan.digest.prefix(8))]
        let share = shard.map { ["shard-\($0.number)-of-\($0.count)"] } ?? []
        let isUsual = contestant.chosen.isEmpty && choice.matcherCommand == nil
        return (name + (isUsual ? [] : [String(key.matcher.prefix(8))]) + share).joined(separator: "-")
    }

    private func trialsInWords(_ plan: Plan) -> String {
        guard let shard else { return "\(plan.trials.count) trials" }
        return "shard \(shard): \(shard.size(of: plan.trials.count)) of \(plan.trials.count) trials"
    }
}

extension Shard: ExpressibleByArgument {}
