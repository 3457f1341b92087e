package struct CorpusError: Error, CustomStringConvertible, Sendable {
    package enum Code: Sendable {
        /// No corpus of this name, or no folder of recipes.
        case unknownCorpus
        /// The tools or the network are missing; another corpus may be available.
        case unavailable
        case notFetched
        case notLocked
        case checksumMismatch
        case unreadable
        case tooLarge
        case busy
    }

    package var code: Code
    package var description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
