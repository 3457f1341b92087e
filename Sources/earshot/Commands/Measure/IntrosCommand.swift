import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Reporting
import Studies

struct IntrosCommand: ParsableCommand, ResumableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intros",
        abstract: "Measure how well a matcher distinguishes episodes that share an intro",
        discussion: """
            Builds sets of episodes from a corpus; those of a set share an intro. Measures three ways to distinguish \
            them: all answers within the intro, a longer query that ends after it, and skew tags. Writes CSV tables \
            and intros.html, to Reports/runs/intros without --output.

            --episodes needs no corpus. It finds the shared parts of the given files and their positions in each, as \
            intros, credits, recaps and advertisements. It also says how to distinguish the files. Writes parts.csv, \
            parts.json, pairs.csv, episodes.html, and for each file chapters of FFmpeg and an edit list of Kodi.
            """)

    @Option(help: "Find the shared parts of these audio files or folders; may be repeated.")
    var episodes: [String] = []
    @Option(help: "Report only parts of this length in seconds, 3 or more. (default: 3)")
    var minimumSeconds: Double?
    @Option(help: "Report only parts that this number of files share. (default: 2)")
    var minimumFiles: Int?
    @OptionGroup var search: FolderSearchOptions
    @Option(help: "A plan of intros in Corpora/Plans, or the path of a YAML file.")
    var plan = "intros"
    @OptionGroup var drawn: CorpusOptions
    @Option(help: "Build this many sets for each number of episodes, instead of the plan's.")
    var sets: Int?
    @Option(help: "Sets of these numbers of episodes, separated by commas, instead of the plan's.")
    var counts: String?
    @Option(
        help: "Claim an episode only if its log-likelihood ratio over every other one is at least this.")
    var margin: Double?
    @OptionGroup var work: StudyOptions
    @Option(
        help: "Measure nothing: write the episodes to this folder, one folder for each set, with truth.csv.")
    var export: String?
    @Option(help: "The encodings of exported episodes in turn, with commas between them, as in chains.")
    var encodings = "wav-pcm16"
    @OptionGroup var share: ShardOptions
    @OptionGroup var resume: ResumeOptions
    @Argument(help: .hidden)
    var unexpected: [String] = []

    var decoding: SandboxOptions { work.decoding }

    func validate() throws {
        try reject(
            if: !unexpected.isEmpty,
            "Name your files with --episodes: "
                + CommandText.line(["earshot", "intros"] + unexpected.flatMap { ["--episodes", $0] }))
        try require("--sets", sets, in: 1...10_000)
        try require("--margin", margin, in: 0...1e6)
        try require(
            "--minimum-seconds", minimumSeconds, in: EpisodeSearch.Limits.shortest...1e6, unit: "seconds")
        try require("--minimum-files", minimumFiles, in: 2...1_000_000)
        try reject(
            if: episodes.isEmpty && (minimumSeconds != nil || minimumFiles != nil),
            "--minimum-seconds and --minimum-files belong to --episodes")
        _ = try episodeCounts()
        let isDrawn =
            drawn.corpus != nil || drawn.half != nil || drawn.seed != nil || sets != nil || counts != nil
        try reject(
            if: !episodes.isEmpty && isDrawn, "--episodes takes no corpus, and what is drawn from one")
    }

    func run() throws {
        guard episodes.isEmpty else { return try findParts() }
        let request = RunRequest(
            plan: plan, corpus: drawn.corpus, half: drawn.half, seed: drawn.seed,
            recipeFolder: drawn.recipes.corpora, matcher: work.choice.request)
        let (plan, opened) = try request.open(IntroPlanFile.self, in: drawn.recipes.library()) { plan in
            plan.replace("sets", \.sets, by: sets)
            plan.replace("episodes", \.episodes, by: try episodeCounts())
            plan.replace("margin", \.margin, by: margin)
        }
        try opened.corpus.requireOutside(export ?? output)
        let study = IntroStudy(
            plan: plan, corpus: opened.corpus, contestant: try request.matcher.contestant(),
            material: opened.material)
        if let export { return try write(study, to: export) }
        try measure(study, of: request)
    }

    private var output: String { work.output ?? (episodes.isEmpty ? "Reports/runs/intros" : "intros") }

    private func write(_ study: IntroStudy, to folder: String) throws {
        let names = encodings.split(separator: ",").map(String.init)
        try StandardOutput.print(
            IntroExport(folder: folder, encodings: names).write(study, jobs: work.jobs))
    }

    private func measure(_ study: IntroStudy, of request: RunRequest) throws {
        let (plan, corpus) = (study.plan, study.corpus)
        let origin = Provenance(
            matcher: try .init(study.contestant), planName: plan.name, planDigest: plan.digest,
            request: request, corpusName: corpus.name, corpusDigest: corpus.lockDigest, half: plan.half,
            seed: plan.seed)
        let run = try StudyRun(
            of: study, in: output, origin: origin, shard: share.shard, isFresh: resume.fresh,
            jobs: work.jobs,
            progress: ProgressDisplay().show(_:done:of:))
        try IntroReport(plan: plan, origin: origin, records: study.run(in: run)).publish(to: output)
    }

    private func findParts() throws {
        let request = RunRequest(plan: "", matcher: work.choice.request)
        let contestant = try request.matcher.contestant()
        let origin = Provenance(
            matcher: try .init(contestant), request: request, corpusName: "", corpusDigest: "", half: .test,
            seed: 0)
        let finder = EpisodeSearch(
            finder: Contestants.auditor(), listener: try contestant.make(),
            margin: margin ?? IntroDesign.usualMargin,
            limits: .init(
                seconds: minimumSeconds ?? EpisodeSearch.Limits.shortest, files: minimumFiles ?? 2),
            progress: ProgressDisplay().show(_:done:of:))
        let findings = try finder.run(filesUnder: episodes, leavingOut: search.note)
        try EpisodeReport(findings, origin: origin).publish(to: output)
    }

    private func episodeCounts() throws -> [Int]? {
        guard let counts else { return nil }
        let numbers = counts.split(separator: ",").map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy((2...100).contains), Set(numbers).count == numbers.count
        else { throw ValidationError("--counts \(counts): expected different numbers in 2...100") }
        return numbers
    }
}
