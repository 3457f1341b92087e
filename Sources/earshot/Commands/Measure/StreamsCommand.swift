import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Reporting
import Studies
import SystemIO

struct StreamsCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract:
            "Play queries or negatives to a matcher as streams, and measure delay, stability and position",
        discussion: """
            Plays the positive queries of a plan from their beginnings. --negatives plays every recording of the --half \
            once under each --chain, against references of the other half. It takes the corpus games and the seed 1 \
            unless others are given. Finished chains are not played again. For example:

              earshot streams --plan streams --half tuning --lead 17
              earshot streams --negatives --corpus games --chain '[]' --chain '[{speed: {percent: 2}}]'

            The last line on standard output is the report's path.
            """)

    @Option(help: "The plan: its name in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan: String?
    @OptionGroup var drawn: CorpusOptions
    @Option(help: "Queries in each cell, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Seconds of other music before each query; times count from its end.")
    var lead: Double?
    @Flag(help: "Play recordings that are in no reference, and count the answers.")
    var negatives = false
    @Option(
        parsing: .singleValue,
        help: "With --negatives: a chain as a YAML list. Can be repeated. (default: '[]')")
    var chain: [String] = []
    @Option(help: "Sample frames in a block. (default: 1024, with --negatives 4096)")
    var block: Int?
    @OptionGroup var work: StudyOptions
    @OptionGroup var share: ShardOptions
    @OptionGroup var resume: ResumeOptions

    func validate() throws {
        try require("--block", block, in: 1...10_000_000, unit: "sample frames")
        try require("--lead", lead, in: 0...600, unit: "seconds")
        try require("--positives", positives, in: 1...100_000)
        try require(["--chain"], with: "--negatives")
        try exclude("--negatives", "--plan", "--lead", "--positives", "--shard")
    }

    func run() throws {
        var request = try drawn.request(plan: plan ?? "streams", work.choice.request())
        request.positives = positives
        let library = try drawn.recipes.library()
        if negatives {
            try playNegatives(request, request.openCorpus(in: library, standard: "games"))
        } else {
            try play(request, request.open(in: library))
        }
    }

    private func play(_ request: RunRequest, _ opened: OpenedPlan) throws {
        let plan = opened.plan
        let contestant = try request.matcher.contestant()
        let folder = try plan.corpus.resultFolder(
            work.output, "streams", plan.file.name, plan.corpus.name, contestant.name,
            "\(plan.digest.prefix(8))")
        let note =
            "Queries are cut from the \(plan.half.rawValue) half of the enrolled tracks; both halves are enrolled."
        let origin = Provenance(
            try .init(contestant), on: plan, request: request,
            notes: [note] + plan.materialNotes(opened.material))
        var settings = StreamStudy.Settings()
        if let block { settings.blockFrames = block }
        if let lead { settings.leadSeconds = lead }
        let study = StreamStudy(
            plan: plan, material: opened.material, contestant: contestant, settings: settings)
        StandardError.print("seed \(plan.seed), \(study.trialCount.counting("query", "queries"))")
        let run = try work.run(study, origin, in: folder, shard: share.shard, isFresh: resume.fresh)
        try StreamReport(queries: study.run(in: run), origin: origin, settings: settings).publish(to: folder)
    }

    private func playNegatives(_ request: RunRequest, _ opened: OpenedCorpus) throws {
        let contestant = try request.matcher.contestant()
        let (corpus, half, seed) = (opened.corpus, drawn.half ?? .test, drawn.seed ?? 1)
        let origin = Provenance(
            matcher: try .init(contestant), request: request, corpusName: corpus.name,
            corpusDigest: corpus.lockDigest, half: half, seed: seed)
        let folder = try corpus.resultFolder(
            work.output, "negatives", corpus.name, half.rawValue, contestant.name,
            "\(origin.matcher.identity.prefix(8))")
        let study = NegativeStudy(
            corpus: corpus, material: opened.material, contestant: contestant, half: half,
            chains: chain.isEmpty ? ["[]"] : chain, seed: seed, blockFrames: block ?? 4096,
            note: StandardError.print)
        let run = try StudyRun(
            of: study, in: folder, origin: origin, isFresh: resume.fresh, jobs: work.jobs)
        try NegativeReport(study.run(in: run, origin: origin)).publish(to: folder)
    }
}
