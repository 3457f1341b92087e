import Matchers

/// Everything that is kept of one trial: the query, its truth, and the matcher's raw answers.
///
/// Nothing here is a judgement; outcomes and figures are computed from records afterwards.
package struct TrialRecord: Codable, Hashable, Sendable {
    /// The name of the trial, unique in its plan, for example `pink-noise/0dB/5s/p017`.
    package var trialID: String
    /// The position of the trial in its plan, from 0.
    package var index: Int
    /// The degradation family, for example `pink noise`.
    package var degradation: String
    /// The strength as printed, for example `0 dB`; empty where the family has none.
    package var severity: String
    /// The strength as a number in the family's unit, where it has one.
    package var severityValue: Double?
    /// The requested query length in seconds.
    package var lengthSeconds: Double
    /// Whether some enrolled reference contains the query.
    package var isPositive: Bool
    /// The corpus path of the recording the query was cut from; for a recorded query that of a reference it
    /// holds, or of the query itself where there is none.
    package var source: String
    /// The file of a recorded query, as its list names it; nil for a query that was made.
    package var queryFile: String?
    /// Which seconds of that file the query is; nil when it is all of it.
    package var queryPart: ClosedRange<Double>?
    /// The equivalence class of that recording.
    package var sourceClass: String
    /// Where in the recording the query begins, in seconds.
    package var sourceStartSeconds: Double?
    /// Where in the recording the query ends, in seconds.
    package var sourceEndSeconds: Double?
    /// The fold whose classes were left out of the catalog; nil when the catalog was whole.
    package var fold: Int?
    /// References that are right answers; empty for a negative.
    package var truthReferences: [String]
    /// Seconds to add to the truth's offset for each right reference that is the same recording; one that
    /// only shares a passage is missing, and its offsets are not scored.
    package var truthOffsetDeltas: [String: Double]
    /// The truth, nil for a negative.
    package var truth: Truth?
    /// How many starts were drawn and thrown away because the clip was too quiet.
    package var redraws: Int
    /// The concrete chain, as JSON.
    package var chain: String
    /// The signal-to-noise ratio measured over the full band, in decibels.
    package var snrDecibels: Double?
    /// The same within 0–4 kHz.
    package var snrDecibelsTo4kHz: Double?
    /// The rate of the query, in hertz.
    package var querySampleRate: Int
    /// The number of channels of the query.
    package var queryChannels: Int
    /// The number of frames of the query.
    package var queryFrames: Int
    /// SHA-256 of the query's decoded samples, in hexadecimal.
    package var queryDigest: String
    /// The matcher's best candidates, best first.
    package var candidates: [Candidate]
    /// What went wrong, if anything did.
    package var error: String?
    /// Whether the chain asks for a format that does not exist at this rate; then nothing was run.
    package var isOffered: Bool
    /// The correlation of the waveform at the answered place with that at the true place, −1…1;
    /// measured only where the right reference was named at another place.
    package var repeatCorrelation: Double?
    /// The offset error to that repetition, in seconds.
    package var repeatOffsetErrorSeconds: Double?
    /// Milliseconds from samples to answers, where the latency pass measured them.
    package var matchMilliseconds: Double?
    /// Processor milliseconds of the matcher in that time, over all its threads and processes; nil where they
    /// are not known.
    package var processorMilliseconds: Double?
    /// Milliseconds that ``CalibrationLoop`` took beside it.
    package var calibrationMilliseconds: Double?

    /// Makes a record with everything that is always known.
    ///
    /// What only some trials have, from ``severityValue`` to ``matchMilliseconds``, is set afterwards.
    ///
    /// - Parameter truthOffsetDeltas: nil stands for 0 with each right reference.
    package init(
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
}
