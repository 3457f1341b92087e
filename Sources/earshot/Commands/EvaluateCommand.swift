import ArgumentParser
import Evaluation
import Foundation
import Reporting

/// `earshot evaluate`: runs a plan and writes its report.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Run a plan: degraded queries from real recordings, through a matcher, to a report.",
        discussion: """
            A run that was broken off goes on where it stopped; a finished one is only reported again, \
            unless --fresh. The last line on standard output is the report's path.
            """)

    @OptionGroup var options: PlanOptions

    @OptionGroup var choice: MatcherOptions

    @Option(help: "The number of threads; figures other than latency do not depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help:
            "The folder for the run; by default one under Reports/runs named after plan, corpus and matcher.")
    var output: String?

    @Flag(inversion: .prefixedNo, help: "Use what earlier runs found out, and keep what this one does.")
    var cache = true

    @Option(
        help: "Keep at most this many gigabytes of rendered queries, those least recently used going first.")
    var cacheGigabytes = 4.0

    @OptionGroup var doubts: SuspectOptions

    @Flag(help: "Forget what an earlier run of the same plan and matcher stored here.")
    var fresh = false

    func validate() throws {
        if !(0...1e6).contains(cacheGigabytes) {
            throw ValidationError("--cache-gigabytes \(cacheGigabytes) is not in 0...1000000")
        }
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
    }

    func run() throws {
        let contestant = try choice.contestant()
        let (plan, material, library) = try options.open()
        let corpus = plan.corpus
        let key = TrialStore.RunKey(plan: plan.digest, matcher: try contestant.digest())
        let folder = output ?? "Reports/runs/" + defaultName(plan, contestant, key)
        let runFolder = try RunFolder(path: folder)
        if fresh { try runFolder.store.forget(key) }
        let known = try runFolder.store.finishedTrials(of: key).count
        if known > 0 {
            StandardError.print("\(known) trials are in \(folder) already; --fresh measures them again")
        }
        StandardError.print(
            "seed \(plan.seed), \(plan.trials.count) trials, \(plan.references(leavingOut: nil).count) references"
        )

        let cache =
            try cache
            ? TrialCache(
                folder: library.cacheFolder + "/evaluation", archiveBytes: Int(cacheGigabytes * 1e9)) : nil
        let display = ProgressDisplay()
        let run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: jobs, folder: folder,
            cache: cache, progress: display.show(_:done:of:))
        let start = try RunFacts(
            plan: plan, corpus: corpus, contestant: contestant, key: key, jobs: jobs,
            commandLine: options.commandLine, notes: plan.notes(material: material))
        let facts = try run.run(store: runFolder.store, key: key, facts: start)

        let model = ReportModel(
            records: try runFolder.store.records(of: key), facts: facts,
            suspects: try doubts.list(corpus: corpus.name, recipeFolder: options.corpora))
        try ReportWriter.write(model, to: folder)
        print(SummaryTable.text(model))
        print("\(folder)/report.html")
    }

    private func defaultName(_ plan: Plan, _ contestant: Contestant, _ key: TrialStore.RunKey) -> String {
        let name = [plan.file.name, plan.corpus.name, contestant.name, String(plan.digest.prefix(8))]
        return (name + (contestant.chosen.isEmpty ? [] : [String(key.matcher.prefix(8))]))
            .joined(separator: "-")
    }
}
