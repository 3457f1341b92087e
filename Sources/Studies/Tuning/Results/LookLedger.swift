import Corpora
import Evaluation
import Foundation
import Matchers

/// How often a held-out half was looked at: each look that influences a choice makes it less held out.
package final class LookLedger {
    package struct Look: Codable, Hashable, Sendable {
        /// When, in ISO 8601.
        package var date: String
        package var corpus: String
        /// SHA-256 of the corpus lock.
        package var corpusDigest: String
        package var half: CorpusHalf
        package var plan: String
        package var planDigest: String
        package var matcher: String
        package var settings: [String: Double]
    }

    /// So many looks at one half are fair; each more is warned of.
    package static let budget = 5

    private let file: JSONLines<Look>
    private var looks: [Look]

    /// Opens the ledger at `path` and makes it if there is none.
    ///
    /// - Throws: ``TuningError`` when it cannot be read or written.
    package init(path: String) throws {
        file = try JSONLines(path: path)
        looks = file.lines
    }

    /// Writes down a look at `plan` before it happens.
    ///
    /// - Returns: How often that half of that corpus has been looked at, this time included.
    func record(_ plan: Plan, of matcher: any Matcher, settings: [String: Double]) throws -> Int {
        let look = Look(
            date: Date.now.formatted(.iso8601), corpus: plan.corpus.name,
            corpusDigest: plan.corpus.lockDigest, half: plan.half, plan: plan.file.name,
            planDigest: plan.digest, matcher: "\(matcher.name) \(matcher.version)", settings: settings)
        try file.append(look)
        looks.append(look)
        return looks.count { $0.corpusDigest == look.corpusDigest && $0.half == look.half }
    }
}
