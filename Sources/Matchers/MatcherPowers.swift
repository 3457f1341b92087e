import AudioCore

/// What a matcher can do besides answering queries; nil where it cannot.
///
/// A matcher sets what it has in ``Matcher/powers``. No figure of another matcher depends on it.
public struct MatcherPowers: Sendable {
    /// Analyses recordings once for many catalogs.
    public var preparation: Preparation?

    /// Explains the answers of ``Matcher/identify(_:)`` to a query, and aligns the query with `places`.
    ///
    /// Reports draw the explanation. The judge asks after a run, and only then gives the true place.
    public var explain: (@Sendable (_ query: Query, _ places: [ReferencePlace]) throws -> MatchExplanation)?

    /// Examines queries, to fit a decision to the evidence.
    public var examination: Examination?

    /// Follows streams: audio without a known end, block by block.
    public var startStream: StreamStart?

    /// Finds the passages of a recording of any length, block by block.
    public var startPassages: PassageStart?

    /// Enrols synthetic references, called fillers, of a total length in hours; called before
    /// ``Matcher/finishEnrolment()``.
    ///
    /// They are made from the references enrolled so far. A filler must look to a query like a real reference that
    /// does not contain it. It has as many peaks a second, and is as similar to other references and to queries.
    /// Matches among fillers then predict matches among as much music. The first fillers of a seed are the same for
    /// any length.
    public var enrolFillers: (@Sendable (_ hours: Double, _ seed: UInt64) throws -> Void)?

    /// Answers from the truth, to check the judge; `references` is empty for a negative.
    ///
    /// Its score must be perfect.
    public var control:
        (@Sendable (_ query: Query, _ references: [String], _ truth: Truth?) throws -> [Candidate])?

    /// Finds the passages of a recording from the truth, to check the judge.
    public var passageControl:
        (@Sendable (_ truth: [Passage], _ sampleRate: Int) throws -> any PassageStream)?

    /// The matcher itself, if it runs in processes of its own.
    public var remote: (any RemoteMatcher)?

    /// Names what a matcher can do.
    public init(
        preparation: Preparation? = nil,
        explain: (@Sendable (Query, [ReferencePlace]) throws -> MatchExplanation)? = nil,
        examination: Examination? = nil, startStream: StreamStart? = nil, startPassages: PassageStart? = nil,
        enrolFillers: (@Sendable (Double, UInt64) throws -> Void)? = nil,
        control: (@Sendable (Query, [String], Truth?) throws -> [Candidate])? = nil,
        passageControl: (@Sendable ([Passage], Int) throws -> any PassageStream)? = nil,
        remote: (any RemoteMatcher)? = nil
    ) {
        self.preparation = preparation
        self.explain = explain
        self.examination = examination
        self.startStream = startStream
        self.startPassages = startPassages
        self.enrolFillers = enrolFillers
        self.control = control
        self.passageControl = passageControl
        self.remote = remote
    }

    /// Starts a stream, after ``Matcher/finishEnrolment()``; from any thread.
    ///
    /// `sampleRate` in hertz and `channelCount` are those of all blocks.
    public typealias StreamStart =
        @Sendable (_ sampleRate: Int, _ channelCount: Int) throws -> any MatcherStream

    /// Starts a recording, after ``Matcher/finishEnrolment()``; from any thread.
    ///
    /// `sampleRate` in hertz and `channelCount` are those of all blocks.
    public typealias PassageStart =
        @Sendable (_ sampleRate: Int, _ channelCount: Int) throws -> any PassageStream

    /// Names what is measured of each place that a query's search examines, and measures it.
    public struct Examination: Sendable {
        /// The measured values, each name once.
        public let values: [Value]
        /// The evidence of all places that a search for a query examines; from any thread.
        public let examine: @Sendable (Query) throws -> [CandidateEvidence]

        /// What a value is.
        public struct Value: Sendable {
            /// The name of its column.
            public let name: String
            /// What is measured, in a few words, with the unit.
            public let meaning: String

            /// Describes a value.
            public init(name: String, meaning: String) {
                self.name = name
                self.meaning = meaning
            }
        }

        /// Describes an examination.
        public init(
            values: [Value], examine: @escaping @Sendable (Query) throws -> [CandidateEvidence]
        ) {
            self.values = values
            self.examine = examine
        }
    }

    /// Enrols a prepared value of each recording, so that many catalogs cost one analysis.
    public struct Preparation: Sendable {
        /// The given key and the type of values; instances with equal keys prepare equally.
        public let key: String
        /// Analyses a recording; from any thread.
        public let prepare: @Sendable (AudioBuffer) throws -> any Sendable
        /// Enrols a recording that this instance, or another of the same key, has prepared.
        public let enrol: @Sendable (_ id: String, _ prepared: any Sendable) -> Void

        /// Describes preparation; values depend on the audio and `key` alone.
        public init<Prepared: Sendable>(
            key: String, prepare: @escaping @Sendable (AudioBuffer) throws -> Prepared,
            enrol: @escaping @Sendable (_ id: String, _ prepared: Prepared) -> Void
        ) {
            self.key = "\(String(reflecting: Prepared.self))\n\(key)"
            self.prepare = prepare
            self.enrol = { id, prepared in
                guard let prepared = prepared as? Prepared else {
                    preconditionFailure("\(id) was prepared with another key")
                }
                enrol(id, prepared)
            }
        }
    }
}
