import AudioCore

/// A stretch of a query, and the stretch of a reference that it contains.
public struct Passage: Codable, Hashable, Sendable {
    /// The reference.
    public var referenceID: String
    /// The stretch of the query, in seconds from its first sample.
    public var queryRange: ClosedRange<Double>
    /// The stretch of the reference, in seconds from its first sample.
    public var referenceRange: ClosedRange<Double>
    /// f_query / f_reference − 1; nil when not stated.
    public var frequencySkew: Double?
    /// Reference seconds per query second − 1; nil when not stated.
    public var timeSkew: Double?
    /// The score on the matcher's own scale; higher is surer.
    public var score: Double
    /// A probability in 0…1; nil when not stated.
    public var confidence: Double?

    /// Makes a passage.
    public init(
        referenceID: String, queryRange: ClosedRange<Double>, referenceRange: ClosedRange<Double>,
        frequencySkew: Double? = nil, timeSkew: Double? = nil, score: Double, confidence: Double? = nil
    ) {
        self.referenceID = referenceID
        self.queryRange = queryRange
        self.referenceRange = referenceRange
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
        self.score = score
        self.confidence = confidence
    }

    /// A value that no passage can have, in words; nil if there is none.
    package var fault: String? {
        let most = 1e7
        for (name, range) in [("query", queryRange), ("reference", referenceRange)]
        where !(abs(range.lowerBound) <= most && abs(range.upperBound) <= most) {
            return "a \(name) range from \(range.lowerBound) to \(range.upperBound) s"
        }
        if queryRange.lowerBound < 0 { return "a query range from \(queryRange.lowerBound) s" }
        if !score.isFinite { return "a score of \(score)" }
        if let confidence, !(0...1).contains(confidence) { return "a confidence of \(confidence)" }
        return [frequencySkew, timeSkew].compactMap(\.self).first { !(abs($0) <= most) }.map {
            "a skew of \($0)"
        }
    }
}

/// One recording that a matcher follows to find its passages; used by one thread at a time.
///
/// The passages must not depend on how the audio is cut into blocks.
public protocol PassageStream {
    /// Takes the next samples and returns the passages that are sure now.
    mutating func append(_ block: AudioBuffer) throws -> [Passage]

    /// Ends the recording and returns the other passages.
    mutating func finish() throws -> [Passage]
}
