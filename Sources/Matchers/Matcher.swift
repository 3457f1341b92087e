import AudioCore

/// A contestant: anything that learns references and identifies queries.
///
/// References may be enrolled from several threads at once and in any order; the answers must
/// not depend on that order. After ``finishEnrolment()`` queries come from several threads. A
/// contestant is given samples and opaque names, never the truth.
public protocol Matcher: AnyObject, Sendable {
    /// What it is called in reports.
    var name: String { get }
    /// The version of the engine.
    var version: String { get }
    /// Its settings, as name → value, for reports and cache keys.
    var settings: [String: String] { get }

    /// Learns one recording under `id`.
    func enrol(id: String, audio: AudioBuffer) throws

    /// Ends enrolment and builds what queries need.
    ///
    /// - Returns: The size of the index in bytes, if known.
    func finishEnrolment() throws -> Int?

    /// Gives up to ten candidates, best first, also those below its own threshold.
    func identify(_ query: Query) throws -> [Candidate]

    /// Gives up to `most` candidates, best first, also those below its own threshold.
    ///
    /// For references that share audio, all of which are right answers to a query of it. A matcher that says what
    /// speaks against each while the first is heard states ``Candidate/logLikelihoodDeficit`` here.
    func identify(_ query: Query, most: Int) throws -> [Candidate]
}

extension Matcher {
    /// As many of the usual candidates, which are ten at most.
    public func identify(_ query: Query, most: Int) throws -> [Candidate] {
        Array(try identify(query).prefix(most))
    }
}

/// A matcher that learns from a value made of the audio, so that many catalogs cost one analysis of each recording.
public protocol PreparingMatcher<Prepared>: Matcher {
    /// What is kept of a recording; it depends on the audio and on the matcher's settings alone.
    associatedtype Prepared: Sendable

    /// Names what preparation depends on beside the audio: instances with equal keys prepare alike.
    var preparationKey: String { get }

    /// Analyses a recording; from any thread.
    func prepare(_ audio: AudioBuffer) throws -> Prepared

    /// Learns a recording that this instance, or another of the same settings, has prepared.
    func enrol(id: String, prepared: Prepared)
}

extension PreparingMatcher {
    /// Name, version and every setting.
    public var preparationKey: String {
        let settings = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ([name, version] + settings).joined(separator: "\n")
    }

    /// Prepares a recording and learns it.
    public func enrol(id: String, audio: AudioBuffer) throws { enrol(id: id, prepared: try prepare(audio)) }
}

/// A query as a contestant sees it.
public struct Query: Sendable {
    /// An opaque name, without meaning.
    public let name: String
    /// The samples after the whole chain, at the query's last rate.
    public let audio: AudioBuffer

    /// Makes a query.
    public init(name: String, audio: AudioBuffer) {
        self.name = name
        self.audio = audio
    }
}

/// One possible answer to a query.
public struct Candidate: Codable, Hashable, Sendable {
    /// The reference that is said to contain the query.
    public var referenceID: String
    /// Reference time in seconds heard at the query's first sample; can be negative.
    public var offsetSeconds: Double
    /// f_query / f_reference − 1; nil when the matcher does not say.
    public var frequencySkew: Double?
    /// Reference seconds per query second − 1; nil when the matcher does not say.
    public var timeSkew: Double?
    /// The frequency skew as measured, where ``frequencySkew`` was settled by assuming a kind of skew.
    public var freeFrequencySkew: Double?
    /// The time skew as measured, where ``timeSkew`` was settled by assuming a kind of skew.
    public var freeTimeSkew: Double?
    /// The stated standard error of ``freeFrequencySkew``.
    public var frequencySkewStandardError: Double?
    /// The stated standard error of ``freeTimeSkew``.
    public var timeSkewStandardError: Double?
    /// How sure, on a scale of the matcher's own where more is surer.
    public var score: Double
    /// A probability in 0…1; nil when the matcher does not say.
    public var confidence: Double?
    /// How much speaks for the first candidate being heard and this one not, as a log-likelihood ratio; nil for the
    /// first, and where the matcher was not asked for it or does not say.
    public var logLikelihoodDeficit: Double?
    /// Whether the matcher itself takes this for a match.
    public var isAccepted: Bool

    private enum CodingKeys: String, CodingKey {
        case referenceID, offsetSeconds, frequencySkew, timeSkew, freeFrequencySkew, freeTimeSkew
        case frequencySkewStandardError, timeSkewStandardError, score, confidence
        // Stores and digests of answers have this key.
        case logLikelihoodDeficit = "deficit"
        case isAccepted
    }

    /// Makes a candidate; free skews, standard errors and deficit are set afterwards.
    public init(
        referenceID: String, offsetSeconds: Double, frequencySkew: Double? = nil, timeSkew: Double? = nil,
        score: Double, confidence: Double? = nil, isAccepted: Bool
    ) {
        self.referenceID = referenceID
        self.offsetSeconds = offsetSeconds
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
        self.score = score
        self.confidence = confidence
        self.isAccepted = isAccepted
    }
}
