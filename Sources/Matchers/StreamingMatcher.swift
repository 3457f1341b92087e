import AudioCore

/// A matcher that also listens to streams: audio without a known end, block by block.
public protocol StreamingMatcher: Matcher {
    /// Starts to listen, after ``Matcher/finishEnrolment()``; from any thread.
    ///
    /// - Parameters:
    ///   - sampleRate: Of all blocks to come, in hertz.
    ///   - channelCount: Of all blocks to come.
    func makeStream(sampleRate: Int, channelCount: Int) throws -> any MatcherStream
}

/// One stream that a matcher listens to, on one thread at a time.
///
/// The same audio must give the same events however it is cut into blocks.
public protocol MatcherStream {
    /// Takes the next samples and tells what they brought to light, in order.
    mutating func append(_ block: AudioBuffer) throws -> [StreamedEvent]
}

/// What a matcher found out about a stream at one moment.
public struct StreamedEvent: Sendable, Hashable {
    /// The kinds of finding.
    public enum Kind: Sendable, Hashable {
        /// References are named, or others than before.
        case named
        /// What was named before goes on; where it is, is known anew.
        case confirmed
        /// Nothing is recognised, or no longer.
        case nothing
    }

    /// The kind of finding.
    public var kind: Kind
    /// Seconds of audio heard when it was found.
    public var elapsedSeconds: Double
    /// Since when in the stream the audio has been heard that it rests on, in seconds.
    public var sinceSeconds: Double
    /// The references, best first; none where nothing is recognised.
    public var answers: [StreamedAnswer]

    /// Describes a finding.
    public init(kind: Kind, elapsedSeconds: Double, sinceSeconds: Double, answers: [StreamedAnswer]) {
        self.kind = kind
        self.elapsedSeconds = elapsedSeconds
        self.sinceSeconds = sinceSeconds
        self.answers = answers
    }
}

/// A reference that is heard in a stream, and where in it.
public struct StreamedAnswer: Sendable, Hashable {
    /// The reference that is said to be heard.
    public var referenceID: String
    /// The reference time, in seconds, that is heard at the event's ``StreamedEvent/elapsedSeconds``.
    public var referenceSeconds: Double
    /// f_stream / f_reference − 1; nil when the matcher does not say.
    public var frequencySkew: Double?
    /// Reference seconds per stream second − 1; nil when the matcher does not say.
    public var timeSkew: Double?
    /// How sure, on a scale of the matcher's own where more is surer.
    public var score: Double

    /// Describes an answer.
    public init(
        referenceID: String, referenceSeconds: Double, frequencySkew: Double? = nil, timeSkew: Double? = nil,
        score: Double
    ) {
        self.referenceID = referenceID
        self.referenceSeconds = referenceSeconds
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
        self.score = score
    }

    /// The reference time heard `seconds` after the event, in seconds.
    package func referenceSeconds(after seconds: Double) -> Double {
        referenceSeconds + seconds * (1 + (timeSkew ?? 0))
    }
}
