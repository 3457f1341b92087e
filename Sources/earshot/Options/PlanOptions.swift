import ArgumentParser
import Evaluation

/// The options that choose a plan and what it is run on.
struct PlanOptions: ParsableArguments {
    @Option(help: "A plan's name in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan = "standard"
    @OptionGroup var changes: PlanChanges
    @OptionGroup var recorded: RecordedOptions
    @Option(
        help: ArgumentHelp(
            "Also cut negatives from enrolled tracks, in this many folds.",
            discussion: """
                A catalog without the fold answers them. With --queries, each positive is asked again without its \
                references.
                """))
    var negativeFolds: Int?
    @Option(
        help: ArgumentHelp(
            "Move the start of each query by this many frames of its source.",
            discussion: "The truth moves too. The queries are the same at another phase."))
    var startShift: Int?

    func validate() throws {
        let isCut = [changes.positives, changes.negatives, startShift].contains { $0 != nil }
        try reject(
            if: recorded.queries != nil && (changes.isOtherMaterial || isCut),
            "--queries excludes --corpus, --folder, --positives, --negatives and --start-shift")
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
        return request
    }
}

/// The options that change what a plan cuts its queries from, and how many.
struct PlanChanges: ParsableArguments {
    @OptionGroup var drawn: CorpusOptions
    @Option(
        help: ArgumentHelp(
            "Take the recordings in this folder and its subfolders instead of the plan's corpus.",
            discussion: """
                Nothing is written to it. The first run reads all recordings and compares them with each other. The \
                cache keeps the result.
                """), completion: .directory)
    var folder: String?
    @Flag(
        help: ArgumentHelp(
            "Enrol and query all recordings of --folder, without halves.",
            discussion: "Recordings that are left out of the catalog in turn give the negatives."))
    var undivided = false
    @Option(help: "Positive trials in each cell, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Negative trials in each cell, instead of the plan's number.")
    var negatives: Int?

    func validate() throws {
        try reject(if: drawn.corpus != nil && folder != nil, "--corpus and --folder exclude each other")
        try reject(if: undivided && folder == nil, "--undivided belongs to --folder")
        try require("--positives", positives, in: 0...100_000)
        try require("--negatives", negatives, in: 0...100_000)
    }

    var isOtherMaterial: Bool { drawn.corpus != nil || folder != nil }

    func request(plan: String) -> RunRequest {
        RunRequest(
            plan: plan, corpus: drawn.corpus, folder: folder, isUndivided: undivided ? true : nil,
            half: drawn.half, seed: drawn.seed,
            positives: positives, negatives: negatives, recipeFolder: drawn.recipes.corpora)
    }
}

/// The options that take recorded queries in place of a plan's, the same for every command.
struct RecordedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the queries of this list as they are, in place of a plan's.",
            discussion: """
                A table of truth with the columns query and reference, a MIREX list of two names a line, or \
                annotations.csv or matches.csv of Pexeso's toolkit. Needs --references.
                """,
            valueName: "list"), completion: .file())
    var queries: String?
    @Option(
        help: ArgumentHelp("Enrol the recordings in this folder for --queries.", valueName: "folder"),
        completion: .directory)
    var references: String?
    @Option(help: "Enrol only the recordings that this file names, one a line.", completion: .file())
    var referenceList: String?
    @Option(
        help: "The folder of the files of --queries. (default: the folder of the list)",
        completion: .directory)
    var queryFolder: String?

    func validate() throws {
        try reject(
            if: (queries == nil) != (references == nil), "--queries and --references belong together")
        try reject(
            if: queries == nil && (referenceList != nil || queryFolder != nil),
            "--reference-list and --query-folder belong to --queries")
    }

    var recorded: RunRequest.Recorded? {
        guard let queries, let references else { return nil }
        return .init(
            list: queries, references: references, referenceList: referenceList, queryFolder: queryFolder)
    }

    /// Throws where queries must be cut and degraded, which recorded ones cannot be.
    func refuse(by command: String) throws {
        try reject(
            if: queries != nil, "\(command) makes queries itself and takes no --queries")
    }
}

extension RunRequest {
    /// Opens the plan in the folder of recipes it names, and prints the plan's warnings.
    func open() throws -> OpenedPlan {
        let opened = try open(in: .standard(recipeFolder))
        for warning in opened.plan.warnings {
            StandardError.print("\(opened.plan.corpus.name): \(warning)")
        }
        return opened
    }
}
