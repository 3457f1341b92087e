import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct FrontierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frontier",
        abstract: "Find the severity at which each query is lost, along axes of degradation",
        discussion: """
            A coarse scan, then bisection of every change between found and lost; a severity at which a query is lost \
            though it is found at a worse one is a hole. A search that was broken off goes on where it stopped. The \
            last line on standard output is the report's path.
            """)

    @OptionGroup var options: FrontierOptions

    @OptionGroup var choice: MatcherOptions

    @Option(help: "The number of threads; no figure depends on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help: "The folder for answers and report; by default one under Reports/runs named after the search.")
    var output: String?

    func validate() throws {
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
    }

    func run() throws {
        let request = options.request(choice.request)
        let contestant = try request.matcher.contestant()
        let (plan, material) = try request.openFrontier(in: .standard(options.corpora))
        let key = TrialStore.RunKey(plan: plan.base.digest, matcher: try contestant.digest())
        let name = [plan.file.name, plan.file.corpus, contestant.name, String(key.plan.prefix(8))]
        let path = output ?? "Reports/runs/" + name.joined(separator: "-")
        try plan.base.corpus.requireOutside(path)
        let folder = try FrontierFolder(path: path)
        let known = try folder.store.finishedTrials(of: key).count
        if known > 0 { StandardError.print("\(known) answers are in \(folder.path) already") }
        StandardError.print(
            "seed \(plan.base.seed), \(plan.queryCount) queries along \(plan.file.axes.count) axes, "
                + "\(plan.base.references(leavingOut: nil).count) references")
        let display = ProgressDisplay()
        let search = FrontierRun(
            plan: plan, material: material, contestant: contestant, jobs: jobs,
            progress: display.show(_:done:of:))
        let start = try RunFacts(
            plan: plan.base, contestant: contestant, key: key, jobs: jobs,
            request: request, notes: [])
        let result = try search.run(store: folder.store, key: key, facts: start)
        let report = FrontierReport(result)
        let page = try report.write(to: folder.path)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
    }
}
