import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
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

    @Option(help: "Who is measured: \(Contestants.all.map(\.name).joined(separator: ", ")).")
    var matcher = "earshot"

    @Option(help: "The number of threads; figures other than latency do not depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help:
            "The folder for the run; by default one under Reports/runs named after plan, corpus and matcher.")
    var output: String?

    @Flag(help: "Forget what an earlier run of the same plan and matcher stored here.")
    var fresh = false

    func validate() throws {
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
        if Contestants.named(matcher) == nil {
            throw ValidationError("there is no matcher called '\(matcher)'")
        }
    }

    func run() throws {
        guard let contestant = Contestants.named(matcher) else { return }
        let (plan, material) = try options.open()
        let corpus = plan.corpus
        let folder =
            output ?? "Reports/runs/\(plan.file.name)-\(corpus.name)-\(matcher)-\(plan.digest.prefix(8))"
        let runFolder = try RunFolder(path: folder)
        let key = TrialStore.RunKey(plan: plan.digest, matcher: try contestant.digest())
        if fresh { try runFolder.store.forget(key) }
        let known = try runFolder.store.finishedTrials(of: key).count
        if known > 0 {
            StandardError.print("\(known) trials are in \(folder) already; --fresh measures them again")
        }
        StandardError.print(
            "seed \(plan.seed), \(plan.trials.count) trials, \(plan.references(leavingOut: nil).count) references"
        )

        let display = ProgressDisplay()
        let run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: jobs, folder: folder,
            progress: display.show(_:done:of:))
        let start = try RunFacts(
            plan: plan, corpus: corpus, contestant: contestant, key: key, jobs: jobs,
            commandLine: options.commandLine, notes: plan.notes(material: material))
        let facts = try run.run(store: runFolder.store, key: key, facts: start)

        let model = ReportModel(records: try runFolder.store.records(of: key), facts: facts)
        try ReportWriter.write(model, to: folder)
        print(SummaryTable.text(model))
        print("\(folder)/report.html")
    }
}
