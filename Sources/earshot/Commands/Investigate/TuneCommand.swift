import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters
import Reporting
import Studies

struct TuneCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune",
        abstract: "Search a matcher's settings for the most recall within limits",
        discussion: """
            Starts from the standard settings and those of --set, and searches the settings of --search. Compares the \
            best ones with the start and the standard on the held-out half. A ledger counts every such look. An \
            interrupted search resumes. The output folder holds queries and up to 4 GB of decoded references during \
            the search. The last line on standard output has the arguments of the best settings. It is empty if those \
            are the standard ones.
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var work: StudyOptions
    @Option(help: "The settings to search, with commas between them. (default: all)")
    var search: String?
    @Option(
        name: .customLong("goal"),
        help: ArgumentHelp(
            "What to reach: recall, milliseconds, megabytesPerHour. Can be repeated; several give a front.",
            discussion: "The first goal chooses the best settings. (default: recall)"))
    var goals: [TuningGoals.Figure] = []
    @Option(
        name: .customLong("at-most"),
        help: ArgumentHelp(
            "A limit: falseAccepts, milliseconds or megabytesPerHour =value. Can be repeated.",
            discussion: """
                The threshold keeps a limit of false accepts with 95 % confidence. Without that limit nothing wrong may be \
                answered. Milliseconds are the median processor time of a query. If no settings keep the limits, the \
                nearest are named, and the exit code is 4.
                """, valueName: "figure=value"))
    var limits: [TuningGoals.Limit] = []
    @Option(help: "Stop after this many minutes of measuring candidates. Making queries is not counted.")
    var budgetMinutes: Double?
    @Option(help: "Stop after this many candidates. (default: 100 without --budget-minutes)")
    var candidates: Int?
    @Flag(help: "Make the standard settings a candidate, too.")
    var withStandard = false
    @Option(help: "The seed of the search; the plan keeps its own.")
    var searchSeed: UInt64 = 1
    @Option(help: "The ledger of looks at held-out halves.")
    var ledger = "Reports/ledger.jsonl"
    @Flag(help: "Leave the held-out half alone.")
    var noLook = false
    @Option(
        name: .customLong("look-at"),
        help: "Only measure these settings, as name=value, on the held-out half. Can be repeated.")
    var lookAt: [MatcherRequest.Setting] = []
    @Flag(help: "Only measure the settings on standard input, and answer with lines of JSON.")
    var evaluate = false

    func validate() throws {
        try require("--budget-minutes", budgetMinutes, atMost: 100_000)
        try require("--candidates", candidates, in: 1...1_000_000)
        try exclude("--budget-minutes", "--candidates")
        try exclude("--look-at", "--evaluate")
        let searching = ["--budget-minutes", "--candidates", "--with-standard", "--search-seed", "--no-look"]
        if !lookAt.isEmpty { try refuse(searching, "with --look-at") }
        if evaluate { try refuse(searching, "with --evaluate") }
        try reject(if: work.output == nil && !evaluate, "No output folder. Add --output DIR.")
    }

    func run() throws {
        let (request, library) = try options.started(work.choice.request())
        let contestant = try request.matcher.contestant(knowingSettings: true)
        let looked = try contestant.values(of: lookAt)
        _ = try contestant.choosing(looked)
        let run = try TuningRun(
            request, of: SearchSpace(contestant, names: searched(), goals: wanted()), in: library,
            seed: searchSeed, jobs: work.jobs, folder: work.output, note: StandardError.print,
            progress: ProgressDisplay().show)
        if evaluate { return try answer(run.judge()) }
        try requireHalves(of: run.corpus)
        if !lookAt.isEmpty {
            return try StandardOutput.print(
                TuningReport.summary(of: run.look(at: looked, ledger: ledger), wanted()))
        }
        let result = try run.search(budget, includingStandard: withStandard, ledger: noLook ? nil : ledger)
        let winner = result.choices(in: result.best.settings).map { "--set \($0)" }.joined(separator: " ")
        let report = TuningReport(result, winner: winner)
        try report.publish(to: work.output ?? "")
        try StandardOutput.print(winner)
        guard result.keepsLimits else {
            StandardError.print(report.nearest)
            throw ExitCode(ExitStatus.unreached.rawValue)
        }
    }

    private func wanted() throws -> TuningGoals {
        try TuningGoals(wanted: goals.isEmpty ? [.recall] : goals, limits: limits)
    }

    private func searched() throws -> [String] {
        let names = search.map { $0.split(separator: ",").map(String.init) } ?? []
        try reject(if: names.isEmpty && search != nil, "--search names no setting")
        return names
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

extension TuningGoals.Figure: ExpressibleByArgument {}

extension TuningGoals.Limit: ExpressibleByArgument {
    /// Reads `figure=value`.
    public init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let figure = TuningGoals.Figure(rawValue: String(parts[0])),
            let most = Double(parts[1]), most.isFinite
        else { return nil }
        self.init(figure, atMost: most)
    }
}
