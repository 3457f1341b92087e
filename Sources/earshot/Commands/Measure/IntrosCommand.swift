import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Reporting
import Studies

struct IntrosCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "intros",
        abstract: "Find intros and credits of episodes, or measure a matcher on shared intros",
        discussion: """
            --episodes finds the parts that the given files share: intros, credits, recaps and advertisements. It writes \
            the position of each part in each file to parts.csv, parts.json and episodes.html, and the pairs of files to \
            pairs.csv. Each file gets FFmpeg chapters and a Kodi edit list. For example:

              earshot intros --episodes show/

            Without --episodes, the command makes sets of episodes from a corpus. The episodes of a set share an intro. It \
            measures three ways to tell the episodes apart: all answers within the intro, a longer query that ends after \
            the intro, and skew tags. It writes CSV tables and intros.html.
            """)

    @Option(help: "An audio file or folder to find shared parts in. Can be repeated.")
    var episodes: [String] = []
    @Option(help: "The length of the shortest part to report, in seconds, 3 or more. (default: 3)")
    var minimumSeconds: Double?
    @Option(help: "The number of files that must share a part. (default: 2)")
    var minimumFiles: Int?
    @Option(
        help:
            "What edit lists skip, with commas between: intro, credits, recap, preview, ads. (default: all but ads)"
    )
    var skip: String?
    @OptionGroup var search: FolderSearchOptions
    @Option(
        help: "The plan of intros: its name in Corpora/Plans, or the path of a YAML file.", completion: .plans
    )
    var plan = "intros"
    @OptionGroup var drawn: CorpusOptions
    @Option(help: "The number of sets for each number of episodes, instead of the plan's.")
    var sets: Int?
    @Option(help: "The numbers of episodes in a set, with commas between them, instead of the plan's.")
    var counts: String?
    @Option(
        help: "The least log-likelihood ratio of an episode over every other one, to name the episode.")
    var margin: Double?
    @OptionGroup var work: StudyOptions
    @Option(
        help:
            "Write the episodes and truth.csv to this folder, one folder for each set, and measure nothing.",
        completion: .directory)
    var export: String?
    @Option(help: "The encodings of exported episodes, used in turn, with commas between them.")
    var encodings = "wav-pcm16"
    @OptionGroup var share: ShardOptions
    @OptionGroup var resume: ResumeOptions
    @Argument(help: .hidden)
    var unexpected: [String] = []

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
        try require(["--minimum-seconds", "--minimum-files", "--skip", "--verbose"], with: "--episodes")
        _ = try skipped()
        try require(["--encodings"], with: "--export")
        _ = try episodeCounts()
        let drawing = ["--plan", "--corpus", "--half", "--seed", "--corpora", "--sets", "--counts"]
        try exclude("--episodes", "--export")
        if !episodes.isEmpty { try refuse(drawing + ["--shard", "--fresh"], "with --episodes") }
        if export != nil { try refuse(["--output", "--shard", "--fresh", "--margin"], "with --export") }
    }

    func run() throws {
        guard episodes.isEmpty else { return try findParts() }
        let request = try drawn.request(plan: plan, work.choice.request())
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
        let origin = try Provenance(study.plan, of: study.corpus, by: study.contestant, request)
        let run = try work.run(study, origin, in: output, shard: share.shard, isFresh: resume.fresh)
        try IntroReport(plan: study.plan, origin: origin, records: study.run(in: run)).publish(to: output)
    }

    private func findParts() throws {
        let request = try RunRequest(plan: "", matcher: work.choice.request())
        let contestant = try request.matcher.contestant()
        let origin = Provenance(
            matcher: try .init(contestant), request: request, corpusName: "", corpusDigest: "", half: .test,
            seed: 0)
        let finder = EpisodeSearch(
            finder: Contestants.auditor(), listener: try contestant.make(),
            margin: margin ?? IntroDesign.usualMargin,
            limits: .init(
                seconds: minimumSeconds ?? EpisodeSearch.Limits.shortest, files: minimumFiles ?? 2),
            progress: ProgressDisplay().show)
        let findings = try finder.run(filesUnder: episodes, leavingOut: search.note)
        try EpisodeReport(findings, origin: origin, skipping: skipped()).publish(to: output)
    }

    /// Advertisements are parts of no other kind.
    private func skipped() throws -> Set<EpisodeFindings.Kind> {
        guard let skip else { return EpisodeReport.usuallySkipped }
        return try Set(
            skip.split(separator: ",").map { word in
                let name =
                    word == "ads" ? EpisodeFindings.Kind.other.rawValue : word == "other" ? "" : String(word)
                guard let kind = EpisodeFindings.Kind(rawValue: name) else {
                    throw ValidationError(
                        "--skip \(skip): expected some of intro, credits, recap, preview and ads, found '\(word)'"
                    )
                }
                return kind
            })
    }

    private func episodeCounts() throws -> [Int]? {
        guard let counts else { return nil }
        let numbers = counts.split(separator: ",").map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy((2...100).contains), Set(numbers).count == numbers.count
        else { throw ValidationError("--counts \(counts): expected different numbers in 2...100") }
        return numbers
    }
}
