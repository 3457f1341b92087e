import ArgumentParser
import Evaluation
import Foundation
import Reporting
import SystemIO

struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Judge a run by rules: limits, and losses against a baseline",
        discussion: """
            Exit codes: 0 pass, 1 error, 2 broken rule, 3 too few trials, 4 better than the baseline, 5 no baseline \
            or one of other queries. `earshot baseline accept` records a better run.
            """)

    @Argument(help: "The folder of the run.", completion: .directory)
    var folder: String
    @OptionGroup var comparison: BaselineOptions
    @Option(help: "Write JUnit XML to this file.")
    var junit: String?
    @Option(help: "Write Markdown to this file.")
    var markdown: String?
    @Option(help: "Write all findings as JSON to this file.")
    var json: String?
    @Flag(help: "Print annotations for GitHub Actions and add Markdown to its job summary.")
    var github = false

    func run() throws {
        let rules = try comparison.gateRules()
        let scored = try RunFolder(reading: folder).scoredRun()
        let opened = try comparison.open()
        if opened == nil, let rule = rules.rules.first(where: \.needsBaseline) {
            StandardError.print(
                "Error: \(rules.path):\(rule.line): the rule \"\(rule.name)\" needs a baseline; name one with --baseline"
            )
            throw ExitCode(5)
        }
        let report = try Gate(rules).judge(scored, baseline: opened?.baseline)
        try write(GateText(report))
        let lines = GateText(report).plain(columns: StandardOutput.columns).split(
            separator: "\n", maxSplits: 1)
        let ink: Ink =
            switch report.verdict {
            case .fail: .red
            case .inconclusive: .yellow
            case .improved, .pass: .green
            }
        for (number, line) in lines.enumerated() {
            try StandardOutput.print(number == 0 ? ink(String(line)) : String(line))
        }
        if report.verdict != .pass { throw ExitCode(report.verdict.exitCode) }
    }

    private func write(_ text: GateText) throws {
        if let junit { try AtomicFile.write(text.junit, to: junit) }
        if let markdown { try AtomicFile.write(text.markdown, to: markdown) }
        if let json { try AtomicFile.write(text.json(), to: json) }
        guard github else { return }
        try StandardOutput.print(text.annotations, terminator: "")
        guard let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"] else { return }
        let earlier = FileManager.default.contents(atPath: path) ?? Data()
        try AtomicFile.write(String(decoding: earlier, as: UTF8.self) + text.markdown, to: path)
    }
}

extension RunFolder {
    /// The only run of the folder, scored.
    func scoredRun() throws -> ScoredRun {
        let (records, facts) = try onlyRun()
        return try ScoredRun(records: records, facts: facts, folder: path)
    }
}
