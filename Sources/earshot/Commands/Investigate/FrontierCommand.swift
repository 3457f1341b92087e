import ArgumentParser
import Corpora
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

    @Option(help: "A plan of axes in Corpora/Plans, or the path of a YAML file.")
    var plan = "frontier"
    @Option(help: "Take this corpus instead of the plan's.")
    var corpus: String?
    @Option(help: "Cut queries from the 'test' or the 'tuning' half instead of the plan's.")
    var half: CorpusHalf?
    @Option(help: "Draw everything from this seed instead of the plan's.")
    var seed: UInt64?
    @OptionGroup var recorded: RecordedOptions
    @Option(help: "Positive queries along each axis, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Search along this axis of the plan only; may be repeated.")
    var axis: [String] = []
    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The number of threads; no figure depends on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    @Option(
        help: "The folder for answers and report; by default one under Reports/runs named after the search.")
    var output: String?

    func validate() throws {
        try reject(
            if: recorded.queries != nil && corpus != nil, "--queries and --corpus exclude each other")
        try require("--positives", positives, in: FrontierFile.queryCounts)
        try requireJobs(jobs)
    }

    func run() throws {
        let request = RunRequest(
            plan: plan, recorded: recorded.recorded, corpus: corpus, half: half, seed: seed,
            queries: positives, axes: axis, recipeFolder: corpora, matcher: choice.request)
        let contestant = try request.matcher.contestant()
        let (plan, material) = try request.openFrontier(in: .standard(corpora))
        let path = try plan.base.corpus.resultFolder(
            output, plan.file.name, plan.base.corpus.name, contestant.name, "\(plan.digest.prefix(8))")
        let facts = try RunFacts(
            plan: plan.base, matcher: .init(contestant), jobs: jobs, request: request, notes: [])
        let search = FrontierRun(plan: plan, material: material, contestant: contestant, facts: facts)
        let run = try StudyRun(
            of: search, in: path, origin: facts.provenance, jobs: jobs,
            progress: ProgressDisplay().show(_:done:of:))
        try FrontierReport(search.run(in: run, note: StandardError.print)).publish(to: path)
    }
}
