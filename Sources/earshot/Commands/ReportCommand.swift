import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write CSV and HTML again from the stored outcomes of a run",
        discussion: """
            Trials that shall be shown in full and are not yet are made again, where the corpus is at hand and the \
            matcher answers as it did; elsewhere the report says what it lacks.
            """)

    @Argument(help: "The folder of the run.")
    var folder: String

    @Option(
        help: "Where to write; by default the same folder. With several runs in one store, one folder each.")
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

    @OptionGroup var detailOptions: DetailOptions

    @OptionGroup var doubts: SuspectOptions

    @OptionGroup var comparison: BaselineOptions

    func validate() throws {
        if reproducible, output == nil {
            throw ValidationError("--reproducible needs an --output, so that the run keeps its full report")
        }
    }

    func run() throws {
        if StudyFolder.isOne(folder) {
            let study = try StoredStudy(StudyFolder(path: folder))
            let page = try study.report.write(to: output ?? folder)
            try StandardOutput.print(study.summary)
            return try StandardOutput.print(page)
        }
        let store = try RunFolder(existing: folder).store
        let runs = try store.runs()
        let baseline = try comparison.open()
        if runs.isEmpty {
            throw StoreError(path: store.path, message: "holds no finished run; there is nothing to report")
        }
        if outcomes != nil, runs.count > 1 {
            throw StoreError(path: store.path, message: "holds \(runs.count) runs; --outcomes takes one")
        }
        for run in runs {
            let name = "\(run.key.plan.prefix(8))-\(run.key.matcher.prefix(8))"
            let target = runs.count == 1 ? output ?? folder : "\(output ?? folder)/\(name)"
            let records = try store.records(of: run.key)
            var model = ReportModel(
                records: reproducible ? records.map(\.withoutLatency) : records,
                facts: reproducible ? run.facts.withoutCircumstances : run.facts,
                suspects: try doubts.list(corpus: run.facts.corpusName, recipeFolder: nil),
                commands: RunCommands(run.facts.request))
            model.against = try baseline?.compare(records, run.facts, folder: folder)
            let problem = explain(FinishedRun(store, run.key, run.facts, folder: folder), model.trials)
            if let problem { StandardError.print("Trials cannot be shown in full: \(problem)") }
            model.shown = try detailOptions.shown(in: store, run.key, of: model, remark: problem)
            try model.write(to: target)
            if let outcomes { try OutcomesJSONL.write(records, to: outcomes) }
            try StandardOutput.print(SummaryTable.text(model))
            try StandardOutput.print("\(target)/report.html")
        }
    }

    /// Makes missing details; returns why that cannot be done.
    private func explain(_ run: FinishedRun, _ trials: [JudgedTrial]) -> String? {
        do {
            try run.explain(
                detailOptions.details, of: trials, open: { try $0.open() },
                contestant: { try $0.contestant(allowing: matcherCommand) },
                progress: ProgressDisplay().show(_:done:of:))
            return nil
        } catch {
            return Advice.text(error)
        }
    }
}
