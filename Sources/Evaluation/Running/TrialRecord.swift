import Corpora
import Degradations
import Matchers
import Metrics

/// The stored data of one trial: the query, its truth, and the matcher's raw answers.
///
/// Outcomes and figures are computed from records later.
public struct TrialRecord: Codable, Hashable, Sendable {
    /// The trial in the plan.
    public var trial: TrialHeader
    /// The facts of the query; nil if it could not be made.
    public var query: QueryFacts?
    /// The equivalence class of the source.
    public var sourceClass = ""
    /// The right answers; empty for a negative.
    public var truthReferences: [String] = []
    /// Seconds to add to the truth's offset for each right reference that is the same recording.
    ///
    /// References that only share a passage are missing; their offsets are not scored.
    public var truthOffsetDeltas: [String: Double] = [:]
    /// The matcher's best candidates, best first, without ``related``.
    public var candidates: [Candidate] = []
    /// The answers that name a reference as another recording of the same music; nil for none.
    public private(set) var related: [Candidate]?
    /// The commit of the run whose answers were taken from the cache; nil if the matcher was asked.
    package var cachedCommit: String?
    /// The error, if the query cannot be made or the matcher failed.
    public var error: String?
    /// What the machine did, if it disturbed the matcher at this query twice; then nothing is known of the answer.
    public var notMeasured: String?
    /// False if the query cannot be made; then nothing ran.
    ///
    /// Without an ``error`` its chain needs a format that does not exist at its rate.
    public var isOffered = true
    /// The true and the answered place compared, if the matcher named the right reference at another place.
    package var repetition: RepeatSearch?
    /// The latency, if the latency pass measured it.
    public var latency: Latency?

    /// The time from samples to answers, measured in one pass over the timed queries or in several.
    public struct Latency: Codable, Hashable, Sendable {
        /// In the order of the passes, at least one.
        public package(set) var passes: [Pass]

        /// One measurement.
        public struct Pass: Codable, Hashable, Sendable {
            /// Milliseconds from samples to answers.
            public var milliseconds: Double
            /// Milliseconds of ``CalibrationLoop`` at the same time.
            public var calibrationMilliseconds: Double?
            /// Processor milliseconds of the matcher in that time, over all its threads and processes; nil if unknown.
            public var processorMilliseconds: Double?
            /// When the pass began, in seconds since 1970; nil in a run of a version that did not store it.
            package var startedAt: Double?

            package init(
                milliseconds: Double, calibrationMilliseconds: Double? = nil,
                processorMilliseconds: Double? = nil, startedAt: Double? = nil
            ) {
                self.milliseconds = milliseconds
                self.calibrationMilliseconds = calibrationMilliseconds
                self.processorMilliseconds = processorMilliseconds
                self.startedAt = startedAt
            }
        }

        /// Makes a latency of one pass.
        package init(
            milliseconds: Double, calibrationMilliseconds: Double? = nil,
            processorMilliseconds: Double? = nil, startedAt: Double? = nil
        ) {
            passes = [
                Pass(
                    milliseconds: milliseconds, calibrationMilliseconds: calibrationMilliseconds,
                    processorMilliseconds: processorMilliseconds, startedAt: startedAt)
            ]
        }

        /// Makes a latency of several passes.
        package init(passes: [Pass]) { self.passes = passes }

        /// Reads passes, or the one pass of an earlier version.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            passes = try container.decodeIfPresent([Pass].self, forKey: .passes) ?? [Pass(from: decoder)]
        }

        /// Milliseconds from samples to answers, the median of the passes; not a number if none was measured.
        public var milliseconds: Double { median(\.milliseconds) ?? .nan }

        /// Processor milliseconds of the matcher, the median of the passes; nil if unknown.
        public var processorMilliseconds: Double? { median(\.processorMilliseconds) }

        /// The median of the passes that have a value.
        private func median(_ value: (Pass) -> Double?) -> Double? {
            Percentile.of(passes.compactMap(value).filter { $0.isFinite && $0 >= 0 }, at: 0.5)
        }
    }

    /// Starts the record of a trial that has not been run.
    package init(_ trial: Trial) { self.trial = TrialHeader(trial) }

    /// Makes a record of a query without its answers.
    ///
    /// - Parameters:
    ///   - query: nil if its format is not offered.
    ///   - tracks: the corpus by id. A source that is not in it counts as its own reference.
    package init(_ trial: Trial, query: RenderedQuery?, tracks: [String: Track]) throws {
        self.init(trial)
        if let source = trial.cutSource, tracks[source] == nil {
            truthReferences = [source]
            truthOffsetDeltas = [source: 0]
        } else {
            try addReferences(of: trial) { id in
                guard let track = tracks[id] else {
                    throw StoreError(path: trial.id, message: "the corpus has no track \(id)")
                }
                return track
            }
        }
        isOffered = query != nil
        self.query = query.map(QueryFacts.init)
    }

    /// The truth; nil for a negative, and for a query that could not be made.
    public var truth: Truth? { trial.isPositive ? query?.truth : nil }

    /// The start of the query in the source, in seconds; nil if unknown.
    public var sourceStartSeconds: Double? { placedQuery?.sourceStartSeconds }

    /// The end of the query in the source, in seconds; nil if unknown.
    public var sourceEndSeconds: Double? { placedQuery?.sourceEndSeconds }

    /// The recording that the query plays, and where: the source, or the query's own file if its place is unknown.
    package var span: (file: String, seconds: Interval)? {
        if let start = sourceStartSeconds, let end = sourceEndSeconds {
            return (trial.source, Interval(lower: start, upper: end))
        }
        guard let file = trial.queryFile, let query else { return nil }
        let start = trial.queryPart?.lowerBound ?? 0
        return (file, Interval(lower: start, upper: start + query.durationSeconds))
    }

    private var placedQuery: QueryFacts? { query?.truth.offsetSeconds == nil ? nil : query }

    /// A value that no run stores, in words; nil if there is none.
    var fault: String? {
        (candidates + (related ?? [])).lazy.compactMap(\.fault).first ?? query?.fault
            ?? truthOffsetDeltas.values.first { !QueryFacts.isTime($0) }.map { "a class offset of \($0) s" }
            ?? repetition.flatMap { QueryFacts.isTime($0.offsetErrorSeconds) ? nil : "an impossible repeat" }
    }
    /// The candidate whose place ``repetition`` compares: the first accepted one, else the first.
    package var placedCandidate: Candidate? { candidates.first(where: \.isAccepted) ?? candidates.first }

    /// Records the answers; those that are related are no candidates.
    package mutating func take(_ answers: some Sequence<Candidate>) {
        candidates = answers.filter { !$0.isRelated }
        let others = answers.filter(\.isRelated)
        related = others.isEmpty ? nil : others
    }

    package var withoutLatency: TrialRecord {
        var record = self
        record.latency = nil
        return record
    }

    /// The record without latency and cache: equal trials have equal ones.
    package var withoutCircumstances: TrialRecord {
        var record = withoutLatency
        record.cachedCommit = nil
        return record
    }

    /// Adds the right references of `trial` and the offsets between them.
    package mutating func addReferences(of trial: Trial, track: (String) throws -> Track) throws {
        if let recorded = trial.recorded {
            if let right = recorded.rights.first { sourceClass = try track(right.id).classID }
            if trial.isPositive { try addReferences(of: recorded, track: track) }
            return
        }
        guard let source = trial.source else { return }
        let origin = try track(source)
        sourceClass = origin.classID
        guard trial.isPositive else { return }
        for member in origin.classMembers where try track(member.id).isEnrolled {
            truthReferences.append(member.id)
            truthOffsetDeltas[member.id] = member.offsetSeconds
        }
    }

    /// Adds each reference that holds a recorded query, with the whole class.
    private mutating func addReferences(
        of recorded: RecordedQuery, track: (String) throws -> Track
    ) throws {
        for right in recorded.rights {
            let named = try track(right.id)
            for member in named.classMembers where !truthReferences.contains(member.id) {
                guard try track(member.id).isEnrolled else { continue }
                truthReferences.append(member.id)
                guard let base = recorded.truth.offsetSeconds, let offset = right.offsetSeconds,
                    let step = member.offsetSeconds
                else { continue }
                truthOffsetDeltas[member.id] = offset - base + step
            }
        }
    }
}

/// What a record keeps of its trial in the plan.
public struct TrialHeader: Codable, Hashable, Sendable {
    /// The name, unique in its plan, for example `pink-noise/0dB/5s/p017`.
    public var id: String
    /// The position in the plan, from 0.
    public var index: Int
    /// The cell it belongs to.
    public var cell: Cell
    /// Whether some enrolled reference contains the query.
    public var isPositive: Bool
    /// The corpus path of the source recording.
    ///
    /// For a recorded query it is the path of a reference in it, or of the query if there is none.
    public var source: String
    /// The file of a recorded query, as its list names it; nil for a rendered query.
    public var queryFile: String?
    /// The seconds of that file in the query; nil for the whole file.
    public var queryPart: ClosedRange<Double>?
    /// The fold whose classes the catalog leaves out; nil if it leaves out none.
    public var fold: Int?
    /// The concrete chain, stored as text; of a recorded query what its list says.
    @ChainText package var chain: DegradationChain

    init(_ trial: Trial) {
        id = trial.id
        index = trial.index
        cell = trial.cell
        isPositive = trial.isPositive
        source = trial.source ?? trial.recorded?.name ?? "silence"
        queryFile = trial.recorded?.name
        queryPart = trial.recorded?.part
        fold = trial.fold
        chain = trial.knownChain
    }
}

/// A chain that is coded as one line of JSON.
@propertyWrapper
package struct ChainText: Codable, Hashable, Sendable {
    package var wrappedValue: DegradationChain

    package init(wrappedValue: DegradationChain) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        wrappedValue = try DegradationChain(json: decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue.json)
    }
}

/// The result of rendering a query: the part of its record that does not depend on the matcher.
public struct QueryFacts: Codable, Hashable, Sendable {
    /// The true place and skews in the source, also of a negative.
    public var truth: Truth
    /// The start in the source, in seconds.
    public var sourceStartSeconds: Double
    /// The end in the source, in seconds.
    public var sourceEndSeconds: Double
    /// The number of starts rejected because the clip was too quiet.
    public var redraws: Int
    /// The signal-to-noise ratio of the mono mix over the full band, in decibels.
    public var snrDecibels: Double?
    /// The same with the mean power of the channels for that of their mix.
    public var snrDecibelsPerChannel: Double?
    /// The ratio of the mono mix within 0–4 kHz.
    public var snrDecibelsTo4kHz: Double?
    /// In hertz.
    public var sampleRate: Int
    /// The number of channels.
    public var channelCount: Int
    /// The length in frames.
    public var frameCount: Int
    /// SHA-256 of the decoded samples, in hexadecimal.
    public var digest: String

    package init(_ query: RenderedQuery) {
        truth = query.truth
        sourceStartSeconds = query.clip.timeMap(0)
        sourceEndSeconds = query.clip.timeMap(query.audio.durationSeconds)
        redraws = query.redraws
        snrDecibels = query.clip.measurements["snrDecibels"]
        snrDecibelsPerChannel = query.clip.measurements["snrDecibelsPerChannel"]
        snrDecibelsTo4kHz = query.clip.measurements["snrDecibelsTo4kHz"]
        sampleRate = query.audio.sampleRate
        channelCount = query.audio.channelCount
        frameCount = query.audio.frameCount
        digest = query.digest
    }

    package var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

    /// A value that no query has, in words; nil if there is none.
    var fault: String? {
        guard (1...10_000_000).contains(sampleRate), (1...10_000).contains(channelCount),
            (0...(1 << 40)).contains(frameCount)
        else { return "a query of \(frameCount) frames, \(channelCount) channels at \(sampleRate) Hz" }
        let seconds = [
            sourceStartSeconds, sourceEndSeconds, truth.offsetSeconds, truth.offsetToleranceSeconds,
            truth.frequencySkew, truth.timeSkew, truth.skewChangePerSecond,
        ]
        return seconds.compactMap(\.self).first { !Self.isTime($0) }
            .map { "a query with a time or skew of \($0)" }
    }

    /// Whether `seconds` can be a time in a recording, or a skew.
    static func isTime(_ seconds: Double) -> Bool { abs(seconds) <= 1e7 }
}
