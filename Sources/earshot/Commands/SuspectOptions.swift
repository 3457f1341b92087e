import ArgumentParser
import Corpora

/// The option that names the recordings whose truth is in doubt.
struct SuspectOptions: ParsableArguments {
    @Option(
        help:
            "A list of recordings that may share audio, to score without them too; by default CORPUS.suspects beside the recipe."
    )
    var suspects: String?

    /// The list; nil when none is named and the corpus has none.
    ///
    /// A run may be reported where its recipes are not: then there is none.
    func list(corpus: String, recipeFolder: String?) throws -> SuspectList? {
        if let suspects { return try SuspectList(path: suspects) }
        guard let library = try? CorpusLibrary(recipeFolder: recipeFolder) else { return nil }
        return try library.suspects(corpus: corpus)
    }
}
