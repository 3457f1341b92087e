/// A corpus that could not be fetched, opened or read, and why.
package struct CorpusError: Error, CustomStringConvertible, Sendable {
    package enum Code: Sendable {
        /// No corpus of this name, or no folder of recipes.
        case unknownCorpus
        /// The tools or the network that would bring it are missing; another corpus may do.
        case unavailable
        case notFetched
        /// It was never locked, or the recipe has changed since.
        case notLocked
        case checksumMismatch
        case unreadable
        case tooLarge
        /// Another process fetches the same package and does not end.
        case busy
    }

    package var code: Code
    /// What was found, what was expected and, where there is a cure, the cure.
    package var description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
