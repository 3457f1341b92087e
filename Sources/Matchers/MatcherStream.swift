import AudioCore

/// One stream, used by one thread at a time.
///
/// The events must not depend on how the audio is cut into blocks.
public protocol MatcherStream {
    /// Takes the next samples and returns their events, in order.
    mutating func append(_ block: AudioBuffer) throws -> [StreamedEvent]
}

/// A change of the answer at one moment of a stream.
public struct StreamedEvent: Sendable, Hashable {
    /// The kinds of event.
    public enum Kind: Sendable, Hashable {
        /// The named references change.
        case named
        /// The named references continue; their places are measured again.
        case confirmed
        /// No reference is named any longer.
        case nothing
    }

    /// The kind of event.
    public var kind: Kind
    /// The position of the event in the stream, in seconds.
    public var elapsedSeconds: Double
    /// The start of the audio that the event is based on, in seconds.
    public var sinceSeconds: Double
    /// The references, best first; empty for ``Kind/nothing``.
    public var answers: [StreamedAnswer]

    /// Makes an event.
    public init(kind: Kind, elapsedSeconds: Double, sinceSeconds: Double, answers: [StreamedAnswer]) {
        self.kind = kind
        self.elapsedSeconds = elapsedSeconds
        self.sinceSeconds = sinceSeconds
        self.answers = answers
    }
}

/// A reference in a stream, and its place.
public struct StreamedAnswer: Sendable, Hashable {
    /// The reference.
    public var referenceID: String
    /// The reference time, in seconds, at the event's ``StreamedEvent/elapsedSeconds``.
    public var referenceSeconds: Double
    /// f_stream / f_reference − 1; nil when not stated.
    public var frequencySkew: Double?
    /// Reference seconds per stream second − 1; nil when not stated.
    public var timeSkew: Double?
    /// The score on the matcher's own scale; higher is surer.
    public var score: Double

    /// Makes an answer.
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

    /// The reference time `seconds` after the event, in seconds.
    package func referenceSeconds(after seconds: Double) -> Double {
        referenceSeconds + seconds * (1 + (timeSkew ?? 0))
    }
}
