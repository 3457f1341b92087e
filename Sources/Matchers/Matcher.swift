import AudioCore

/// Learns references and identifies queries.
///
/// References are enrolled from several threads at once and in any order; the answers must not depend on that order.
/// After ``finishEnrolment()`` queries come from several threads. A matcher receives samples and opaque names, never
/// the truth.
public protocol Matcher: AnyObject, Sendable {
    /// The name in reports.
    var name: String { get }
    /// The version of the engine.
    var version: String { get }
    /// The settings, name → value, for reports and cache keys.
    var settings: [String: String] { get }

    /// Enrols one recording under `id`.
    func enrol(id: String, audio: AudioBuffer) throws

    /// Ends enrolment and builds the index.
    ///
    /// - Returns: The size of the index in bytes, if known.
    func finishEnrolment() throws -> Int?

    /// Returns up to ten candidates, best first, also those below its own threshold.
    func identify(_ query: Query) throws -> [Candidate]

    /// Returns up to `most` candidates, best first, also those below its own threshold.
    ///
    /// For references that share audio, which are all right answers to a query of it. A matcher that can states
    /// ``Candidate/logLikelihoodDeficit`` here.
    func identify(_ query: Query, most: Int) throws -> [Candidate]

    /// What it can do besides; none unless it says so. Read often and from any thread.
    var powers: MatcherPowers { get }
}

extension Matcher {
    /// None.
    public var powers: MatcherPowers { MatcherPowers() }

    /// Returns the first `most` of the usual candidates, which are ten at most.
    public func identify(_ query: Query, most: Int) throws -> [Candidate] {
        Array(try identify(query).prefix(most))
    }
}

/// A query as a matcher receives it.
public struct Query: Sendable {
    /// An opaque name.
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
    /// The reference.
    public var referenceID: String
    /// Reference time in seconds at the query's first sample; can be negative.
    ///
    /// Nil when not stated: such an answer is judged by its reference alone.
    public var offsetSeconds: Double?
    /// f_query / f_reference − 1; nil when not stated.
    public var frequencySkew: Double?
    /// Reference seconds per query second − 1; nil when not stated.
    public var timeSkew: Double?
    /// The measured frequency skew, if ``frequencySkew`` assumes a kind of skew.
    public var freeFrequencySkew: Double?
    /// The measured time skew, if ``timeSkew`` assumes a kind of skew.
    public var freeTimeSkew: Double?
    /// The stated standard error of ``freeFrequencySkew``.
    public var frequencySkewStandardError: Double?
    /// The stated standard error of ``freeTimeSkew``.
    public var timeSkewStandardError: Double?
    /// The score on the matcher's own scale; higher is surer.
    public var score: Double
    /// A probability in 0…1; nil when not stated.
    public var confidence: Double?
    /// The log-likelihood ratio for the first candidate against this one.
    ///
    /// Nil for the first candidate, and when not requested or not stated.
    public var logLikelihoodDeficit: Double?
    /// Whether the matcher accepts this as a match.
    public var isAccepted: Bool
    /// Nil instead of false, so that the stored form of other answers stays.
    private var related: Bool?

    /// Whether it names the reference as another recording of the same music: another take, mix or arrangement.
    ///
    /// Such an answer is no claim of identity.
    public var isRelated: Bool {
        get { related ?? false }
        set { related = newValue ? true : nil }
    }

    private enum CodingKeys: String, CodingKey {
        case referenceID, offsetSeconds, frequencySkew, timeSkew, freeFrequencySkew, freeTimeSkew
        case frequencySkewStandardError, timeSkewStandardError, score, confidence
        // The key in stores and in digests of answers.
        case logLikelihoodDeficit = "deficit"
        case isAccepted, related
    }

    /// Makes a candidate; free skews, standard errors and deficit are set afterwards.
    public init(
        referenceID: String, offsetSeconds: Double?, frequencySkew: Double? = nil, timeSkew: Double? = nil,
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
