import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters

/// The options that choose a plan and what it is run on.
struct PlanOptions: ParsableArguments {
    @Option(help: "The plan: its name in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan = "standard"
    @OptionGroup var changes: PlanChanges
    @OptionGroup var recorded: RecordedOptions
    @OptionGroup var degradations: DegradationOptions
    @Option(
        help: ArgumentHelp(
            "A chain of degradations, as a YAML list.",
            discussion: """
                It becomes a condition of the plan, or degrades what is cut without a plan. A step of \
                --degradation-command is {program: {name: NAME, severity: NUMBER}}.
                """))
    var chain: String?
    @Option(
        help: ArgumentHelp(
            "Also cut negatives from enrolled recordings, in this many folds.",
            discussion: """
                The catalog leaves out one fold at a time, and the recordings of the fold give negatives. With \
                --queries, the matcher answers each positive again without its references.
                """))
    var negativeFolds: Int?
    @Option(
        help: ArgumentHelp(
            "Move the start of each query by this many frames of its source.",
            discussion: "The truth moves by the same time, so the right answers stay the same."))
    var startShift: Int?

    func validate() throws {
        try exclude(
            "--queries", "--corpus", "--folder", "--positives", "--negatives", "--start-shift",
            "--degradation-command", "--chain")
        try require("--start-shift", startShift, in: -1_000_000...1_000_000)
        try require("--negative-folds", negativeFolds, in: NegativeFolds.counts)
    }

    var seed: UInt64? { changes.drawn.seed }

    var recipes: RecipeOptions { changes.drawn.recipes }

    func request(_ matcher: MatcherRequest = MatcherRequest()) -> RunRequest {
        var request = changes.request(plan: plan)
        request.recorded = recorded.recorded
        request.negativeFolds = negativeFolds
        request.startShift = startShift
        request.matcher = matcher
        request.degradations = degradations.request
        request.chain = chain
        return request
    }

    /// The request and the library to open it in, with a started program of degradations if one is named.
    ///
    /// - Parameter exam: The ledger of an exam, whose recordings may then be asked; nil if there is none.
    func started(
        _ matcher: MatcherRequest = MatcherRequest(), exam: ExamLedger? = nil
    ) throws -> (request: RunRequest, library: CorpusLibrary) {
        var (request, library) = (request(matcher), try recipes.library())
        library.opensExams = exam != nil
        if let program = try degradations.start() {
            library.degradations = program
            request.degradations?.offered = program.offered
        }
        return (request, library)
    }
}

/// The options that name a program of degradations.
struct DegradationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use degradations of your own. The value is the command line of a program that applies them.",
            discussion: """
                In a new run each becomes a condition of the plan, or one for each of its severities. A finished run needs the \
                same program to make its queries again. No shell reads the command line. scripts/adapters/DEGRADATIONS.md \
                describes the protocol.
                """))
    var degradationCommand: String?
    @Option(help: "Seconds for --degradation-command to degrade one query.")
    var degradationLimitSeconds = ExternalLimits().querySeconds
    @Option(
        name: .customLong("degradation-env"),
        help: ArgumentHelp(
            "Let --degradation-command have this variable of the environment. Can be repeated.",
            valueName: "name"))
    var variables: [String] = []

    private static let details = ["--degradation-limit-seconds", "--degradation-env"]
    static let names = ["--degradation-command"] + details

    func validate() throws {
        try require(Self.details, with: "--degradation-command")
        try require("--degradation-limit-seconds", degradationLimitSeconds, atMost: 1_000_000)
        if let degradationCommand { _ = try ExternalCommand(degradationCommand) }
    }

    var request: DegradationRequest? {
        degradationCommand.map {
            let limit = degradationLimitSeconds
            return DegradationRequest(
                command: $0, limitSeconds: limit == ExternalLimits().querySeconds ? nil : limit,
                variables: variables)
        }
    }

    func start() throws -> ExternalDegradations? { try request.map(ExternalDegradations.init) }

    /// The library of a stored request, with the started program.
    func library(_ recipeFolder: String?) throws -> CorpusLibrary {
        var library = try CorpusLibrary.standard(recipeFolder)
        library.degradations = try start()
        return library
    }
}

/// The options that change what a plan cuts its queries from, and how many.
struct PlanChanges: ParsableArguments {
    @OptionGroup var drawn: CorpusOptions
    @Option(
        help: ArgumentHelp(
            "Use the recordings in this folder and its subfolders instead of the plan's corpus.",
            discussion: """
                The folder is only read. The first run compares all recordings with each other to find duplicates, and \
                caches the result.
                """), completion: .directory)
    var folder: String?
    @Flag(
        help: ArgumentHelp(
            "Use all recordings of --folder, instead of a tuning half and a test half.",
            discussion:
                "The catalog leaves out some recordings at a time, and these recordings give negatives."))
    var undivided = false
    @Option(help: "The number of positive trials in each cell, instead of the plan's.")
    var positives: Int?
    @Option(help: "The number of negative trials in each cell, instead of the plan's.")
    var negatives: Int?

    func validate() throws {
        try exclude("--folder", "--corpus")
        try require(["--undivided"], with: "--folder")
        try require("--positives", positives, in: 0...100_000)
        try require("--negatives", negatives, in: 0...100_000)
    }

    func request(plan: String) -> RunRequest {
        var request = drawn.request(plan: plan)
        request.folder = folder
        request.isUndivided = undivided ? true : nil
        (request.positives, request.negatives) = (positives, negatives)
        return request
    }
}

/// The options that take recorded queries in place of a plan's, the same for every command.
struct RecordedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use the recorded queries of this list instead of a plan's.",
            discussion: """
                The list is a CSV table with the columns query and reference, a MIREX list of two names a line, or \
                annotations.csv or matches.csv of Pexeso's toolkit. It needs --references.
                """,
            valueName: "list"), completion: .file())
    var queries: String?
    @Option(
        help: ArgumentHelp("Enrol the recordings in this folder for --queries.", valueName: "folder"),
        completion: .directory)
    var references: String?
    @Option(help: "Enrol only the recordings in this list, one a line.", completion: .file())
    var referenceList: String?
    @Option(
        help: "The folder with the files of --queries. (default: the folder of the list)",
        completion: .directory)
    var queryFolder: String?

    func validate() throws {
        try reject(
            if: (queries == nil) != (references == nil),
            "--queries and --references belong together: a list of recorded queries, and the folder of the recordings to "
                + "enrol. Without a list, --folder cuts queries from a folder of recordings")
        try require(["--reference-list", "--query-folder"], with: "--queries")
    }

    var recorded: RunRequest.Recorded? {
        guard let queries, let references else { return nil }
        return .init(
            list: queries, references: references, referenceList: referenceList, queryFolder: queryFolder)
    }
}

extension RunRequest {
    /// Opens the plan, and prints the plan's warnings.
    ///
    /// - Parameters:
    ///   - library: Nil takes the folder of recipes that the request names.
    func open(noting library: CorpusLibrary? = nil) throws -> OpenedPlan {
        let opened = try open(in: library ?? .standard(recipeFolder))
        for warning in opened.plan.warnings {
            let show = Plan.isCountsNote(warning) ? StandardError.print : StandardError.warn
            show("\(opened.plan.corpus.name): \(warning)")
        }
        return opened
    }
}

/// The option that names the folder of recipes.
struct RecipeOptions: ParsableArguments {
    @Option(
        help: "The folder of recipes and plans. (default: EARSHOT_CORPORA, else Corpora here or above)",
        completion: .directory)
    var corpora: String?

    /// The library, which can open folders too, and says what it does.
    func library() throws -> CorpusLibrary { try .standard(corpora) }
}

/// The options that choose what queries are drawn from.
struct CorpusOptions: ParsableArguments {
    @Option(help: "Use this corpus instead of the plan's.", completion: .corpora)
    var corpus: String?
    @Option(help: "The half of the corpus to cut queries from, instead of the plan's.")
    var half: CorpusHalf?
    @Option(help: "The seed of all random choices, instead of the plan's.")
    var seed: UInt64?
    @OptionGroup var recipes: RecipeOptions

    func request(plan: String, _ matcher: MatcherRequest = MatcherRequest()) -> RunRequest {
        RunRequest(
            plan: plan, corpus: corpus, half: half, seed: seed, recipeFolder: recipes.corpora,
            matcher: matcher)
    }
}

extension CorpusLibrary {
    /// The library of the command line: it can open folders too, and says what it does.
    static func standard(_ recipeFolder: String?) throws -> CorpusLibrary {
        var library = try CorpusLibrary(recipeFolder: recipeFolder)
        library.comparison = FolderComparison(matcher: { Contestants.auditor() }) { StandardError.print($0) }
        return library
    }
}

extension Corpus {
    /// The folder for results: the one chosen, or one of a name made of `parts`; never among the recordings.
    func resultFolder(_ chosen: String?, _ parts: String...) throws -> String {
        let folder = chosen ?? "Reports/runs/" + parts.joined(separator: "-")
        try requireOutside(folder)
        return folder
    }
}

extension CorpusHalf: ExpressibleByArgument {}
