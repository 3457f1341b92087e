import Corpora
import Degradations
import Foundation
import SystemIO

/// A plan of sets of episodes that share an intro, as declared in a YAML file.
///
/// `Corpora/Plans/README.md` describes the file key by key.
package struct IntroPlanFile: Codable, Hashable, Sendable {
    package var path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    package var digest: String
    package var name: String
    /// The corpus that episodes are built from.
    package var corpus: String
    /// The half of the enrolled tracks.
    package var half: CorpusHalf
    /// The seed of every random choice.
    package var seed: UInt64
    /// The number of sets for each number of episodes.
    package var sets: Int
    /// The numbers of episodes in a set.
    package var episodes: [Int]
    /// The most episodes of a set that are queried.
    package var queriedEpisodes: Int
    /// The length of the intro, drawn for each set, in seconds.
    package var introSeconds: ClosedRange<Double>
    /// The length of the opening before the intro, drawn for each episode, in seconds.
    package var openingSeconds: ClosedRange<Double>
    /// The length of an episode after the intro, in seconds.
    package var bodySeconds: Double
    /// The most other recordings that are enrolled beside the episodes.
    package var background: Int
    /// The lengths of queries, in seconds.
    package var queryLengths: [Double]
    /// The times from the end of the intro to the end of a query, in seconds, ascending.
    package var tails: [Double]
    /// The number of queries of each length inside the intro of each queried episode.
    package var insideQueries: Int
    /// The distances between the skews that tag episodes, in percent, descending; none leaves out tags.
    package var skewSpacings: [Double]
    /// The number of queries for each spacing, length, condition and set.
    package var skewQueries: Int
    /// The lead over every other answer from which on the first is claimed.
    package var margin: Double
    /// The degradations of queries.
    package var conditions: [Condition]

    /// A named chain of degradations.
    package struct Condition: Codable, Hashable, Sendable {
        /// Its name in reports.
        package var name: String
        /// The steps to draw a chain from.
        package var chain: [DegradationTemplate]
    }

    /// The margin of a plan that states none.
    ///
    /// It is the smallest at which no query inside an intro claims an episode (corpus `games`, tuning half).
    package static let usualMargin = 13.0
    /// The largest skew of a tag either way, in percent.
    package static let largestTag = 5.0

    /// The number of episodes that skews `spacing` percent apart can tag.
    package static func episodes(taggedAt spacing: Double) -> Int { 2 * tagsEitherWay(spacing) + 1 }

    static func tagsEitherWay(_ spacing: Double) -> Int { Int(largestTag / spacing + 1e-9) }

    /// Replaces values of the plan; every replacement changes the digest.
    package mutating func override(
        corpus: String? = nil, half: CorpusHalf? = nil, seed: UInt64? = nil, sets: Int? = nil,
        episodes: [Int]? = nil, margin: Double? = nil
    ) {
        var changes: [String] = []
        func replace<Value>(_ name: String, _ place: inout Value, by value: Value?) {
            guard let value else { return }
            place = value
            changes.append("\(name) \(value)")
        }
        replace("corpus", &self.corpus, by: corpus)
        replace("half", &self.half, by: half)
        replace("seed", &self.seed, by: seed)
        replace("sets", &self.sets, by: sets)
        replace("episodes", &self.episodes, by: episodes)
        replace("margin", &self.margin, by: margin)
        guard !changes.isEmpty else { return }
        digest = Digest.sha256(([digest] + changes).joined(separator: "\n"))
    }
}
