import ArgumentParser
import Evaluation
import Foundation
import Reporting

/// `earshot report`: writes the report of a finished run again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write CSV and HTML again from the stored outcomes of a run.")

    @Argument(help: "The folder of the run.")
    var folder: String

    @Option(
        help: "Where to write; by default the same folder. With several runs in one store, one folder each.")
    var output: String?

    @OptionGroup var doubts: SuspectOptions

    func run() throws {
        let store = try RunFolder(existing: folder).store
        let runs = try store.runs()
        if runs.isEmpty {
            throw StoreError(path: store.path, message: "holds no finished run; there is nothing to report")
        }
        for run in runs {
            let name = "\(run.key.plan.prefix(8))-\(run.key.matcher.prefix(8))"
            let target = runs.count == 1 ? output ?? folder : "\(output ?? folder)/\(name)"
            let model = ReportModel(
                records: try store.records(of: run.key), facts: run.facts,
                suspects: try doubts.list(corpus: run.facts.corpusName, recipeFolder: nil))
            try ReportWriter.write(model, to: target)
            print(SummaryTable.text(model))
            print("\(target)/report.html")
        }
    }
}
