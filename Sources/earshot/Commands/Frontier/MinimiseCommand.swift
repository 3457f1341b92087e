import ArgumentParser
import Corpora
import Foundation
import Reporting
import Studies

/// `earshot minimise`: finds the least degradation that still breaks a failing trial.
struct MinimiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "minimise",
        abstract:
            "Find the least degradation that still breaks failing trials, with the command that shows it.",
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

    @Option(help: "Minimise so many failing trials, the worst first; all when there are fewer.")
    var worst: Int?

    @Option(help: "Make no query longer than so many seconds.")
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
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
        if !(0.05...600).contains(longest) {
            throw ValidationError("--longest \(longest) is not in 0.05...600 seconds")
        }
        if verify != nil {
            if runFolder != nil || !trial.isEmpty || worst != nil {
                throw ValidationError("--verify takes no run and no trials")
            }
            return
        }
        if runFolder == nil {
            throw ValidationError("which run? name its folder, or --verify one of minimised cases")
        }
        if trial.isEmpty == (worst == nil) {
            throw ValidationError("which trials? give one of --trial and --worst")
        }
        if let worst, !(1...100_000).contains(worst) {
            throw ValidationError("--worst \(worst) is not in 1...100000")
        }
        if output == nil { throw ValidationError("--output is missing: where shall results go?") }
    }

    func run() throws {
        if let verify { return try check(verify) }
        let failed = try FailedRun(folder: runFolder ?? "", corpora: corpora)
        let folder = output ?? ""
        try failed.corpus.keepOut(folder)
        let contestant = try choice.contestant()
        try failed.requireMatcher(contestant)
        let trials = try worst.map { try failed.worst($0) } ?? trial.map { try failed.trial(named: $0) }
        StandardError.print("\(trials.count) failing trials of \(runFolder ?? "")")
        let display = ProgressDisplay()
        let bench = try QueryBench(
            corpus: failed.corpus, material: failed.material, contestant: contestant, jobs: jobs,
            progress: display.show(_:done:of:))
        let minimising = MinimisingRun(
            bench: bench, run: failed.key, matcherArguments: choice.arguments, longestSeconds: longest,
            start: failed.start, folder: folder, jobs: jobs)
        let cases = try minimising.cases(trials) { display.show("cases", done: $0, of: trials.count) }
        let report = MinimisedReport(cases, facts: failed.facts)
        let page = try report.write(to: folder)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
    }

    /// Runs every command of a folder again, against a catalog that is enrolled once.
    private func check(_ folder: String) throws {
        let cases = try CaseFolder(path: folder).all()
        let first = try TryCommand.parse(Array(cases[0].arguments.dropFirst()))
        let library = try CorpusLibrary.atHand(corpora)
        let corpus = try Corpus.open(named: first.options.corpus ?? "", in: library)
        let display = ProgressDisplay()
        let bench = try QueryBench(
            corpus: corpus, material: CorpusMaterial(library: library, music: corpus),
            contestant: first.choice.contestant(), jobs: jobs, progress: display.show(_:done:of:))
        let chosen = first.choice.arguments
        let check = MinimisedCheck(jobs: jobs) { arguments in
            let command = try TryCommand.parse(Array(arguments.dropFirst()))
            guard command.options.corpus == corpus.argument, command.choice.arguments == chosen else {
                throw ValidationError(
                    "\(folder) holds cases of several corpora or matchers; verify each apart")
            }
            return try bench.verdict(on: command.cut(in: corpus)).verdict
        }
        let result = try check.run(cases) { display.show("cases", done: $0, of: cases.count) }
        try StandardOutput.print(MinimisedReport.summary(of: result))
        if !result.differences.isEmpty { throw ExitCode(2) }
    }
}
