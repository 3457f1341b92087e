import ArgumentParser
import Corpora
import Evaluation

/// The options that say whether and how much is kept from one run to the next.
struct CacheOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Use the results of earlier runs, and keep those of this one.")
    var cache = true
    @Option(
        help: "Keep at most this many gigabytes of rendered queries in an LRU cache; see `earshot cache`.")
    var cacheGigabytes = 2.0

    func validate() throws { try require("--cache-gigabytes", cacheGigabytes, in: 0...1e6) }

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
