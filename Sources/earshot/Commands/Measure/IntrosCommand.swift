import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct IntrosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intros",
        abstract: "Measure how well a matcher tells apart episodes that share an intro",
        discussion: """
            Builds sets of episodes from a corpus, each set with an intro in common, and measures three ways to tell \
            them apart: returning all within the intro, a longer query that ends after it, and skew tags. Writes CSV \
            tables and intros.html.
            With --episodes no corpus is needed: the shared parts of the given files are found, with where they lie in \
            each and what would tell the files apart. Writes parts.csv and pairs.csv.
            """)

    @Option(help: "Audio files, or folders of them, whose shared parts are found; may be repeated.")
    var episodes: [String] = []
    @Option(help: "A plan of intros in Corpora/Plans, or the path of a YAML file.")
    var plan = "intros"
    @Option(help: "Take this corpus instead of the plan's.")
    var corpus: String?
    @Option(help: "Build episodes from the 'test' or the 'tuning' half instead of the plan's.")
    var half: CorpusHalf?
    @Option(help: "Draw everything from this seed instead of the plan's.")
    var seed: UInt64?
    @Option(help: "Build this many sets for each number of episodes, instead of the plan's.")
    var sets: Int?
    @Option(help: "Sets of these numbers of episodes, separated by commas, instead of the plan's.")
    var counts: String?
    @Option(
        help: "How much must speak against every other episode for one to be claimed, instead of the plan's.")
    var margin: Double?
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?
    @Option(
        help:
            "The number of threads; only the time taken depends on it. (default: as many as there are processors)"
    )
    var jobs: Int?
    @Option(help: "Ask nothing: write the episodes to this folder, one folder a set, with truth.csv.")
    var export: String?
    @Option(
        help: "The encodings of exported episodes in turn, separated by commas, as in chains of degradations."
    )
    var encodings = "wav-pcm16"
    @Option(help: "Run only this share of the sets: 1/2 is the first of two.")
    var shard: Shard?
    @Flag(help: "Forget what an earlier run of the same study stored in the folder.")
    var fresh = false
    @Option(help: "The folder to write to; it is made if there is none.")
    var output = "Reports/runs/intros"

    func validate() throws {
        try requireJobs(jobs)
        try require("--sets", sets, in: 1...10_000)
        try require("--margin", margin, in: 0...1e6)
        _ = try episodeCounts()
        let isDrawn = corpus != nil || half != nil || seed != nil || sets != nil || counts != nil
        try reject(
            if: !episodes.isEmpty && isDrawn, "--episodes takes no corpus, and what is drawn from one")
    }

    func run() throws {
        guard episodes.isEmpty else { return try search() }
        let request = RunRequest(
            plan: plan, corpus: corpus, half: half, seed: seed, recipeFolder: corpora, matcher: choice.request
        )
        let (plan, opened) = try request.openIntros(
            in: .standard(corpora), sets: sets, episodes: try episodeCounts(), margin: margin)
        try opened.corpus.requireOutside(export ?? output)
        let study = IntroStudy(
            plan: plan, corpus: opened.corpus, contestant: try choice.request.contestant(),
            material: opened.material)
        let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        if let export { return try write(study, to: export, jobs: jobs) }
        try measure(study, of: request, jobs: jobs)
    }

    private func write(_ study: IntroStudy, to folder: String, jobs: Int) throws {
        let names = encodings.split(separator: ",").map(String.init)
        try StandardOutput.print(IntroExport(folder: folder, encodings: names).write(study, jobs: jobs))
    }

    private func measure(_ study: IntroStudy, of request: RunRequest, jobs: Int) throws {
        let (plan, corpus) = (study.plan, study.corpus)
        let origin = Provenance(
            matcher: try .init(study.contestant), planName: plan.name, planDigest: plan.digest,
            request: request, corpusName: corpus.name, corpusDigest: corpus.lockDigest, half: plan.half,
            seed: plan.seed)
        let run = try StudyRun(
            of: study, in: output, origin: origin, shard: shard, isFresh: fresh, jobs: jobs,
            progress: ProgressDisplay().show(_:done:of:))
        try IntroReport(plan: plan, origin: origin, records: study.run(in: run)).publish(to: output)
    }

    private func search() throws {
        let search = EpisodeSearch(
            finder: Contestants.auditor(), listener: try choice.request.contestant().make(),
            margin: margin ?? IntroPlanFile.usualMargin, progress: StandardError.print)
        try EpisodeReport(search.run(filesUnder: episodes)).publish(to: output)
    }

    private func episodeCounts() throws -> [Int]? {
        guard let counts else { return nil }
        let numbers = counts.split(separator: ",").map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy((2...100).contains), Set(numbers).count == numbers.count
        else { throw ValidationError("--counts \(counts): expected different numbers in 2...100") }
        return numbers
    }
}
