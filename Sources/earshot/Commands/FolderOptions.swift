import ArgumentParser
import Corpora
import Evaluation
import MatcherAdapters

/// The option that takes recordings of one's own for a corpus.
struct FolderOptions: ParsableArguments {
    @Option(
        help: """
            Take the recordings in this folder, however deep, instead of the plan's corpus. Nothing is written into \
            it. The first time, all are read and compared with each other; what is found is kept in the cache.
            """)
    var folder: String?
}

extension CorpusLibrary {
    /// The library of the command line: it can open folders too, and says what it does.
    static func standard(_ recipeFolder: String?) throws -> CorpusLibrary {
        var library = try CorpusLibrary(recipeFolder: recipeFolder)
        library.comparison = FolderComparison(matcher: { Contestants.auditor() }) { StandardError.print($0) }
        return library
    }
}
