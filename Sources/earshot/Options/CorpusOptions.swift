import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters

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
