import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Reporting
import Studies

struct FrontierCommand: ParsableCommand, ResumableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frontier",
        abstract: "Find the severity at which each query is lost, along axes of degradation",
        discussion: """
            Scans each axis coarsely, then bisects every change between found and lost. A hole is a severity that \
            loses a query which a worse severity finds. An interrupted search resumes. The last line on standard \
            output is the report's path.
            """)

    @Option(help: "A plan of axes in Corpora/Plans, or the path of a YAML file.")
    var plan = "frontier"
    @OptionGroup var drawn: CorpusOptions
    @OptionGroup var recorded: RecordedOptions
    @Option(help: "Positive queries along each axis, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Search along this axis of the plan only; may be repeated.")
    var axis: [String] = []
    @OptionGroup var work: StudyOptions

    var decoding: SandboxOptions { work.decoding }

    func validate() throws {
        try reject(
            if: recorded.queries != nil && drawn.corpus != nil, "--queries and --corpus exclude each other")
        try require("--positives", positives, in: FrontierFile.queryCounts)
    }

    func run() throws {
        let request = RunRequest(
            plan: plan, recorded: recorded.recorded, corpus: drawn.corpus, half: drawn.half,
            seed: drawn.seed, queries: positives, axes: axis, recipeFolder: drawn.recipes.corpora,
            matcher: work.choice.request)
        let contestant = try request.matcher.contestant()
        let (plan, material) = try request.openFrontier(in: drawn.recipes.library())
        let path = try plan.base.corpus.resultFolder(
            work.output, plan.file.name, plan.base.corpus.name, contestant.name, "\(plan.digest.prefix(8))")
        let facts = try RunFacts(
            plan: plan.base, matcher: .init(contestant), jobs: work.jobs, request: request, notes: [])
        let search = FrontierRun(plan: plan, material: material, contestant: contestant, facts: facts)
        let run = try StudyRun(
            of: search, in: path, origin: facts.provenance, jobs: work.jobs,
            progress: ProgressDisplay().show(_:done:of:))
        try FrontierReport(search.run(in: run, note: StandardError.print)).publish(to: path)
    }
}
