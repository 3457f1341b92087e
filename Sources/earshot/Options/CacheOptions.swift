import ArgumentParser
import Corpora
import Evaluation

/// The options that say whether and how much is kept from one run to the next.
struct CacheOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Use what earlier runs found out, and keep what this one does.")
    var cache = true
    @Option(
        help: """
            Keep at most this many gigabytes of rendered queries, those least recently used going first; 4 unless \
            said, in the arena 8.
            """)
    var cacheGigabytes: Double?

    func validate() throws { try require("--cache-gigabytes", cacheGigabytes, in: 0...1e6) }

    /// The cache; nil if it is not wanted, or with a warning if it cannot be opened.
    func open(in library: CorpusLibrary, usualGigabytes: Double = 4) throws -> TrialCache? {
        guard cache else { return nil }
        do {
            return try TrialCache(
                folder: library.cacheFolder + "/evaluation",
                archiveBytes: Int((cacheGigabytes ?? usualGigabytes) * 1e9), warn: StandardError.print)
        } catch let error as StoreError {
            StandardError.print("The cache is switched off for this run: \(error)")
            return nil
        }
    }
}
