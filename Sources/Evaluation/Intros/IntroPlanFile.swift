import Crypto
import Degradations
import Foundation

/// A plan of sets of episodes that share an intro, as declared in a YAML file.
///
/// `Corpora/Plans/README.md` describes the file key by key.
public struct IntroPlanFile: Sendable {
    /// The file it was read from.
    public var path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    public var digest: String
    /// The plan's name.
    public var name: String
    /// The corpus that episodes are built from.
    public var corpus: String
    /// The half of its enrolled tracks that is used.
    public var half: CorpusHalf
    /// The seed of every random choice.
    public var seed: UInt64
    /// How many sets are built for each number of episodes.
    public var sets: Int
    /// The numbers of episodes in a set.
    public var episodes: [Int]
    /// How many episodes of a set are queried at most.
    public var queriedEpisodes: Int
    /// The length of the intro, drawn for each set, in seconds.
    public var introSeconds: ClosedRange<Double>
    /// The length of what comes before the intro, drawn for each episode, in seconds.
    public var openingSeconds: ClosedRange<Double>
    /// How long an episode goes on after the intro, in seconds.
    public var bodySeconds: Double
    /// How many other recordings are enrolled beside the episodes at most.
    public var background: Int
    /// The lengths of queries, in seconds.
    public var queryLengths: [Double]
    /// How long after the end of the intro queries end, in seconds, rising.
    public var tails: [Double]
    /// How many queries of each length lie wholly within the intro of each queried episode.
    public var insideQueries: Int
    /// The distances between the skews that tag episodes, in percent, falling; none leaves tags out.
    public var skewSpacings: [Double]
    /// How many queries are made for each spacing, length, condition and set.
    public var skewQueries: Int
    /// How much must speak against every other answer for the first to be claimed.
    public var margin: Double
    /// What is done to queries.
    public var conditions: [Condition]

    /// A named chain of degradations.
    public struct Condition: Sendable {
        /// What reports call it.
        public var name: String
        /// The steps to draw a chain from.
        public var chain: [DegradationTemplate]
    }

    /// The margin where a plan states none: on the tuning half of the corpus `games` the smallest at which no query
    /// within an intro claims an episode.
    public static let usualMargin = 13.0
    /// The largest skew of a tag either way, in percent.
    public static let largestTag = 5.0

    /// How many episodes can be tagged with skews `spacing` percent apart.
    public static func episodes(taggedAt spacing: Double) -> Int { 2 * tagsEitherWay(spacing) + 1 }

    static func tagsEitherWay(_ spacing: Double) -> Int { Int(largestTag / spacing + 1e-9) }

    /// Replaces what the plan says; every replacement changes the digest.
    public mutating func override(
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
        digest = FileDigest.sha256(Data(([digest] + changes).joined(separator: "\n").utf8))
    }
}
