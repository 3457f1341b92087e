/// A corpus that cannot be opened or fetched.
public struct CorpusError: Error, CustomStringConvertible, Sendable {
    package enum Code: Sendable {
        case unknownCorpus
        /// The tools or the network are missing; another corpus may be available.
        case unavailable
        case notFetched
        /// There is no folder of recipes.
        case noRecipes
        /// It was never locked, or the recipe has changed since.
        case notLocked
        case checksumMismatch
        case unreadable
        case tooLarge
        case busy
        /// It is an exam, and was opened for something else.
        case sealed
    }

    package var code: Code
    /// What was found and what was expected.
    public var description: String
    /// The corpus; nil where it has no recipe.
    public var corpus: String?

    /// Makes an error.
    package init(_ code: Code, _ description: String, corpus: String? = nil) {
        self.code = code
        self.description = description
        self.corpus = corpus
    }
}
