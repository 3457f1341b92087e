import Corpora
import Degradations
import Foundation
import SystemIO

/// A plan of sets of episodes that share an intro, as declared in a YAML file.
///
/// `Corpora/Plans/README.md` describes the file key by key.
package struct IntroPlanFile: Codable, Hashable, Sendable {
    /// The file it was read from.
    package var path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    package var digest: String
    /// The plan's name.
    package var name: String
    /// The corpus that episodes are built from.
    package var corpus: String
    /// The half of its enrolled tracks that is used.
    package var half: CorpusHalf
    /// The seed of every random choice.
    package var seed: UInt64
    /// How many sets are built for each number of episodes.
    package var sets: Int
    /// The numbers of episodes in a set.
    package var episodes: [Int]
    /// How many episodes of a set are queried at most.
    package var queriedEpisodes: Int
    /// The length of the intro, drawn for each set, in seconds.
    package var introSeconds: ClosedRange<Double>
    /// The length of what comes before the intro, drawn for each episode, in seconds.
    package var openingSeconds: ClosedRange<Double>
    /// How long an episode goes on after the intro, in seconds.
    package var bodySeconds: Double
    /// How many other recordings are enrolled beside the episodes at most.
    package var background: Int
    /// The lengths of queries, in seconds.
    package var queryLengths: [Double]
    /// How long after the end of the intro queries end, in seconds, rising.
    package var tails: [Double]
    /// How many queries of each length lie wholly within the intro of each queried episode.
    package var insideQueries: Int
    /// The distances between the skews that tag episodes, in percent, falling; none leaves tags out.
    package var skewSpacings: [Double]
    /// How many queries are made for each spacing, length, condition and set.
    package var skewQueries: Int
    /// How much must speak against every other answer for the first to be claimed.
    package var margin: Double
    /// What is done to queries.
    package var conditions: [Condition]

    /// A named chain of degradations.
    package struct Condition: Codable, Hashable, Sendable {
        /// What reports call it.
        package var name: String
        /// The steps to draw a chain from.
        package var chain: [DegradationTemplate]
    }

    /// The margin where a plan states none: on the tuning half of the corpus `games` the smallest at which no query
    /// within an intro claims an episode.
    package static let usualMargin = 13.0
    /// The largest skew of a tag either way, in percent.
    package static let largestTag = 5.0

    /// How many episodes can be tagged with skews `spacing` percent apart.
    package static func episodes(taggedAt spacing: Double) -> Int { 2 * tagsEitherWay(spacing) + 1 }

    static func tagsEitherWay(_ spacing: Double) -> Int { Int(largestTag / spacing + 1e-9) }

    /// Replaces what the plan says; every replacement changes the digest.
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
