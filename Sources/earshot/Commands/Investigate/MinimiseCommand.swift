import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Reporting
import Studies

struct MinimiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "minimise",
        abstract:
            "Find the least degradation that still breaks failing trials, with the command that shows it",
        discussion: """
            RUN is the folder of `earshot evaluate` or `earshot frontier`. Steps are left out, severities lowered and \
            the query made longer until the failure just holds: one step less of anything, and it does not fail. With \
            --verify the commands of an earlier minimisation are run again, and those of every step less; it exits \
            with 2 when one comes out otherwise. Runs with other settings than the standard ones need the same --set.
            """)

    @Argument(help: ArgumentHelp("The folder of the run; with --verify none.", valueName: "run"))
    var runFolder: String?
    @Option(help: "Minimise this trial; may be repeated.")
    var trial: [String] = []
    @Option(help: "Minimise this many failing trials, the worst first.")
    var worst: Int?
    @Option(help: "Make no query longer than this many seconds.")
    var longest = 30.0
    @Option(help: "The folder for cases and report.")
    var output: String?
    @Option(help: "Run the commands of the cases in this folder again.")
    var verify: String?
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The number of threads; no figure depends on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?

    func validate() throws {
        try requireJobs(jobs)
        try require("--longest", longest, in: 0.05...600, unit: "seconds")
        guard verify == nil else {
            return try reject(
                if: runFolder != nil || !trial.isEmpty || worst != nil, "--verify takes no run and no trials")
        }
        try reject(if: runFolder == nil, "No run. Name its folder, or a folder of cases with --verify.")
        try reject(if: trial.isEmpty == (worst == nil), "No trials. Add --trial NAME or --worst COUNT.")
        try require("--worst", worst, in: 1...100_000)
        try reject(if: output == nil, "No output folder. Add --output DIR.")
    }

    func run() throws {
        if let verify { return try check(verify) }
        let (runFolder, output) = (runFolder ?? "", output ?? "")
        let failed = try FailedRun(folder: runFolder, library: .standard(corpora))
        try failed.corpus.requireOutside(output)
        let contestant = try choice.request.contestant()
        try failed.requireMatcher(contestant)
        let trials = try worst.map { try failed.worst($0) } ?? trial.map { try failed.trial(named: $0) }
        StandardError.print("\(trials.count) failing trials of \(runFolder)")
        let minimising = MinimisingRun(
            trials, of: failed, contestant: contestant, matcher: choice.request, longestSeconds: longest)
        let cases = try minimising.cases(
            in: CaseFolder(in: output), jobs: jobs, progress: ProgressDisplay().show(_:done:of:))
        try MinimisedReport(cases, facts: failed.facts, command: CommandText.tryQuery).publish(to: output)
    }

    /// Runs every command of a folder again, against a catalog that is enrolled once.
    private func check(_ folder: String) throws {
        let cases = try CaseFolder(in: folder).all()
        let request = cases[0].request
        try reject(
            if: cases.contains { $0.request != request },
            "\(folder) holds cases of several corpora or matchers; verify each apart")
        let opened = try request.openCorpus(in: .standard(corpora), standard: "")
        let display = ProgressDisplay()
        let bench = try MatcherBench(
            corpus: opened.corpus, material: opened.material,
            contestant: request.matcher.contestant(allowing: choice.matcherCommand), jobs: jobs,
            progress: display.show(_:done:of:))
        let result = try bench.check(cases, jobs: jobs) { display.show("cases", done: $0, of: cases.count) }
        try StandardOutput.print(MinimisedReport.summary(of: result))
        if !result.differences.isEmpty { throw ExitCode(2) }
    }
}
