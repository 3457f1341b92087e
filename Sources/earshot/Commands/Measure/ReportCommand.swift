import ArgumentParser
import Evaluation
import MatcherAdapters
import Reporting

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write the report of a run again, as CSV and HTML",
        discussion: """
            The report is made of stored outcomes. Sound and spectrograms that are missing are made again if the corpus is \
            available and the matcher gives the same answers. Otherwise the report says what is missing. With --output, \
            the folder of the run is only read.
            """)

    @Argument(help: "The folder of the run.", completion: .directory)
    var folder: String
    @Option(
        name: .shortAndLong,
        help: "The folder to write to, with a folder for each of several runs. (default: that of the run)",
        completion: .directory)
    var output: String?
    @Flag(help: "Omit times, latency and machines, so that equal outcomes give equal files.")
    var reproducible = false
    @Option(help: "Start this program to show trials. The run must have used the same command line.")
    var matcherCommand: String?
    @OptionGroup var degradations: DegradationOptions
    @Option(
        help: "Also write the outcomes to this file, as one line of JSON for each trial. Latency is omitted.")
    var outcomes: String?
    @OptionGroup var reporting: ReportOptions
    @OptionGroup var comparison: BaselineOptions

    func validate() throws {
        try require(["--rules"], with: "--baseline")
        try reject(
            if: reproducible && output == nil,
            "--reproducible needs an --output, so that the run keeps its full report")
    }

    func run() throws {
        let opened = try output == nil ? RunFolder(existing: folder) : RunFolder(reading: folder)
        if try opened.holdsStudies {
            try allow(only: ["--output"], "because \(folder) holds a study")
            return try opened.studyReport().publish(to: output ?? folder)
        }
        let store = opened.store
        let runs = try store.runs()
        let baseline = try comparison.open()
        if let problem = problem(withRuns: runs.count) {
            throw StoreError(path: store.path, message: problem)
        }
        for (key, facts) in runs {
            let name = runs.count == 1 ? "" : "/\(key.plan.prefix(8))-\(key.matcher.prefix(8))"
            try report(
                FinishedRun(store, key, facts, folder: folder), baseline, to: (output ?? folder) + name)
        }
    }

    private func problem(withRuns count: Int) -> String? {
        if count == 0 { return "holds no finished run; there is nothing to report" }
        return outcomes != nil && count > 1 ? "holds \(count) runs; --outcomes takes one" : nil
    }

    private func report(_ run: FinishedRun, _ baseline: NamedBaseline?, to target: String) throws {
        let records = try run.store.records(of: run.key, run.facts)
        let model = try reporting.model(
            of: run, records, usualDetails: TrialChoice.pageCount, against: baseline,
            isReproducible: reproducible,
            explain: { explain(run, $0) })
        try model.publish(to: target)
        if let outcomes { try OutcomesJSONL.write(records, to: outcomes) }
    }

    /// Makes missing details; returns why that cannot be done.
    private func explain(_ run: FinishedRun, _ trials: [JudgedTrial]) -> String? {
        do {
            try run.explain(
                reporting.details ?? TrialChoice.pageCount, of: trials,
                open: { try $0.open(noting: degradations.library($0.recipeFolder)) },
                contestant: { try $0.contestant(allowing: matcherCommand) },
                progress: ProgressDisplay().show)
            return nil
        } catch {
            let problem = Advice.text(error)
            StandardError.warn("Trials cannot be shown in full: \(problem)")
            return problem
        }
    }
}
