import Foundation
import Metrics

/// What was named in audio that is in no reference: everything there is, played once under one chain.
package struct NegativeStream: Codable, Hashable, Sendable {
    /// A reference named falsely.
    package struct FalseMatch: Codable, Hashable, Sendable {
        /// The recording that was played.
        package var trackID: String
        /// What was named.
        package var referenceID: String
        /// The matcher's score.
        package var score: Double
        /// When in the stream of this chain it came, in seconds.
        package var elapsedSeconds: Double
        /// How much of the stream it rests on, in seconds.
        package var heardSeconds: Double
    }

    /// A passage of a recording that was played.
    package struct Passage: Codable, Hashable, Sendable {
        /// The recording.
        package var trackID: String
        /// Where in it, in seconds.
        package var span: Interval
    }

    /// A recording that could not be made or played.
    package struct Failure: Codable, Hashable, Sendable {
        /// The recording.
        package var trackID: String
        /// What went wrong.
        package var message: String
    }

    /// The chain as it was given, a YAML list.
    package var chain: String
    /// What was played.
    package var passages: [Passage] = []
    /// How much audio that came to, in seconds.
    package var playedSeconds = 0.0
    /// What was named.
    package var falseMatches: [FalseMatch] = []
    /// What could not be played; it counts in no figure.
    package var failures: [Failure] = []
    /// Processor seconds the matcher took.
    package var processorSeconds = 0.0
    /// The memory of the whole process after ten minutes of audio; nil when there was less.
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

/// All chains of a study, with what they were played to.
package struct NegativeStreams: Codable, Hashable, Sendable {
    /// Where the figures come from.
    package var origin: MeasurementOrigin
    /// The identity of all recordings that are mixed in.
    package var materialDigest: String
    /// Sample frames in a block.
    package var blockFrames: Int
    /// How many references were enrolled.
    package var referenceCount: Int
    /// Their length together, in seconds.
    package var referenceSeconds: Double
    /// The finished chains, in the order asked for.
    package var chains: [NegativeStream]

    /// Describes what was played.
    package init(
        origin: MeasurementOrigin, materialDigest: String, blockFrames: Int, referenceCount: Int,
        referenceSeconds: Double, chains: [NegativeStream]
    ) {
        self.origin = origin
        self.materialDigest = materialDigest
        self.blockFrames = blockFrames
        self.referenceCount = referenceCount
        self.referenceSeconds = referenceSeconds
        self.chains = chains
    }

    /// Seconds of different audio: a passage counts once, however many chains it was played under.
    package var distinctSeconds: Double {
        DistinctLength.of(
            chains.flatMap { $0.passages.map { (recording: $0.trackID, span: $0.span) } })
    }

    /// Seconds played under all chains.
    package var playedSeconds: Double { chains.reduce(0) { $0 + $1.playedSeconds } }

    /// False matches per hour under all chains.
    package var falseMatchesPerHour: PoissonRate {
        PoissonRate(chains.reduce(0) { $0 + $1.falseMatches.count }, in: playedSeconds / 3600)
    }

    /// Processor seconds that the matcher takes for an hour of audio; nil when nothing was played.
    package var processorSecondsPerHour: Double? {
        playedSeconds > 0 ? chains.reduce(0) { $0 + $1.processorSeconds } / playedSeconds * 3600 : nil
    }

    /// Whether `other` asks the same of the same matcher, so that finished chains can be shared.
    func isContinued(by other: NegativeStreams) -> Bool {
        origin.matcher.digest == other.origin.matcher.digest
            && origin.corpusDigest == other.origin.corpusDigest && origin.half == other.origin.half
            && origin.seed == other.origin.seed && materialDigest == other.materialDigest
            && blockFrames == other.blockFrames
    }
}
