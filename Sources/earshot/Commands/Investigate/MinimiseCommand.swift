import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Matchers
import Reporting
import Studies

struct MinimiseCommand: ParsableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "minimise",
        abstract:
            "Find the least degradation that still breaks failing trials, with a command that reproduces it",
        discussion: """
            RUN is the folder of `earshot evaluate` or `earshot frontier`. Drops steps, lowers severities and \
            lengthens the query while the trial still fails. In the result, one step less of anything makes the trial \
            succeed. --verify runs the commands of an earlier minimisation again, and those of every step less. The exit \
            code is 2 if a result differs. Give the same --set as in the run.
            """)

    @Argument(help: ArgumentHelp("The folder of the run; with --verify none.", valueName: "run"))
    var runFolder: String?
    @Option(help: "Minimise this trial. Can be repeated.")
    var trial: [String] = []
    @Option(help: "Minimise this many failing trials, the worst first.")
    var worst: Int?
    @Option(help: "The longest query, in seconds.")
    var longest = 30.0
    @Option(help: "Run the commands of the cases in this folder again.")
    var verify: String?
    @OptionGroup var work: StudyOptions
    @OptionGroup var degradations: DegradationOptions
    @OptionGroup var recipes: RecipeOptions

    func validate() throws {
        try require("--longest", longest, in: 0.05...600, unit: "seconds")
        guard verify == nil else {
            try reject(if: runFolder != nil, "--verify takes no run")
            return try allow(
                only: ["--verify", "--matcher-command", "--corpora"] + DegradationOptions.names,
                "with --verify")
        }
        try reject(if: runFolder == nil, "No run. Name its folder, or a folder of cases with --verify.")
        try reject(if: trial.isEmpty == (worst == nil), "No trials. Add --trial NAME or --worst COUNT.")
        try require("--worst", worst, in: 1...100_000)
        try reject(if: work.output == nil, "No output folder. Add --output DIR.")
    }

    func run() throws {
        if let verify { return try check(verify) }
        let (runFolder, output) = (runFolder ?? "", work.output ?? "")
        let failed = try FailedRun(folder: runFolder, library: degradations.library(recipes.corpora))
        try failed.corpus.requireOutside(output)
        let matcher = try work.choice.request()
        let contestant = try matcher.contestant()
        try failed.requireMatcher(contestant)
        let trials = try worst.map { try failed.worst($0) } ?? trial.map { try failed.trial(named: $0) }
        StandardError.print("\(trials.count) failing trials of \(runFolder)")
        let minimising = MinimisingRun(
            trials, of: failed, contestant: contestant, matcher: matcher, longestSeconds: longest
        )
        let cases = try minimising.cases(
            in: CaseFolder(in: output), jobs: work.jobs, progress: ProgressDisplay().show)
        try MinimisedReport(cases, facts: failed.facts, command: CommandText.tryQuery).publish(to: output)
    }

    /// Runs every command of a folder again, against a catalog that is enrolled once.
    private func check(_ folder: String) throws {
        let cases = try CaseFolder(in: folder).all()
        let request = cases[0].request
        try reject(
            if: cases.contains { $0.request != request },
            "\(folder) holds cases of several corpora or matchers; verify each apart")
        let opened = try request.openCorpus(in: degradations.library(recipes.corpora), standard: "")
        let display = ProgressDisplay()
        let bench = try MatcherBench(
            corpus: opened.corpus, material: opened.material,
            contestant: request.matcher.contestant(allowing: work.choice.matcherCommand), jobs: work.jobs,
            progress: display.show)
        let result = try bench.check(cases, jobs: work.jobs) {
            display.show("cases", done: $0, of: cases.count)
        }
        try StandardOutput.print(MinimisedReport.summary(of: result))
        if !result.differences.isEmpty { throw ExitCode(.fail) }
    }
}
