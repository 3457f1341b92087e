/// Everything that is kept of one trial: the query, its truth, and the matcher's raw answers.
///
/// Nothing here is a judgement; outcomes and figures are computed from records afterwards.
public struct TrialRecord: Codable, Hashable, Sendable {
    /// The name of the trial, unique in its plan, for example `pink-noise/0dB/5s/p017`.
    public var trialID: String
    /// The position of the trial in its plan, from 0.
    public var index: Int
    /// The degradation family, for example `pink noise`.
    public var degradation: String
    /// The strength as printed, for example `0 dB`; empty where the family has none.
    public var severity: String
    /// The strength as a number in the family's unit, where it has one.
    public var severityValue: Double?
    /// The requested query length in seconds.
    public var lengthSeconds: Double
    /// Whether some enrolled reference contains the query.
    public var isPositive: Bool
    /// The corpus path of the recording the query was cut from; for a recorded query that of a reference it
    /// holds, or of the query itself where there is none.
    public var source: String
    /// The file of a recorded query, as its list names it; nil for a query that was made.
    public var queryFile: String?
    /// Which seconds of that file the query is; nil when it is all of it.
    public var queryPart: ClosedRange<Double>?
    /// The equivalence class of that recording.
    public var sourceClass: String
    /// Where in the recording the query begins, in seconds.
    public var sourceStartSeconds: Double?
    /// Where in the recording the query ends, in seconds.
    public var sourceEndSeconds: Double?
    /// The fold whose classes were left out of the catalog; nil when the catalog was whole.
    public var fold: Int?
    /// References that are right answers; empty for a negative.
    public var truthReferences: [String]
    /// Seconds to add to the truth's offset for each right reference that is the same recording; one that
    /// only shares a passage is missing, and its offsets are not scored.
    public var truthOffsetDeltas: [String: Double]
    /// The truth, nil for a negative.
    public var truth: Truth?
    /// How many starts were drawn and thrown away because the clip was too quiet.
    public var redraws: Int
    /// The concrete chain, as JSON.
    public var chain: String
    /// The signal-to-noise ratio measured over the full band, in decibels.
    public var snrDecibels: Double?
    /// The same within 0–4 kHz.
    public var snrDecibelsTo4kHz: Double?
    /// The rate of the query, in hertz.
    public var querySampleRate: Int
    /// The number of channels of the query.
    public var queryChannels: Int
    /// The number of frames of the query.
    public var queryFrames: Int
    /// SHA-256 of the query's decoded samples, in hexadecimal.
    public var queryDigest: String
    /// The matcher's best candidates, best first.
    public var candidates: [Candidate]
    /// What went wrong, if anything did.
    public var error: String?
    /// Whether the chain asks for a format that does not exist at this rate; then nothing was run.
    public var isOffered: Bool
    /// The correlation of the waveform at the answered place with that at the true place, −1…1;
    /// measured only where the right reference was named at another place.
    public var repeatCorrelation: Double?
    /// The offset error to that repetition, in seconds.
    public var repeatOffsetErrorSeconds: Double?
    /// Milliseconds from samples to answers, where the latency pass measured them.
    public var matchMilliseconds: Double?
    /// Processor milliseconds of the matcher in that time, over all its threads and processes; nil where they
    /// are not known, and in old stores.
    public var processorMilliseconds: Double?
    /// Milliseconds that ``CalibrationLoop`` took beside it.
    public var calibrationMilliseconds: Double?

    /// Makes a record with everything that is always known.
    ///
    /// What only some trials have, from ``severityValue`` to ``matchMilliseconds``, is set afterwards.
    ///
    /// - Parameter truthOffsetDeltas: nil stands for 0 with each right reference.
    public init(
        trialID: String, index: Int, degradation: String, severity: String, severityValue: Double?,
        lengthSeconds: Double, isPositive: Bool, source: String, sourceClass: String,
        truthReferences: [String], truthOffsetDeltas: [String: Double]? = nil, truth: Truth?, redraws: Int,
        chain: String, querySampleRate: Int,
        queryChannels: Int, queryFrames: Int, queryDigest: String, candidates: [Candidate], isOffered: Bool
    ) {
        self.trialID = trialID
        self.index = index
        self.degradation = degradation
        self.severity = severity
        self.severityValue = severityValue
        self.lengthSeconds = lengthSeconds
        self.isPositive = isPositive
        self.source = source
        self.sourceClass = sourceClass
        self.truthReferences = truthReferences
        self.truthOffsetDeltas =
            truthOffsetDeltas ?? Dictionary(truthReferences.map { ($0, 0) }, uniquingKeysWith: { $1 })
        self.truth = truth
        self.redraws = redraws
        self.chain = chain
        self.querySampleRate = querySampleRate
        self.queryChannels = queryChannels
        self.queryFrames = queryFrames
        self.queryDigest = queryDigest
        self.candidates = candidates
        self.isOffered = isOffered
    }

    /// Where a query lies in its reference, as far as that is known.
    ///
    /// All is known of a query that was made here; of one that somebody recorded, what their list says. What is
    /// nil is not scored.
    public struct Truth: Codable, Hashable, Sendable {
        /// Reference time in seconds at the query's first sample; nil where only the reference is known.
        public var offsetSeconds: Double?
        /// How far off that may be, where it is not known exactly: then errors of offsets are not scored, and
        /// an answer is at the right place within so many seconds more.
        public var offsetToleranceSeconds: Double?
        /// f_query / f_reference − 1.
        public var frequencySkew: Double?
        /// Reference seconds per query second − 1, by least squares over the query.
        public var timeSkew: Double?
        /// The change of the time skew per second, for drift and wow.
        public var skewChangePerSecond: Double

        /// Makes a truth.
        public init(
            offsetSeconds: Double?, frequencySkew: Double?, timeSkew: Double?, skewChangePerSecond: Double,
            offsetToleranceSeconds: Double? = nil
        ) {
            self.offsetSeconds = offsetSeconds
            self.frequencySkew = frequencySkew
            self.timeSkew = timeSkew
            self.skewChangePerSecond = skewChangePerSecond
            self.offsetToleranceSeconds = offsetToleranceSeconds
        }
    }
}
