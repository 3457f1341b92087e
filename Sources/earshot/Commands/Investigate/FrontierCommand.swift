import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Reporting
import Studies

struct FrontierCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "frontier",
        abstract: "Find the severity at which each query is lost, along axes of degradation",
        discussion: """
            Scans each axis coarsely, then bisects every change between found and lost. A hole is a severity that \
            loses a query which a worse severity finds. An interrupted search resumes. The last line on standard \
            output is the report's path.
            """)

    @Option(
        help: "The plan of axes: its name in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan = "frontier"
    @OptionGroup var drawn: CorpusOptions
    @OptionGroup var recorded: RecordedOptions
    @Option(help: "Positive queries along each axis, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Search along this axis of the plan only. Can be repeated.")
    var axis: [String] = []
    @OptionGroup var work: StudyOptions

    func validate() throws {
        try exclude("--queries", "--corpus")
        try require("--positives", positives, in: FrontierFile.queryCounts)
    }

    func run() throws {
        var request = try drawn.request(plan: plan, work.choice.request())
        request.recorded = recorded.recorded
        (request.queries, request.axes) = (positives, axis)
        let contestant = try request.matcher.contestant()
        let (plan, material) = try request.openFrontier(in: drawn.recipes.library())
        let path = try plan.base.corpus.resultFolder(
            work.output, plan.file.name, plan.base.corpus.name, contestant.name, "\(plan.digest.prefix(8))")
        let facts = try RunFacts(
            plan: plan.base, matcher: .init(contestant), jobs: work.jobs, request: request, notes: [])
        let search = FrontierRun(plan: plan, material: material, contestant: contestant, facts: facts)
        let run = try work.run(search, facts.provenance, in: path)
        try FrontierReport(search.run(in: run, note: StandardError.print)).publish(to: path)
    }
}
