import Matchers

/// The stored data of one trial: the query, its truth, and the matcher's raw answers.
///
/// Outcomes and figures are computed from records later.
package struct TrialRecord: Codable, Hashable, Sendable {
    /// The name of the trial, unique in its plan, for example `pink-noise/0dB/5s/p017`.
    package var trialID: String
    /// The position of the trial in its plan, from 0.
    package var index: Int
    /// The degradation family, for example `pink noise`.
    package var degradation: String
    /// The strength as printed, for example `0 dB`; empty if the family has none.
    package var severity: String
    /// The strength as a number in the family's unit, if it has one.
    package var severityValue: Double?
    /// The requested query length in seconds.
    package var lengthSeconds: Double
    /// Whether some enrolled reference contains the query.
    package var isPositive: Bool
    /// The corpus path of the source recording.
    ///
    /// For a recorded query it is the path of a reference in it, or of the query if there is none.
    package var source: String
    /// The file of a recorded query, as its list names it; nil for a rendered query.
    package var queryFile: String?
    /// The seconds of that file in the query; nil for the whole file.
    package var queryPart: ClosedRange<Double>?
    /// The equivalence class of the source.
    package var sourceClass: String
    /// The start of the query in the source, in seconds.
    package var sourceStartSeconds: Double?
    /// The end of the query in the source, in seconds.
    package var sourceEndSeconds: Double?
    /// The fold whose classes the catalog leaves out; nil if it leaves out none.
    package var fold: Int?
    /// The right answers; empty for a negative.
    package var truthReferences: [String]
    /// Seconds to add to the truth's offset for each right reference that is the same recording.
    ///
    /// References that only share a passage are missing; their offsets are not scored.
    package var truthOffsetDeltas: [String: Double]
    /// The truth, nil for a negative.
    package var truth: Truth?
    /// The number of starts rejected because the clip was too quiet.
    package var redraws: Int
    /// The concrete chain, as JSON.
    package var chain: String
    /// The signal-to-noise ratio measured over the full band, in decibels.
    package var snrDecibels: Double?
    /// The same within 0–4 kHz.
    package var snrDecibelsTo4kHz: Double?
    /// The rate of the query, in hertz.
    package var querySampleRate: Int
    package var queryChannels: Int
    package var queryFrames: Int
    /// SHA-256 of the query's decoded samples, in hexadecimal.
    package var queryDigest: String
    /// The matcher's best candidates, best first.
    package var candidates: [Candidate]
    /// The error, if the query could not be made or answered.
    package var error: String?
    /// False if the chain needs a format that does not exist at this rate; then nothing ran.
    package var isOffered: Bool
    /// The correlation of the waveforms at the answered and the true place, −1…1.
    ///
    /// It is measured only if the matcher named the right reference at another place.
    package var repeatCorrelation: Double?
    /// The offset error to that repeat, in seconds.
    package var repeatOffsetErrorSeconds: Double?
    /// Milliseconds from samples to answers, if the latency pass measured them.
    package var matchMilliseconds: Double?
    /// Processor milliseconds of the matcher in that time, over all its threads and processes; nil where they
    /// are not known.
    package var processorMilliseconds: Double?
    /// Milliseconds of ``CalibrationLoop`` at the same time.
    package var calibrationMilliseconds: Double?

    /// Makes a record of the values that every trial has.
    ///
    /// - Parameter truthOffsetDeltas: nil means 0 for each right reference.
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
