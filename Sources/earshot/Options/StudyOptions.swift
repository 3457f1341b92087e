import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers

/// The options of every study and run: the matcher, the number of threads, the folder for results.
struct StudyOptions: ParsableArguments {
    @OptionGroup var choice: MatcherOptions
    @OptionGroup var threads: ThreadOptions
    @OptionGroup var results: ResultOptions
    @OptionGroup var decoding: SandboxOptions

    var jobs: Int { threads.count }
    var output: String? { results.output }

    /// Begins or resumes a study in a folder, and shows its progress.
    func run(
        _ study: some Study, _ origin: Provenance, in folder: String, shard: Shard? = nil,
        isFresh: Bool = false
    ) throws -> StudyRun {
        try StudyRun(
            of: study, in: folder, origin: origin, shard: shard, isFresh: isFresh, jobs: jobs,
            progress: ProgressDisplay().show)
    }
}

/// A command that measures a matcher.
protocol StudyCommand: DecodingCommand {
    var work: StudyOptions { get }
}

extension StudyCommand {
    var decoding: SandboxOptions { work.decoding }
}

extension Provenance {
    /// That of a study whose plan file has a design.
    init<Design>(
        _ plan: StudyPlan<Design>, of corpus: Corpus, by contestant: Contestant, _ request: RunRequest
    ) throws {
        self.init(
            matcher: try .init(contestant), planName: plan.head.name, planDigest: plan.head.digest,
            request: request, corpusName: corpus.name, corpusDigest: corpus.lockDigest, half: plan.head.half,
            seed: plan.head.seed)
    }
}

/// The option of the number of threads.
struct ThreadOptions: ParsableArguments {
    @Option(
        name: .customLong("jobs"),
        help: "The number of threads, which changes only times. (default: one for each processor)")
    var chosen: Int?

    func validate() throws { try require("--jobs", chosen, in: 1...4096) }

    var count: Int { chosen ?? ProcessInfo.processInfo.activeProcessorCount }
}

/// The option of the folder for results.
struct ResultOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The folder for results. (default: one in Reports/runs; `tune` and `minimise` have no default)",
        completion: .directory)
    var output: String?
}

/// The option of commands that write files to a folder of any name.
struct FolderOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The folder to write to. It is made if it does not exist.",
        completion: .directory)
    var output: String
}

/// The options of commands that write the signature and the media items of each reference.
struct ExportOptions: ParsableArguments {
    @OptionGroup var target: FolderOptions
    @Flag(help: "Replace tables with other content, and files of another kind.")
    var force = false
    @Flag(name: .shortAndLong, help: "List the files.")
    var verbose = false
    @OptionGroup var batch: BatchOptions

    var output: String { target.output }

    func note(_ file: String) { if verbose { StandardError.print(file) } }
}

/// The option that starts over.
struct ResumeOptions: ParsableArguments {
    @Flag(help: "Remove the earlier results of the same run from the folder, and start over.")
    var fresh = false
}

/// The options of runs that may have failed trials.
struct RetryOptions: ParsableArguments {
    @OptionGroup var resume: ResumeOptions
    @Flag(help: "Run the failed trials of an earlier run again.")
    var retryErrors = false

    var fresh: Bool { resume.fresh }
}

/// The option that counts a look at the recordings.
struct ExamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write this look at the recordings into a ledger, and refuse a second one.",
            discussion: """
                The ledger is a CSV file. It gets a line before the first query. The same version and settings of a \
                matcher cannot ask the same plan and recordings again, but an interrupted run resumes in its folder. \
                A corpus whose recipe says `exam: true` needs this option.
                """, valueName: "ledger"), completion: .file(extensions: ["csv"]))
    var exam: String?

    func validate() throws { try exclude("--exam", "--fresh", "--retry-errors", "--shard") }

    func ledger() throws -> ExamLedger? {
        try exam.map { try ExamLedger(path: $0, note: StandardError.print) }
    }
}

/// The option that runs a share, on one of several machines.
struct ShardOptions: ParsableArguments {
    @Option(
        help: "Run only this share, such as 3/8 for the third of eight. `earshot merge` combines all shares.")
    var shard: Shard?
}

extension Shard: ExpressibleByArgument {}

/// The options that choose a matcher of this program, and its settings.
struct BuiltInOptions: ParsableArguments {
    @Option(
        help: "The matcher: \(Contestants.all.map(\.name).joined(separator: ", ")).",
        completion: .matchers)
    var matcher = MatcherRequest.standardName
    @Option(
        name: .customLong("set"),
        help:
            "Change a setting of the matcher: name=value. Can be repeated. `earshot settings` lists all settings.",
        completion: .settings)
    var settings: [MatcherRequest.Setting] = []

    func validate() throws {
        try reject(if: Contestants.named(matcher) == nil, "there is no matcher called '\(matcher)'")
    }

    var request: MatcherRequest { MatcherRequest(name: matcher, settings: settings) }
}

/// The options that choose what is measured.
struct MatcherOptions: ParsableArguments {
    @OptionGroup var builtIn: BuiltInOptions
    @Option(
        help: ArgumentHelp(
            "Measure your own program. The value is the command line that starts the program.",
            discussion: """
                No shell reads the command line, but quotes keep words together. scripts/adapters/CONTRACT.md describes the \
                protocol of the program.
                """))
    var matcherCommand: String?
    @Option(
        help: ArgumentHelp(
            "A YAML file with the settings that the program's command line has as {name}.",
            discussion: "A program that answers `configure` states its settings itself and needs no file."),
        completion: .file(extensions: ["yaml"]))
    var settingsFile: String?
    @OptionGroup var limits: LimitOptions

    func validate() throws {
        try exclude("--matcher-command", "--matcher")
        try require(LimitOptions.names + ["--settings-file"], with: "--matcher-command")
        if let matcherCommand { _ = try ExternalCommand(matcherCommand) }
    }

    /// - Throws: `ConfigurationError` for a mistake in the file of settings.
    func request() throws -> MatcherRequest {
        var request = builtIn.request
        let settings = try settingsFile.map(SettingFile.tunables)
        request.program = matcherCommand.map { limits.program($0, settings: settings) }
        return request
    }
}

extension MatcherRequest.Setting: ExpressibleByArgument {
    /// Reads `name=value`; the value is a number or a word.
    public init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(name: String(parts[0]), text: String(parts[1]))
    }
}

/// The limits of time and memory of a program under `--matcher-command`.
struct LimitOptions: ParsableArguments {
    @Option(help: "Seconds for an answer to a query. A slower program is killed and started again.")
    var timeLimitSeconds = ExternalLimits().querySeconds
    @Option(help: "Seconds for a program to start and to state its name.")
    var startLimitSeconds = ExternalLimits().helloSeconds
    @Option(help: "Seconds for a program to enrol one reference.")
    var enrolLimitSeconds = ExternalLimits().enrolSeconds
    @Option(help: "Seconds for a program to get ready after the last reference.")
    var readyLimitSeconds = ExternalLimits().readySeconds
    @Option(help: "Gigabytes of memory for a program and its children. (default: 3/4 of the machine's)")
    var memoryLimitGigabytes: Double?

    @Option(
        name: .customLong("adapter-env"),
        help: ArgumentHelp(
            "Let a program have this variable of the environment. Can be repeated.",
            discussion: """
                Without it a program has only \((ExternalCommand.usualVariables + ["TMPDIR", "EARSHOT_WORK"]).joined(separator: ", ")).
                """, valueName: "name"))
    var variables: [String] = []

    private static let limitNames = [
        "--time-limit-seconds", "--start-limit-seconds", "--enrol-limit-seconds", "--ready-limit-seconds",
        "--memory-limit-gigabytes",
    ]
    static let names = limitNames + ["--adapter-env"]

    func validate() throws {
        let values = [
            timeLimitSeconds, startLimitSeconds, enrolLimitSeconds, readyLimitSeconds, memoryLimitGigabytes,
        ]
        for variable in variables {
            try reject(
                if: variable.isEmpty || variable.contains("="),
                "--adapter-env takes a name, not '\(variable)'")
        }
        for (name, value) in zip(Self.limitNames, values) { try require(name, value, atMost: 1_000_000) }
    }

    /// The limits that differ from the standard ones.
    var limits: MatcherRequest.Limits {
        let standard = ExternalLimits()
        var limits = MatcherRequest.Limits()
        if timeLimitSeconds != standard.querySeconds { limits.querySeconds = timeLimitSeconds }
        if startLimitSeconds != standard.helloSeconds { limits.startSeconds = startLimitSeconds }
        if enrolLimitSeconds != standard.enrolSeconds { limits.enrolSeconds = enrolLimitSeconds }
        if readyLimitSeconds != standard.readySeconds { limits.readySeconds = readyLimitSeconds }
        limits.memoryGigabytes = memoryLimitGigabytes
        return limits
    }

    func program(_ command: String, settings: [TunableSetting]? = nil) -> MatcherRequest.Program {
        .init(command: command, limits: limits, variables: variables, settings: settings)
    }
}

/// The options that say whether and how much is kept from one run to the next.
struct CacheOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo, help: "Use cached results of earlier runs, and cache the results of this run."
    )
    var cache = true
    @Option(
        help: "Gigabytes of rendered queries to keep in the LRU cache. `earshot cache` shows the cache.")
    var cacheGigabytes = 2.0

    func validate() throws {
        try require("--cache-gigabytes", cacheGigabytes, in: 0...1e6)
        try exclude("--no-cache", "--cache-gigabytes")
    }

    /// The cache; nil if it is not wanted, or with a warning if it cannot be opened.
    func open(in library: CorpusLibrary) throws -> TrialCache? {
        guard cache else { return nil }
        do {
            return try TrialCache(
                folder: CachePart.trialFolder(in: library),
                archiveBytes: Int(cacheGigabytes * 1e9), warn: StandardError.warn)
        } catch let error as StoreError {
            StandardError.warn("The cache is switched off for this run: \(error)")
            return nil
        }
    }
}
