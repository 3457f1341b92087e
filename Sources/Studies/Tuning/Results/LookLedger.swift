import Corpora
import Evaluation
import Foundation
import Matchers

/// Counts the looks at held-out halves.
///
/// Each look that influences a choice makes a half less held out.
package final class LookLedger {
    package struct Look: Codable, Hashable, Sendable {
        /// When, in ISO 8601.
        package var date: String
        package var corpus: String
        package var corpusDigest: String
        package var half: CorpusHalf
        package var plan: String
        package var planDigest: String
        package var matcher: String
        package var settings: [String: Double]
    }

    /// The number of looks at one half without a warning.
    package static let budget = 5

    private let file: JSONLines<Look>
    private var looks: [Look]

    /// Opens or creates the ledger at `path`.
    ///
    /// - Throws: ``TuningError`` when it cannot be read or written.
    package init(path: String) throws {
        file = try JSONLines(path: path)
        looks = file.lines
    }

    /// Stores a look at `plan` before it happens.
    ///
    /// - Returns: The number of looks at that half of that corpus, this one included.
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
