import ArgumentParser
import Evaluation
import Foundation

/// The options that name a baseline and the rules to judge by.
struct BaselineOptions: ParsableArguments {
    @Option(help: "The rules: a name in Reports/gates, or the path of a YAML file.")
    var rules = "standard"

    @Option(help: "The baseline: a name in Reports/baselines, or the path of a JSON file.")
    var baseline: String?

    /// A baseline and the rules that go with it.
    struct Opened {
        let name: String
        let baseline: Baseline
        let rules: GateRules

        /// A run beside the baseline.
        func compare(_ records: [TrialRecord], _ facts: RunFacts, folder: String) throws -> BaselineComparison
        {
            try BaselineComparison(
                ScoredRun(records: records, facts: facts, folder: folder), baseline: baseline, name: name,
                rules: rules)
        }
    }

    /// The rules.
    func gateRules() throws -> GateRules {
        try GateRules(path: ReportFiles.path(of: rules, in: "gates", extension: "yaml"))
    }

    /// The baseline, which is there, or nil where none is named; ends with exit code 5 where it is missing.
    func open() throws -> Opened? {
        guard let baseline else { return nil }
        let path = ReportFiles.path(of: baseline, in: "baselines", extension: "json")
        guard FileManager.default.fileExists(atPath: path) else {
            StandardError.print(
                "Error: \(path): there is no such baseline; record one with "
                    + "`earshot baseline accept RUN --name \(baseline)`")
            throw ExitCode(5)
        }
        return Opened(name: baseline, baseline: try Baseline(path: path), rules: try gateRules())
    }
}

/// Where gates and baselines are kept.
enum ReportFiles {
    /// The path of a file given as a path or by its name in a folder of `Reports`.
    static func path(of name: String, in folder: String, extension suffix: String) -> String {
        name.contains("/") || name.hasSuffix(".\(suffix)") ? name : "Reports/\(folder)/\(name).\(suffix)"
    }
}
