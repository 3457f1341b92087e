import Evaluation
import Fingerprinting
import Foundation

/// One query matched in one catalog.
struct Trial {
    let item: QueryFolder.Item
    /// The best answer, accepted or not.
    let best: Match?
    /// Whether the best answer is accepted.
    let isAccepted: Bool
    /// Whether the best answer is of the reference the query was cut from.
    let isRight: Bool
    /// CPU seconds from samples to peaks, and from peaks to answers.
    let analysisSeconds: Double
    let lookupSeconds: Double

    /// Matches the query `rounds` times; the median time counts.
    init(_ item: QueryFolder.Item, catalog: Catalog, settings: Settings, rounds: Int) throws {
        self.item = item
        let start = ThreadClock.seconds
        let query = try Query(item.audio, settings: settings)
        let analysed = ThreadClock.seconds
        let matches = try catalog.match(query)
        var times = [ThreadClock.seconds - analysed]
        for _ in 1..<max(2, rounds) where times.count < rounds {
            let start = ThreadClock.seconds
            _ = try catalog.match(query)
            times.append(ThreadClock.seconds - start)
        }
        analysisSeconds = analysed - start
        lookupSeconds = times.sorted()[times.count / 2]
        best = matches.first
        isAccepted = best?.isAccepted ?? false
        isRight = best != nil && best?.referenceID == item.source
    }

    /// Trial, answer, whether accepted, offset, skews and score; tab-separated.
    var line: String {
        let words: [String] = [
            item.trial, item.source ?? "-", best?.referenceID ?? "-", "\(isAccepted)",
            best.map { String(format: "%.3f", $0.offsetSeconds) } ?? "-",
            best.map { String(format: "%.5f", $0.freeFrequencySkew) } ?? "-",
            best.map { String(format: "%.2f", $0.score) } ?? "-",
            String(format: "%.2f", lookupSeconds * 1e3),
        ]
        return words.joined(separator: "\t")
    }
}

/// The CPU time of the calling thread.
enum ThreadClock {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// A number with three decimals.
struct Figure: CustomStringConvertible {
    let description: String

    init(_ value: Double) { description = String(format: "%.3f", value) }
}
