import ArgumentParser
import Corpora
import Evaluation
import Foundation
import Reporting
import SystemIO

/// The options of a run's report: the trials in full, and recordings whose truth is in doubt.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many trials to show in full, with sound and spectrograms; 0 for none.",
            discussion: """
                Two thirds are the worst: wrong answers by confidence, then misses by score. The seed draws the \
                others. The folder trials holds them if they are more than 36.
                """))
    var details = TrialChoice.usualCount
    @Option(
        help: "Score without the suspects in this list, too. (default: CORPUS.suspects beside the recipe)",
        completion: .file(extensions: ["suspects"]))
    var suspects: String?
    @Flag(help: "Print the figures of every condition.")
    var table = false

    func validate() throws { try require("--details", details, in: 0...100_000) }

    /// The report of a run, compared with `baseline` if there is one.
    ///
    /// - Parameter explain: makes missing details. It returns the reason if that fails.
    func model(
        of run: FinishedRun, _ records: [TrialRecord], recipeFolder: String? = nil,
        against baseline: NamedBaseline? = nil, isReproducible: Bool = false,
        explain: ([JudgedTrial]) -> String? = { _ in nil }
    ) throws -> ReportModel {
        var model = ReportModel(
            records: isReproducible ? records.map(\.withoutCircumstances) : records,
            facts: isReproducible ? run.facts.withoutCircumstances : run.facts,
            suspects: try list(corpus: run.facts.corpusName, recipeFolder: recipeFolder),
            commands: RunCommands(run.facts.request))
        model.summaryListsConditions = table
        model.against = try baseline.map {
            let scored = try ScoredRun(records: records, facts: run.facts, folder: run.folder)
            return try BaselineComparison(scored, baseline: $0.baseline, name: $0.name, rules: $0.rules)
        }
        if baseline == nil, !isReproducible {
            let runs = try run.store.runs().filter { $0.key != run.key }
            model.previous = try PreviousRun(
                of: records, run.facts, among: runs.map(\.facts), folder: run.folder
            ) { facts in
                guard let earlier = runs.first(where: { $0.facts == facts }) else { return [] }
                return try run.store.records(of: earlier.key, facts)
            }
        }
        let remark = explain(model.trials)
        model.shown = try ShownTrials(details, of: model.trials, seed: model.facts.seed, remark: remark) {
            try run.store.content(TrialDetail.self, as: .detail, of: $0, in: run.key)
        }
        return model
    }

    /// The list; nil when none is named and the corpus has none.
    ///
    /// A run may be reported where its recipes are not: then there is none.
    private func list(corpus: String, recipeFolder: String?) throws -> SuspectList? {
        if let suspects { return try SuspectList(path: suspects) }
        guard let library = try? CorpusLibrary(recipeFolder: recipeFolder) else { return nil }
        return try library.suspects(corpus: corpus)
    }
}

/// The options that name a baseline and the rules to judge by.
struct BaselineOptions: ParsableArguments {
    @Option(
        help: "The rules: a name in Reports/gates, or the path of a YAML file.",
        completion: .reportFiles(in: "gates", extension: "yaml"))
    var rules = "standard"
    @Option(
        help: "The baseline: a name in Reports/baselines, or the path of a JSON file.",
        completion: .reportFiles(in: "baselines", extension: "json"))
    var baseline: String?

    func gateRules() throws -> GateRules {
        try GateRules(path: reportFile(rules, in: "gates", extension: "yaml"))
    }

    /// The baseline, which is there, or nil where none is named; ends with exit code 5 where it is missing.
    func open() throws -> NamedBaseline? {
        guard let baseline else { return nil }
        let path = reportFile(baseline, in: "baselines", extension: "json")
        guard FileManager.default.fileExists(atPath: path) else {
            let known = (try? FileManager.default.contentsOfDirectory(atPath: "Reports/baselines")) ?? []
            let near = known.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
                .suggestion(for: baseline)
            StandardError.print(
                "Error: \(path): there is no such baseline; record one with "
                    + "`earshot baseline accept RUN --name \(baseline)`\(near)")
            throw ExitCode(5)
        }
        return (baseline, try Baseline(path: path), try gateRules())
    }
}

/// A baseline and the rules that go with it.
typealias NamedBaseline = (name: String, baseline: Baseline, rules: GateRules)

/// The path of a file given as a path or by its name in a folder of `Reports`.
func reportFile(_ name: String, in folder: String, extension suffix: String) -> String {
    name.contains("/") || name.hasSuffix(".\(suffix)") ? name : "Reports/\(folder)/\(name).\(suffix)"
}

extension Report {
    /// Writes the report, and prints its summary and the path of its page.
    func publish(to folder: String) throws {
        let page = try write(to: folder)
        let lines = summary.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        try StandardOutput.print(Ink.bold(String(lines[0])) + (lines.count > 1 ? "\n\(lines[1])" : ""))
        try StandardOutput.print(page)
    }
}
