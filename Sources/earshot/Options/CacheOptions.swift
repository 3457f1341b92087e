import ArgumentParser
import Corpora
import Evaluation

/// The options that say whether and how much is kept from one run to the next.
struct CacheOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo, help: "Use cached results of earlier runs, and cache the results of this run."
    )
    var cache = true
    @Option(
        help: "Gigabytes of rendered queries to keep in the LRU cache. `earshot cache` shows the cache.")
    var cacheGigabytes = 2.0

    func validate() throws {
        try require("--cache-gigabytes", cacheGigabytes, in: 0...1e6)
        try exclude("--no-cache", "--cache-gigabytes")
    }

    /// The cache; nil if it is not wanted, or with a warning if it cannot be opened.
    func open(in library: CorpusLibrary) throws -> TrialCache? {
        guard cache else { return nil }
        do {
            return try TrialCache(
                folder: CachePart.trialFolder(in: library),
                archiveBytes: Int(cacheGigabytes * 1e9), warn: StandardError.print)
        } catch let error as StoreError {
            StandardError.print("The cache is switched off for this run: \(error)")
            return nil
        }
    }
}
