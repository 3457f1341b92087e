import Corpora
import SystemIO

/// The provenance and the figures of a run, stored as one flat object.
///
/// Their properties can be used as those of the facts.
@dynamicMemberLookup
public struct RunFacts: Codable, Hashable, Sendable {
    package var provenance: Provenance
    package var figures = Figures()

    package init(_ provenance: Provenance) { self.provenance = provenance }

    /// The facts of a run before it begins; its figures are still 0.
    package init(plan: Plan, matcher: Contestant, jobs: Int, request: RunRequest, notes: [String]) {
        provenance = Provenance(matcher, on: plan, request: request, notes: notes)
        figures.jobs = jobs
        figures.trialCount = plan.trials.count
        figures.startShiftFrames = plan.file.startShiftFrames
        figures.queryDigests = plan.queries.mapValues(\.digest)
        figures.trialDigests = plan.trialDigests
        figures.queryParts = plan.queries.mapValues(\.parts)
    }

    /// Reads provenance and figures from one object.
    public init(from decoder: any Decoder) throws {
        provenance = try Provenance(from: decoder)
        figures = try Figures(from: decoder)
    }

    /// Writes provenance and figures as one object.
    public func encode(to encoder: any Encoder) throws {
        try provenance.encode(to: encoder)
        try figures.encode(to: encoder)
    }

    /// A fact of the provenance.
    public subscript<Value>(dynamicMember path: WritableKeyPath<Provenance, Value>) -> Value {
        get { provenance[keyPath: path] }
        set { provenance[keyPath: path] = newValue }
    }

    /// A figure of the run.
    public subscript<Value>(dynamicMember path: WritableKeyPath<Figures, Value>) -> Value {
        get { figures[keyPath: path] }
        set { figures[keyPath: path] = newValue }
    }

    /// What a run cost and covered.
    public struct Figures: Codable, Hashable, Sendable {
        /// The elapsed time of the run, in seconds.
        public var wallSeconds = 0.0
        /// The number of trials that ran at a time.
        public var jobs = 0
        /// The number of references.
        public var referenceCount = 0
        /// The total length of the references, in seconds.
        public var referenceSeconds = 0.0
        /// The size of the index in bytes; nil if unknown.
        public var indexBytes: Int?
        /// Elapsed seconds of enrolment without decoding.
        public var enrolSeconds = 0.0
        /// The number of trials in the plan, including formats that are not offered.
        public var trialCount = 0
        /// The number of trials in the latency pass.
        public var latencyTrialCount = 0
        /// Seconds of decoding, over all threads.
        public var decodeSecondsTotal = 0.0
        /// The length of the decoded audio, in seconds.
        public var decodedAudioSeconds = 0.0
        /// Processor seconds of the trials by stage: queries, matching, judging, storing; nil before the run is
        /// finished.
        ///
        /// They cover only the process that finished the run, not interrupted ones before it.
        public var stageSeconds: [String: Double]?
        /// The number of trials in ``stageSeconds``.
        public var stageTrialCount: Int?
        /// Frames of the source by which every query's start was moved.
        public var startShiftFrames = 0
        /// The digests of the queries of each cell (``Plan/queries``).
        package var queryDigests: [String: String] = [:]
        /// The digest of each trial by its index (``Plan/trialDigests``); nil in a run of a version that did not store it.
        package var trialDigests: [String]?
        /// What decides these queries, part by part; nil in a run of a version that did not store it.
        package var queryParts: [String: [String: String]]?
        /// The score from which a candidate counts as claimed; nil leaves it to the matcher
        /// (``Candidate/isAccepted``).
        public var scoreThreshold: Double?
        /// The share of the plan that ran; nil for the whole plan.
        public var shard: Shard?
        /// The study whose trials ran; nil where they are those of a plan.
        package var study: StudySettings?
        /// What the contestant cost beside time by the clock; nil before the run is finished.
        package var cost: Cost?
        /// The recordings from which positives are cut, by name; nil before the run is finished.
        package var recordings: [String: RecordingFacts]?
        /// Some trials asked again, unchanged and as fresh cuts; nil if none were.
        package var memoryCheck: MemoryCheck?
        /// The origin of each shard of a merged run; nil for other runs.
        package var mergedFrom: [Part]?
    }

    /// A study by name, with what its report needs beside the outcomes.
    package struct StudySettings: Codable, Hashable, Sendable {
        package var name: String
        /// JSON.
        var settings: String
    }

    package struct Contestant: Codable, Hashable, Sendable {
        package var name: String
        /// The version of the engine.
        package var version: String
        package var settings: [String: String]
        /// SHA-256 over its full answers to fixed queries, in hexadecimal (``Matchers/Contestant/answersDigest()``).
        package var digest: String
        /// SHA-256 over the files of its code (``Matchers/Contestant/codeDigest``); nil if it does not matter.
        package var codeDigest: String?

        package init(
            name: String, version: String, settings: [String: String], digest: String,
            codeDigest: String? = nil
        ) {
            self.name = name
            self.version = version
            self.settings = settings
            self.digest = digest
            self.codeDigest = codeDigest
        }

        /// What a run, a study and the cache of answers know it by: it changes with its answers and with its code.
        package var identity: String { Digest.sha256("\(digest)\n\(codeDigest ?? "")") }
    }

    /// The cost of a contestant apart from elapsed time.
    package struct Cost: Codable, Hashable, Sendable {
        /// Processor seconds of enrolment without decoding, over all threads and processes.
        package var enrolProcessorSeconds: Double?
        /// The peak memory, in bytes.
        package var peakMemoryBytes: Int?
        /// Whether that memory includes the harness, because the matcher runs in its process.
        package var peakIncludesJudge: Bool
        /// The number of restarts of a matcher in another process.
        package var restarts: Int

        package init(
            enrolProcessorSeconds: Double?, peakMemoryBytes: Int?, peakIncludesJudge: Bool, restarts: Int
        ) {
            self.enrolProcessorSeconds = enrolProcessorSeconds
            self.peakMemoryBytes = peakMemoryBytes
            self.peakIncludesJudge = peakIncludesJudge
            self.restarts = restarts
        }
    }

    package struct Machine: Codable, Hashable, Sendable {
        package var processor: String
        package var logicalCores: Int
        /// The main memory, in bytes.
        package var memoryBytes: Int
        package var operatingSystem: String
        package var kernel: String
        /// Maker, family, model and stepping of the processor; nil where it does not say.
        package var revision: String?
        /// The sets of instructions by which libraries choose their code, sorted; nil where they are not known.
        package var features: [String]?

        package init(
            processor: String, logicalCores: Int, memoryBytes: Int, operatingSystem: String, kernel: String,
            revision: String? = nil, features: [String]? = nil
        ) {
            self.processor = processor
            self.logicalCores = logicalCores
            self.memoryBytes = memoryBytes
            self.operatingSystem = operatingSystem
            self.kernel = kernel
            self.revision = revision
            self.features = features
        }
    }
}
