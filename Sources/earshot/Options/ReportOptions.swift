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
            "The number of trials to show with sound and spectrograms. 0 shows none.",
            discussion: """
                Two thirds are the worst trials: wrong answers by confidence, then misses by score. The others are \
                drawn at random. If there are more than 36, the folder trials holds them. (default: 3; of report, 36)
                """))
    var details: Int?
    @Option(
        help:
            "A list of recordings with doubtful truth, to score without them too. (default: CORPUS.suspects beside the recipe)",
        completion: .file(extensions: ["suspects"]))
    var suspects: String?
    @Flag(help: "Print the figures of every condition.")
    var table = false

    func validate() throws { try require("--details", details ?? 0, in: 0...100_000) }

    /// The report of a run, compared with `baseline` if there is one.
    ///
    /// - Parameters:
    ///   - usualDetails: How many trials are shown in full where nobody says.
    ///   - explain: makes missing details. It returns the reason if that fails.
    func model(
        of run: FinishedRun, _ records: [TrialRecord], usualDetails: Int = TrialChoice.firstCount,
        recipeFolder: String? = nil, against baseline: NamedBaseline? = nil, isReproducible: Bool = false,
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
        model.shown = try ShownTrials(
            details ?? TrialChoice.pageCount, required: details ?? usualDetails, of: model.trials,
            seed: model.facts.seed, remark: remark
        ) {
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
        help: "The rules: a name in Reports/gates, here or installed, or the path of a YAML file.",
        completion: .reportFiles(in: "gates", extension: "yaml"))
    var rules = "standard"
    @Option(
        help: "The baseline: a name in Reports/baselines, the path of a JSON file, or the folder of a run.",
        completion: .reportFiles(in: "baselines", extension: "json"))
    var baseline: String?

    func gateRules() throws -> GateRules {
        let file = ReportFile(rules, in: "gates", extension: "yaml")
        if file.exists || file.isPath { return try GateRules(path: file.path) }
        let known = file.known
        throw ConfigurationError(
            file: rules, line: nil,
            message: "no such rules or file; rules in \(file.folders.joined(separator: " and ")): "
                + (known.isEmpty ? "none" : known.joined(separator: ", ")) + known.suggestion(for: rules))
    }

    /// The baseline, which is there, or nil where none is named; ends with exit code 5 where it is missing.
    func open() throws -> NamedBaseline? {
        guard let baseline else { return nil }
        let rules = try gateRules()
        return (baseline, try openBaseline(baseline), rules)
    }
}

/// The baseline of a name, a file, or the folder of a run; ends with exit code 5 where it is missing.
func openBaseline(_ name: String) throws -> Baseline {
    let file = ReportFile(name, in: "baselines", extension: "json")
    if !file.exists || file.isPath, OutputPath.isFolder(name) {
        return Baseline(try RunFolder(reading: name).scoredRun())
    }
    guard file.exists else {
        StandardError.print(
            "Error: \(file.path): there is no such baseline; record one with "
                + "`earshot baseline accept RUN --name \(name)`\(file.known.suggestion(for: name))")
        throw ExitCode(.noBaseline)
    }
    return try Baseline(path: file.path)
}

/// A baseline and the rules that go with it.
typealias NamedBaseline = (name: String, baseline: Baseline, rules: GateRules)

/// A file given as a path, or by its name in a folder of `Reports`: here, or for rules also installed beside the recipes.
struct ReportFile {
    let isPath: Bool
    let path: String
    let folders: [String]
    private let suffix: String

    init(_ name: String, in folder: String, extension suffix: String) {
        let library = folder == "gates" ? try? CorpusLibrary() : nil
        folders =
            ["Reports/\(folder)"]
            + [library].compactMap {
                $0.map {
                    URL(fileURLWithPath: $0.recipeFolder + "/../Reports/gates").standardizedFileURL.path
                }
            }
        isPath = name.contains("/") || name.hasSuffix(".\(suffix)")
        let paths = folders.map { "\($0)/\(name).\(suffix)" }
        path = isPath ? name : paths.first(where: FileManager.default.fileExists) ?? paths[0]
        self.suffix = suffix
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// The names of all such files.
    var known: [String] {
        let names = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
        return Set(names.filter { $0.hasSuffix(".\(suffix)") }.map { String($0.dropLast(suffix.count + 1)) })
            .sorted()
    }
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
