import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters

/// The options that choose a plan and what it is run on.
struct PlanOptions: ParsableArguments {
    @Option(help: "A plan's name in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan = "standard"
    @Option(help: "Take this corpus instead of the plan's.", completion: .corpora)
    var corpus: String?
    @Option(
        help: """
            Take the recordings in this folder, however deep, instead of the plan's corpus. Nothing is written into \
            it. The first time, all are read and compared with each other; what is found is kept in the cache.
            """, completion: .directory)
    var folder: String?
    @OptionGroup var recorded: RecordedOptions
    @Option(help: "Cut positives from the 'test' or the 'tuning' half instead of the plan's.")
    var half: CorpusHalf?
    @Option(help: "Draw everything from this seed instead of the plan's.")
    var seed: UInt64?
    @Option(help: "Positive trials in each cell, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Negative trials in each cell, instead of the plan's number.")
    var negatives: Int?
    @Option(
        help:
            "Cut negatives also from enrolled tracks, in this many folds, each left out of a catalog of its own. With --queries, ask each positive again without its references."
    )
    var negativeFolds: Int?
    @Option(
        help:
            "Move the start of each query by this many frames of its source, the truth with it: the same queries at another phase."
    )
    var startShift: Int?
    @Option(
        help: "The folder of recipes and plans; by default Corpora here or beside the program's package.",
        completion: .directory)
    var corpora: String?

    func validate() throws {
        try reject(if: corpus != nil && folder != nil, "--corpus and --folder exclude each other")
        let isCut = [positives, negatives, startShift].contains { $0 != nil }
        try reject(
            if: recorded.queries != nil && (corpus != nil || folder != nil || isCut),
            "--queries excludes --corpus, --folder, --positives, --negatives and --start-shift")
        try require("--positives", positives, in: 0...100_000)
        try require("--negatives", negatives, in: 0...100_000)
        try require("--start-shift", startShift, in: -1_000_000...1_000_000)
        try require("--negative-folds", negativeFolds, in: NegativeFolds.counts)
    }

    func request(_ matcher: MatcherRequest = MatcherRequest()) -> RunRequest {
        RunRequest(
            plan: plan, recorded: recorded.recorded, corpus: corpus, folder: folder, half: half,
            seed: seed, positives: positives, negatives: negatives, negativeFolds: negativeFolds,
            startShift: startShift, recipeFolder: corpora, matcher: matcher)
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
    @Option(help: "Where the files of --queries are; by default where the list is.", completion: .directory)
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

extension Shard: ExpressibleByArgument {}
