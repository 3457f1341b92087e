import Evaluation
import Foundation
import Metrics

/// The false matches in audio that is in no reference, played once through one chain.
package struct NegativeStream: Codable, Hashable, Sendable {
    /// A reference named falsely.
    package struct FalseMatch: Codable, Hashable, Sendable {
        /// The recording that was played.
        package var trackID: String
        /// The reference that was named.
        package var referenceID: String
        /// The matcher's score.
        package var score: Double
        /// The time in the stream of this chain, in seconds.
        package var elapsedSeconds: Double
        /// The length of the stream that it is based on, in seconds.
        package var heardSeconds: Double
    }

    /// A passage of a recording that was played.
    package struct Passage: Codable, Hashable, Sendable {
        package var trackID: String
        /// In seconds.
        package var span: Interval
    }

    /// A recording that could not be made or played.
    package struct Failure: Codable, Hashable, Sendable {
        package var trackID: String
        /// The error.
        package var message: String
    }

    /// The chain as the user wrote it, a YAML list.
    package var chain: String
    package var passages: [Passage] = []
    /// The length of all passages, in seconds.
    package var playedSeconds = 0.0
    package var falseMatches: [FalseMatch] = []
    /// Recordings that could not be played; they count in no figure.
    package var failures: [Failure] = []
    /// Processor seconds of the matcher.
    package var processorSeconds = 0.0
    /// The memory of the process after 10 min of audio; nil if there was less audio.
    package var residentBytesAfterTenMinutes: Int?
    /// The same at the end.
    package var residentBytesAtEnd = 0

    init(chain: String) { self.chain = chain }

    /// Processor seconds that the matcher takes for an hour of audio; nil when nothing was played.
    package var processorSecondsPerHour: Double? {
        playedSeconds > 0 ? processorSeconds / playedSeconds * 3600 : nil
    }

    /// False matches per hour played.
    package var falseMatchesPerHour: PoissonRate { PoissonRate(falseMatches.count, in: playedSeconds / 3600) }
}

/// All chains of a study, with the catalog they were played to.
package struct NegativeStreams: Codable, Hashable, Sendable {
    /// The origin of the figures.
    package var origin: Provenance
    /// The digest of all recordings to mix in.
    package var materialDigest: String
    /// Sample frames in a block.
    package var blockFrames: Int
    package var referenceCount: Int
    /// The total length of the references, in seconds.
    package var referenceSeconds: Double
    /// The finished chains, in the requested order.
    package var chains: [NegativeStream]

    package init(
        origin: Provenance, materialDigest: String, blockFrames: Int, referenceCount: Int,
        referenceSeconds: Double, chains: [NegativeStream]
    ) {
        self.origin = origin
        self.materialDigest = materialDigest
        self.blockFrames = blockFrames
        self.referenceCount = referenceCount
        self.referenceSeconds = referenceSeconds
        self.chains = chains
    }

    /// Seconds of different audio; a passage counts once for all chains.
    package var distinctSeconds: Double {
        DistinctLength.of(
            chains.flatMap { $0.passages.map { (recording: $0.trackID, span: $0.span) } })
    }

    /// Seconds played through all chains.
    package var playedSeconds: Double { chains.reduce(0) { $0 + $1.playedSeconds } }

    /// False matches per hour through all chains.
    package var falseMatchesPerHour: PoissonRate {
        PoissonRate(chains.reduce(0) { $0 + $1.falseMatches.count }, in: playedSeconds / 3600)
    }

    /// Processor seconds that the matcher takes for an hour of audio; nil when nothing was played.
    package var processorSecondsPerHour: Double? {
        playedSeconds > 0 ? chains.reduce(0) { $0 + $1.processorSeconds } / playedSeconds * 3600 : nil
    }

    /// Whether `other` has the same matcher and settings, so that finished chains can be shared.
    func isContinued(by other: NegativeStreams) -> Bool {
        origin.matcher.digest == other.origin.matcher.digest
            && origin.corpusDigest == other.origin.corpusDigest && origin.half == other.origin.half
            && origin.seed == other.origin.seed && materialDigest == other.materialDigest
            && blockFrames == other.blockFrames
    }
}
