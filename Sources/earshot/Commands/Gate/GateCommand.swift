import ArgumentParser
import Evaluation
import Foundation
import Reporting
import SystemIO

struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Pass or fail a run by rules: limits, and losses against a baseline",
        discussion: """
            \(ExitStatus.list) `earshot baseline accept` makes a run the baseline.
            """)

    @Argument(help: "The folder of the run. --power also takes a plan.", completion: .directory)
    var folder: String
    @OptionGroup var comparison: BaselineOptions
    @Option(help: "The verdict of an inconclusive gate: pass (0), fail (2) or inconclusive (3).")
    var inconclusive = Inconclusive.inconclusive
    @Option(
        help: ArgumentHelp(
            "Fail only if this second run fails too.",
            discussion:
                "The second run has the same build and plan, and another --seed. It needs --confirm-baseline.",
            valueName: "folder"), completion: .directory)
    var confirm: String?
    @Option(
        help: "The baseline of the second run, with the same seed.",
        completion: .reportFiles(in: "baselines", extension: "json"))
    var confirmBaseline: String?
    @Flag(help: "Check rules and baseline before a run, and judge nothing.")
    var check = false
    @Flag(
        help: "Print the losses that the rules can find and their rate of false alarms, and judge nothing.")
    var power = false
    @Option(help: "The number of gates in a year, for the false alarms of --power.")
    var runsAYear = 250
    @Option(help: .writes("JUnit XML"))
    var junit: String?
    @Option(help: .writes("Markdown"))
    var markdown: String?
    @Option(help: .writes("all findings as JSON"))
    var json: String?
    @Flag(help: "Print annotations for GitHub Actions, and add Markdown to the job summary.")
    var github = false

    enum Inconclusive: String, ExpressibleByArgument, CaseIterable {
        case pass, fail, inconclusive

        var verdict: GateVerdict { GateVerdict(rawValue: rawValue) ?? .inconclusive }
    }

    func validate() throws {
        try reject(
            if: (confirm == nil) != (confirmBaseline == nil),
            "--confirm and --confirm-baseline belong together")
        try require(["--confirm"], with: "--baseline")
        try require(["--runs-a-year"], with: "--power")
        let judging = [
            "--confirm", "--confirm-baseline", "--inconclusive", "--junit", "--markdown", "--json",
            "--github",
        ]
        if check { try refuse(judging, "with --check") }
        if power { try refuse(judging + ["--baseline", "--check"], "with --power") }
        try require("--runs-a-year", runsAYear, in: 1...1_000_000)
    }

    func run() throws {
        let rules = try comparison.gateRules()
        if power { return try printPower(of: rules) }
        let opened = try comparison.open()
        if check { return }
        let scored = try RunFolder(reading: folder).scoredRun()
        if opened == nil, let rule = rules.rules.first(where: \.needsBaseline) {
            StandardError.print(
                "Error: \(rules.path):\(rule.line): the rule \"\(rule.name)\" needs a baseline. Name one with --baseline. "
                    + "If this is the first run, make it the baseline: "
                    + CommandText.line(["earshot", "baseline", "accept", folder, "--name", "NAME"]))
            throw ExitCode(.noBaseline)
        }
        var report = try Gate(rules).judge(scored, baseline: opened?.baseline)
        if let confirm, let confirmBaseline {
            report = try Gate(rules).confirm(
                report, by: RunFolder(reading: confirm).scoredRun(), baseline: openBaseline(confirmBaseline))
        }
        report.add(try GatePower(rules, run: scored))
        try write(GateText(report))
        if ![junit, markdown, json].contains(StandardOutput.path) { try printPlain(report) }
        if report.isOfItself == true { try FirstBaseline(scored).require() }
        let verdict = report.verdict == .inconclusive ? inconclusive.verdict : report.verdict
        if verdict != .pass { throw ExitCode(verdict.exitStatus) }
    }

    private func printPlain(_ report: GateReport) throws {
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
    }

    /// Prints what the rules find in runs of a plan, or in the run of a folder.
    private func printPower(of rules: GateRules) throws {
        let power =
            FileManager.default.fileExists(atPath: folder + "/trials.sqlite")
            ? try GatePower(rules, run: RunFolder(reading: folder).scoredRun())
            : try GatePower(rules, plan: RunRequest(plan: folder).open().plan)
        try StandardOutput.print(GatePowerText(power, runs: runsAYear).plain)
    }

    private func write(_ text: GateText) throws {
        try StandardOutput.write(text.junit, to: junit)
        try StandardOutput.write(text.markdown, to: markdown)
        try StandardOutput.write(text.json(), to: json)
        guard github else { return }
        try StandardOutput.write(text.annotations)
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
