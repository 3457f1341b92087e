import ArgumentParser
import AudioIO
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct IntrosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intros",
        abstract:
            "Measure how well a matcher tells apart episodes that share an intro",
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
        if let jobs, jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
        if let sets, !(1...10_000).contains(sets) {
            throw ValidationError("--sets \(sets) is not in 1...10000")
        }
        if let margin, !(margin >= 0 && margin < 1e6) {
            throw ValidationError("--margin \(margin) is not in 0...1000000")
        }
        _ = try episodeCounts()
        if !episodes.isEmpty, corpus != nil || half != nil || seed != nil || sets != nil || counts != nil {
            throw ValidationError("--episodes takes no corpus, and what is drawn from one")
        }
    }

    func run() throws {
        if episodes.isEmpty { try study() } else { try search() }
    }

    private func study() throws {
        let request = RunRequest(
            plan: plan, corpus: corpus, half: half, seed: seed, recipeFolder: corpora, matcher: choice.request
        )
        let (file, opened) = try request.openIntros(
            in: .standard(corpora), sets: sets, episodes: try episodeCounts(), margin: margin)
        let (corpus, material) = (opened.corpus, opened.material)
        try corpus.requireOutside(export ?? output)
        let display = ProgressDisplay()
        let contestant = try choice.request.contestant()
        let study = IntroStudy(
            plan: file, corpus: corpus, contestant: contestant, material: material,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            progress: display.show(_:done:of:))
        if let export {
            let names = encodings.split(separator: ",").map(String.init)
            return try StandardOutput.print(IntroExport(folder: export, encodings: names).write(study))
        }
        let origin = Provenance(
            matcher: try .init(contestant), planName: file.name, planDigest: file.digest, request: request,
            corpusName: corpus.name, corpusDigest: corpus.lockDigest, half: file.half, seed: file.seed)
        let run = try StudyRun(
            in: StudyFolder(path: output),
            facts: StudyFacts(
                "intros", settings: file, origin: origin, trialCount: try study.setNames().count, shard: shard
            ),
            identity: study.identity(materialDigest: material.digest), isFresh: fresh,
            progress: display.show(_:done:of:))
        let report = IntroReport(plan: file, origin: origin, records: try study.run(in: run))
        let page = try report.write(to: output)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
    }

    private func search() throws {
        let paths = try episodes.flatMap { try AudioFileFinder.audioFiles(under: $0) }
        guard paths.count >= 2 else {
            throw CorpusError(
                .unreadable,
                "\(episodes.joined(separator: ", ")): \(paths.isEmpty ? "no audio file" : "one audio file"); "
                    + "two or more are needed to share anything")
        }
        let search = EpisodeSearch(
            finder: Contestants.auditor(), listener: try choice.request.contestant().make(),
            margin: margin ?? IntroPlanFile.usualMargin
        ) { StandardError.print($0) }
        let findings = try search.run(
            paths.map { path in .init(id: path) { try AudioFile.read(path) } })
        let report = EpisodeReport(findings)
        let table = try report.write(to: output)
        try StandardOutput.print(report.summary())
        try StandardOutput.print(table)
    }

    private func episodeCounts() throws -> [Int]? {
        try counts.map { text in
            let counts = text.split(separator: ",").map { Int($0) ?? 0 }
            guard !counts.isEmpty, counts.allSatisfy((2...100).contains), Set(counts).count == counts.count
            else {
                throw ValidationError("--counts \(text): expected different numbers in 2...100")
            }
            return counts
        }
    }
}
