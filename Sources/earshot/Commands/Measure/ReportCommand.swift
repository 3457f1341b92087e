import ArgumentParser
import Evaluation
import MatcherAdapters
import Reporting

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write CSV and HTML again from the stored outcomes of a run",
        discussion: """
            Trials that shall be shown in full and are not yet are made again, where the corpus is at hand and the \
            matcher answers as it did; elsewhere the report says what it lacks. With --output the folder of the run \
            is only read.
            """)

    @Argument(help: "The folder of the run.", completion: .directory)
    var folder: String
    @Option(
        help: "Where to write; by default the same folder. With several runs in one store, one folder each.",
        completion: .directory)
    var output: String?
    @Flag(help: "Leave out times, latency and machines, so that runs of equal outcomes give equal bytes.")
    var reproducible = false
    @Option(
        help: "Start this program again to show trials, where the run measured it with the same command line."
    )
    var matcherCommand: String?
    @Option(
        help:
            "Write every raw outcome to this file too: a line of JSON for each trial, latency left out.")
    var outcomes: String?
    @OptionGroup var reporting: ReportOptions
    @OptionGroup var comparison: BaselineOptions

    func validate() throws {
        try reject(
            if: reproducible && output == nil,
            "--reproducible needs an --output, so that the run keeps its full report")
    }

    func run() throws {
        let opened = try output == nil ? RunFolder(existing: folder) : RunFolder(reading: folder)
        if try opened.holdsStudies {
            let isRunAsked =
                reproducible || outcomes != nil || matcherCommand != nil || reporting.suspects != nil
                || comparison.baseline != nil
            try reject(
                if: isRunAsked,
                "\(folder) holds a study; of the options it takes only --output")
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
            of: run, records, against: baseline, isReproducible: reproducible,
            explain: { explain(run, $0) })
        try model.publish(to: target)
        if let outcomes { try OutcomesJSONL.write(records, to: outcomes) }
    }

    /// Makes missing details; returns why that cannot be done.
    private func explain(_ run: FinishedRun, _ trials: [JudgedTrial]) -> String? {
        do {
            try run.explain(
                reporting.details, of: trials, open: { try $0.open() },
                contestant: { try $0.contestant(allowing: matcherCommand) },
                progress: ProgressDisplay().show(_:done:of:))
            return nil
        } catch {
            let problem = Advice.text(error)
            StandardError.print("Trials cannot be shown in full: \(problem)")
            return problem
        }
    }
}
