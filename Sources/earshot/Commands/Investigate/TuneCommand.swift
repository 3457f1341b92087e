import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct TuneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune",
        abstract: "Search a matcher's settings for recall at zero false accepts",
        discussion: """
            Starts from the standard settings with those of --set in place of them, searches those named by --search, \
            and compares the best with the start and with the standard settings on the half that was not searched on. \
            Every such look is counted in a ledger. A search that was broken off goes on where it stopped. While it \
            runs it keeps queries and up to 4 GB of decoded references in the output folder. The last line on standard \
            output holds the arguments that choose the best settings; it is empty where those are the standard ones.
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The settings to search, separated by commas; all of them unless given.")
    var search: String?
    @Option(
        help:
            "Stop after this many minutes of measuring candidates. The time to make the queries is not counted."
    )
    var budgetMinutes: Double?
    @Option(help: "Stop after this many candidates; 100 unless --budget-minutes is given.")
    var candidates: Int?
    @Flag(help: "Make the standard settings a candidate, too.")
    var withStandard = false
    @Option(help: "The seed of the search; the plan keeps its own.")
    var searchSeed: UInt64 = 1
    @Option(help: "The number of threads; only times depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "The folder for measurements, results and passing samples; it is made if there is none.")
    var output: String?
    @Option(help: "The ledger of looks at held-out halves.")
    var ledger = "Reports/ledger.jsonl"
    @Flag(help: "Leave the held-out half alone.")
    var noLook = false
    @Option(
        name: .customLong("look-at"),
        help: "Search nothing: look at these settings, as name=value, on the held-out half; may be repeated.")
    var lookAt: [MatcherRequest.Setting] = []
    @Flag(
        help: "Search nothing: read settings from standard input and answer what they achieve, as JSON lines."
    )
    var evaluate = false

    func validate() throws {
        try requireJobs(jobs)
        try require("--budget-minutes", budgetMinutes, atMost: 100_000)
        try require("--candidates", candidates, in: 1...1_000_000)
        try reject(
            if: budgetMinutes != nil && candidates != nil,
            "--budget-minutes and --candidates exclude each other")
        try reject(if: evaluate && !lookAt.isEmpty, "--evaluate and --look-at exclude each other")
        try reject(if: output == nil && !evaluate, "No output folder. Add --output DIR.")
    }

    func run() throws {
        let looked = MatcherRequest(settings: lookAt).chosen
        let run = try TuningRun(
            options.request(choice.request), of: space(including: looked), in: .standard(options.corpora),
            seed: searchSeed, jobs: jobs, folder: output, note: StandardError.print,
            progress: ProgressDisplay().show(_:done:of:))
        if evaluate { return try answer(run.judge()) }
        try requireHalves(of: run.corpus)
        if !lookAt.isEmpty {
            return try StandardOutput.print(TuningReport.summary(of: run.look(at: looked, ledger: ledger)))
        }
        let result = try run.search(budget, includingStandard: withStandard, ledger: noLook ? nil : ledger)
        let winner = result.choices(in: result.best.settings).map { "--set \($0)" }.joined(separator: " ")
        try TuningReport(result, winner: winner).publish(to: output ?? "")
        try StandardOutput.print(winner)
    }

    private func space(including looked: [String: Double]) throws -> SearchSpace {
        let names = search.map { $0.split(separator: ",").map(String.init) } ?? []
        try reject(if: names.isEmpty && search != nil, "--search names no setting")
        let space = try SearchSpace(choice.request.contestant(), names: names)
        _ = try space.contestant.choosing(looked)
        return space
    }

    /// Throws where the half that is not searched on would be the one that is.
    private func requireHalves(of corpus: Corpus) throws {
        guard !corpus.isDivided else { return }
        let reason = "\(corpus.name) holds too few recordings to hold a half out"
        try reject(if: !lookAt.isEmpty, "\(reason), so there is none to look at")
        try reject(if: !noLook, "\(reason); give --no-look")
    }

    private var budget: TuningSearch.Budget {
        budgetMinutes.map { .minutes($0) } ?? .candidates(candidates ?? 100)
    }

    private func answer(_ judge: ObjectiveServer) throws {
        try StandardOutput.print(judge.introduction())
        while let line = readLine() { try StandardOutput.print(judge.reply(to: line)) }
    }
}
