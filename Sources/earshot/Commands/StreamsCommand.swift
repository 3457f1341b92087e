import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct StreamsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract:
            "Play queries to a matcher as streams: how soon it is right, how steadily, where; or negatives",
        discussion: """
            Without --negatives the positive queries of a plan are played from their beginnings. With it one half is \
            enrolled and everything else of the corpus is played for hours under each --chain, so that no passage comes \
            twice under one; finished chains are kept in --output and not played again. For example
              earshot streams --plan streams --half tuning --lead 17
              earshot streams --negatives --corpus games --chain '[]' --chain '[{speed: {percent: 2}}]'
            The last line on standard output is the report's path.
            """)

    @Option(help: "A plan's name in Corpora/Plans, or the path of a YAML file.")
    var plan: String?

    @Option(help: "Take this corpus instead of the plan's; with --negatives 'games' unless given.")
    var corpus: String?

    @Option(
        help: "Cut queries from the 'test' or the 'tuning' half; with --negatives the half that is enrolled.")
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
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
        if let block, !(1...10_000_000).contains(block) {
            throw ValidationError("--block \(block) is not in 1...10000000 sample frames")
        }
        if let lead, !(0...600).contains(lead) {
            throw ValidationError("--lead \(lead) is not in 0...600 seconds")
        }
        if let positives, !(1...100_000).contains(positives) {
            throw ValidationError("--positives \(positives) is not in 1...100000")
        }
        if negatives {
            for (name, isGiven) in [
                ("--plan", plan != nil), ("--lead", lead != nil), ("--positives", positives != nil),
                ("--shard", shard != nil),
            ] where isGiven {
                throw ValidationError("\(name) and --negatives exclude each other")
            }
        } else if !chain.isEmpty {
            throw ValidationError("--chain belongs to --negatives")
        }
    }

    func run() throws {
        let request = RunRequest(
            plan: plan ?? "streams", corpus: corpus, half: half, seed: seed, positives: positives,
            recipeFolder: corpora, matcher: choice.request)
        let library = try CorpusLibrary.standard(corpora)
        try negatives ? playNegatives(request, library) : playPlan(request, library)
    }

    private func playPlan(_ request: RunRequest, _ library: CorpusLibrary) throws {
        let opened = try request.open(in: library)
        let (plan, material, corpus) = (opened.plan, opened.material, opened.plan.corpus)
        let contestant = try request.matcher.contestant()
        let name = ["streams", plan.file.name, corpus.name, contestant.name, String(plan.digest.prefix(8))]
        let folder = output ?? "Reports/runs/" + name.joined(separator: "-")
        try corpus.requireOutside(folder)
        let origin = Provenance(
            try .init(contestant), on: plan, request: request,
            notes: [
                "Queries are cut from the \(plan.half.rawValue) half of the enrolled tracks; both halves are enrolled."
            ]
                + plan.materialNotes(material))
        let blockFrames = block ?? 1024
        let lead = lead ?? 0
        StandardError.print("seed \(plan.seed), \(plan.trials.count { $0.isPositive }) queries")
        let display = ProgressDisplay()
        let study = StreamStudy(
            plan: plan, material: material, contestant: contestant, blockFrames: blockFrames,
            leadSeconds: lead,
            jobs: jobs, progress: display.show(_:done:of:))
        let queries = try study.run(
            in: StudyRun(
                in: StudyFolder(path: folder),
                facts: StudyFacts(
                    "streams", settings: study.settings, origin: origin,
                    trialCount: plan.trials.count { $0.isPositive }, shard: shard),
                identity: study.identity, isFresh: fresh, progress: display.show(_:done:of:)))
        let report = StreamReport(
            queries: queries, origin: origin, blockFrames: blockFrames, leadSeconds: lead)
        let path = try report.write(to: folder)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(path)
    }

    private func playNegatives(_ request: RunRequest, _ library: CorpusLibrary) throws {
        let opened = try request.openCorpus(in: library, standard: "games")
        let (corpus, material) = (opened.corpus, opened.material)
        let contestant = try request.matcher.contestant()
        let half = half ?? .test
        let seed = seed ?? 1
        let origin = Provenance(
            matcher: try .init(contestant), request: request, corpusName: corpus.name,
            corpusDigest: corpus.lockDigest, half: half, seed: seed)
        let folder =
            output
            ?? "Reports/runs/negatives-\(corpus.name)-\(half.rawValue)-\(contestant.name)"
            + "-\(origin.matcher.digest.prefix(8))"
        try corpus.requireOutside(folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lock = try RunLock(folder: folder)
        defer { withExtendedLifetime(lock) {} }
        let path = folder + "/negatives.json"
        if fresh, FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
        StandardError.print("seed \(seed)")
        let streams = try NegativeStudy(
            corpus: corpus, material: material, contestant: contestant, half: half,
            chains: chain.isEmpty ? ["[]"] : chain, seed: seed, blockFrames: block ?? 4096, jobs: jobs,
            note: { StandardError.print($0) }
        ).run(origin: origin, keptIn: NegativeStreamFile(path: path))
        let report = NegativeReport(streams)
        let page = try report.write(to: folder)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
    }
}
