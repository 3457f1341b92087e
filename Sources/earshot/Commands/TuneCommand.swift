import ArgumentParser
import Corpora
import Evaluation
import Foundation
import Reporting
import Studies

/// `earshot tune`: searches a matcher's settings on one half of a corpus and checks them on the other.
struct TuneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune",
        abstract: "Search a matcher's settings for recall at zero false accepts.",
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

    @Option(help: "Stop after so many minutes of measuring candidates; making the queries comes on top.")
    var budgetMinutes: Double?

    @Option(help: "Stop after so many candidates; 100 unless --budget-minutes is given.")
    var candidates: Int?

    @Flag(help: "Make the standard settings a candidate, too.")
    var withStandard = false

    @Option(help: "The seed of the search; the plan keeps its own.")
    var searchSeed: UInt64 = 1

    @Option(help: "The number of threads; only times depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "The folder for journal, results and passing samples; it is made if there is none.")
    var output: String?

    @Option(help: "The ledger of looks at held-out halves.")
    var ledger = "Reports/ledger.jsonl"

    @Flag(help: "Leave the held-out half alone.")
    var noLook = false

    @Option(
        name: .customLong("look-at"),
        help: "Search nothing: look at these settings, as name=value, on the held-out half; may be repeated.")
    var lookAt: [SettingChoice] = []

    @Flag(
        help: "Search nothing: read settings from standard input and answer what they achieve, as JSON lines."
    )
    var evaluate = false

    func validate() throws {
        try options.recorded.refuse(by: "tune")
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
        if let budgetMinutes, !(budgetMinutes > 0 && budgetMinutes <= 100_000) {
            throw ValidationError("--budget-minutes \(budgetMinutes) is not above 0 and at most 100000")
        }
        if let candidates, !(1...1_000_000).contains(candidates) {
            throw ValidationError("--candidates \(candidates) is not in 1...1000000")
        }
        if budgetMinutes != nil, candidates != nil {
            throw ValidationError("--budget-minutes and --candidates exclude each other")
        }
        if evaluate, !lookAt.isEmpty { throw ValidationError("--evaluate and --look-at exclude each other") }
        if output == nil, !evaluate { throw ValidationError("--output is missing: where shall results go?") }
    }

    func run() throws {
        let names = search.map { $0.split(separator: ",").map(String.init) } ?? []
        if names.isEmpty, search != nil { throw ValidationError("--search names no setting") }
        let space = try SearchSpace(choice.contestant(), names: names)
        let looked = Dictionary(lookAt.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        _ = try space.contestant.choosing(looked)
        let (plan, material, _) = try options.open(half: .tuning)
        if let output { try plan.corpus.keepOut(output) }
        if evaluate { return try judge(space, plan, material) }
        try requireHalves(of: plan.corpus)

        let folder = output ?? ""
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lock = try RunLock(folder: folder)
        defer { withExtendedLifetime(lock) {} }
        if !lookAt.isEmpty {
            let check = try look(at: looked, space, plan, material, folder)
            try StandardOutput.print(TuningReport.summary(of: check))
            return
        }
        let journal = try TuningJournal(
            path: folder + "/journal.jsonl", space: space, plan: plan,
            matcherDigest: space.contestant.digest(), seed: searchSeed)
        journal.notes.forEach(StandardError.print)
        let search = try TuningSearch(
            space, evaluator: evaluator(plan, material, folder), journal: journal, budget: budget,
            seed: searchSeed, includingStandard: withStandard, note: StandardError.print)
        var result = try search.run()
        if !noLook {
            let settings = result.best.settings
            if let known = journal.heldOut, known.settings == settings {
                result.heldOut = known
            } else {
                let check = try look(at: settings, space, plan, material, folder)
                try journal.append(check)
                result.heldOut = check
            }
        }
        let report = TuningReport(result)
        let page = try report.write(to: folder)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
        try StandardOutput.print(result.arguments(for: result.best.settings).joined(separator: " "))
    }

    /// Throws where the half that is not searched on would be the one that is.
    private func requireHalves(of corpus: Corpus) throws {
        guard !corpus.isDivided else { return }
        let reason = "\(corpus.name) holds too few recordings to hold a half out"
        if !lookAt.isEmpty { throw ValidationError("\(reason), so there is none to look at") }
        if !noLook { throw ValidationError("\(reason); give --no-look") }
    }

    private var budget: TuningSearch.Budget {
        budgetMinutes.map { .minutes($0) } ?? .candidates(candidates ?? 100)
    }

    private func evaluator(_ plan: Plan, _ material: CorpusMaterial, _ folder: String) throws
        -> CandidateEvaluator
    {
        StandardError.print("plan \(plan.file.name), \(plan.half.rawValue) half, \(plan.trials.count) trials")
        let display = ProgressDisplay()
        let questions = try QuestionSet(
            plan: plan, material: material, jobs: jobs, folder: folder, progress: display.show(_:done:of:))
        for problem in questions.omitted { StandardError.print("left out: \(problem)") }
        return CandidateEvaluator(questions: questions, jobs: jobs, folder: folder)
    }

    private func look(
        at settings: [String: Double], _ space: SearchSpace, _ plan: Plan, _ material: CorpusMaterial,
        _ folder: String
    ) throws -> HeldOutCheck {
        let other: CorpusHalf = plan.half == .tuning ? .test : .tuning
        // With speed copies each half has a corpus of its own.
        var heldOutOptions = options
        heldOutOptions.half = other
        let heldOut = try heldOutOptions.open().plan
        let check = try HeldOutCheck(
            of: space.start.merging(settings) { $1 }, in: space,
            evaluator: evaluator(heldOut, material, folder), ledger: LookLedger(path: ledger),
            seed: searchSeed)
        if check.look > LookLedger.budget {
            StandardError.print(
                "warning: the \(other.rawValue) half has been looked at \(check.look) times (\(ledger)); "
                    + "after \(LookLedger.budget) looks it is hardly held out any more")
        }
        return check
    }

    private func judge(_ space: SearchSpace, _ plan: Plan, _ material: CorpusMaterial) throws {
        let folder = output ?? FileManager.default.temporaryDirectory.path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let judge = try SettingJudge(
            space, evaluator: evaluator(plan, material, folder), seed: searchSeed)
        try StandardOutput.print(judge.introduction())
        while let line = readLine() { try StandardOutput.print(judge.reply(to: line)) }
    }
}
