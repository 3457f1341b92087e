import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies
import SystemIO

struct StreamsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract:
            "Play queries to a matcher as streams: how soon it is right, how steadily, where; or negatives",
        discussion: """
            Without --negatives the positive queries of a plan are played from their beginnings. With it all \
            recordings of one half are played under each --chain, against the references of the other half, and no passage \
            comes twice under one; finished chains are kept in --output and not played again. For example
              earshot streams --plan streams --half tuning --lead 17
              earshot streams --negatives --corpus games --chain '[]' --chain '[{speed: {percent: 2}}]'
            The last line on standard output is the report's path.
            """)

    @Option(help: "A plan's name in Corpora/Plans, or the path of a YAML file.")
    var plan: String?
    @Option(help: "Take this corpus instead of the plan's; with --negatives 'games' unless given.")
    var corpus: String?
    @Option(
        help: "Cut queries from the 'test' or the 'tuning' half; with --negatives the half that is played.")
    var half: CorpusHalf?
    @Option(help: "Draw everything from this seed; with --negatives 1 unless given.")
    var seed: UInt64?
    @Option(help: "Queries in each cell, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Seconds of other music before each query; times count from its end.")
    var lead: Double?
    @Flag(help: "Play what is in no reference, and count what is named.")
    var negatives = false
    @Option(
        parsing: .singleValue,
        help: "With --negatives: a chain as a YAML list; may be repeated. '[]' unless given.")
    var chain: [String] = []
    @Option(help: "Sample frames in a block; 1024 unless given, with --negatives 4096.")
    var block: Int?
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The number of threads. With --negatives each plays a chain.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?
    @Option(help: "The folder for the results; by default one under Reports/runs.")
    var output: String?
    @Option(help: "Run only this share of the queries: 1/2 is the first of two; not with --negatives.")
    var shard: Shard?
    @Flag(help: "Forget what an earlier run of the same study stored in the folder.")
    var fresh = false

    func validate() throws {
        try requireJobs(jobs)
        try require("--block", block, in: 1...10_000_000, unit: "sample frames")
        try require("--lead", lead, in: 0...600, unit: "seconds")
        try require("--positives", positives, in: 1...100_000)
        try reject(if: !negatives && !chain.isEmpty, "--chain belongs to --negatives")
        try reject(if: negatives && plan != nil, "--plan and --negatives exclude each other")
        try reject(if: negatives && lead != nil, "--lead and --negatives exclude each other")
        try reject(if: negatives && positives != nil, "--positives and --negatives exclude each other")
        try reject(if: negatives && shard != nil, "--shard and --negatives exclude each other")
    }

    func run() throws {
        let request = RunRequest(
            plan: plan ?? "streams", corpus: corpus, half: half, seed: seed, positives: positives,
            recipeFolder: corpora, matcher: choice.request)
        let library = try CorpusLibrary.standard(corpora)
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
            output, "streams", plan.file.name, plan.corpus.name, contestant.name, "\(plan.digest.prefix(8))")
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
        let run = try StudyRun(
            of: study, in: folder, origin: origin, shard: shard, isFresh: fresh, jobs: jobs,
            progress: ProgressDisplay().show(_:done:of:))
        try StreamReport(queries: study.run(in: run), origin: origin, settings: settings).publish(to: folder)
    }

    private func playNegatives(_ request: RunRequest, _ opened: OpenedCorpus) throws {
        let contestant = try request.matcher.contestant()
        let (corpus, half, seed) = (opened.corpus, half ?? .test, seed ?? 1)
        let origin = Provenance(
            matcher: try .init(contestant), request: request, corpusName: corpus.name,
            corpusDigest: corpus.lockDigest, half: half, seed: seed)
        let folder = try corpus.resultFolder(
            output, "negatives", corpus.name, half.rawValue, contestant.name,
            "\(origin.matcher.identity.prefix(8))")
        let study = NegativeStudy(
            corpus: corpus, material: opened.material, contestant: contestant, half: half,
            chains: chain.isEmpty ? ["[]"] : chain, seed: seed, blockFrames: block ?? 4096,
            note: StandardError.print)
        let run = try StudyRun(of: study, in: folder, origin: origin, isFresh: fresh, jobs: jobs)
        try NegativeReport(study.run(in: run, origin: origin)).publish(to: folder)
    }
}
