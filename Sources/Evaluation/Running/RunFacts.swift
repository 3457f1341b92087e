import Matchers

/// The origin of a run's records, for judging the figures and repeating the run.
package struct RunFacts: Codable, Hashable, Sendable {
    /// The name of the plan, for example `standard`.
    package var planName: String
    /// SHA-256 of the plan's content, in hexadecimal.
    package var planDigest: String
    /// The path of the plan file, as it was given.
    package var planPath: String
    /// What the user asked for; it opens the same plan again.
    package var request: RunRequest
    /// The seed from which everything random was drawn.
    package var seed: UInt64
    /// The name of the corpus, for example `games`.
    package var corpusName: String
    /// SHA-256 of the corpus lock, in hexadecimal.
    package var corpusDigest: String
    /// The half of the references that was enrolled: `test` or `tuning`.
    package var half: String
    package var matcher: Contestant
    /// The commit of the sources, with a trailing `+` if they were changed since.
    package var commit: String
    package var machine: Machine
    /// Versions by name of the tools that affect samples, such as `swift`, `libsndfile` and `ffmpeg`.
    package var toolVersions: [String: String]
    /// When the run began, in ISO 8601 with a time zone.
    package var startedAt: String
    /// The elapsed time of the run, in seconds.
    package var wallSeconds: Double
    /// The number of trials that ran at a time.
    package var jobs: Int
    package var referenceCount: Int
    /// The total length of the references, in seconds.
    package var referenceSeconds: Double
    /// The size of the index in bytes; nil if unknown.
    package var indexBytes: Int?
    /// Elapsed seconds of enrolment without decoding.
    package var enrolSeconds: Double
    /// The number of trials in the plan, including formats that are not offered.
    package var trialCount: Int
    /// The number of trials in the latency pass.
    package var latencyTrialCount: Int
    /// Seconds of decoding, over all threads.
    package var decodeSecondsTotal: Double
    /// The length of the decoded audio, in seconds.
    package var decodedAudioSeconds: Double
    /// Processor seconds of the trials by stage: queries, matching, judging, storing; nil before the run is finished.
    ///
    /// They cover only the process that finished the run, not interrupted ones before it.
    package var stageSeconds: [String: Double]?
    /// The number of trials in ``stageSeconds``.
    package var stageTrialCount: Int?
    /// The digest of plan, corpus, half and seed, without the shift of the queries' starts.
    ///
    /// Runs of one panel can be compared trial by trial.
    package var panelDigest: String
    /// Frames of the source by which every query's start was moved.
    package var startShiftFrames = 0
    /// The score from which a candidate counts as claimed; nil leaves it to the matcher
    /// (``Candidate/isAccepted``).
    package var scoreThreshold: Double?
    /// The share of the plan that ran; nil for the whole plan.
    package var shard: Shard?
    /// What the contestant cost beside time by the clock; nil before the run is finished.
    package var cost: Cost?
    /// The origin of each shard of a merged run; nil for other runs.
    package var mergedFrom: [Part]?
    /// Remarks for the reader of the figures.
    package var notes: [String]

    package struct Contestant: Codable, Hashable, Sendable {
        package var name: String
        /// The version of the engine.
        package var version: String
        package var settings: [String: String]
        /// A digest of its full answers to fixed queries, in hexadecimal.
        package var digest: String

        package init(name: String, version: String, settings: [String: String], digest: String) {
            self.name = name
            self.version = version
            self.settings = settings
            self.digest = digest
        }
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

    package init(
        planName: String, planDigest: String, planPath: String, request: RunRequest, seed: UInt64,
        corpusName: String, corpusDigest: String, half: String, matcher: Contestant, commit: String,
        machine: Machine,
        toolVersions: [String: String], startedAt: String, wallSeconds: Double, jobs: Int,
        referenceCount: Int, referenceSeconds: Double, indexBytes: Int?, enrolSeconds: Double,
        trialCount: Int, latencyTrialCount: Int, decodeSecondsTotal: Double, decodedAudioSeconds: Double,
        scoreThreshold: Double?, notes: [String]
    ) {
        self.planName = planName
        self.planDigest = planDigest
        panelDigest = planDigest
        self.planPath = planPath
        self.request = request
        self.seed = seed
        self.corpusName = corpusName
        self.corpusDigest = corpusDigest
        self.half = half
        self.matcher = matcher
        self.commit = commit
        self.machine = machine
        self.toolVersions = toolVersions
        self.startedAt = startedAt
        self.wallSeconds = wallSeconds
        self.jobs = jobs
        self.referenceCount = referenceCount
        self.referenceSeconds = referenceSeconds
        self.indexBytes = indexBytes
        self.enrolSeconds = enrolSeconds
        self.trialCount = trialCount
        self.latencyTrialCount = latencyTrialCount
        self.decodeSecondsTotal = decodeSecondsTotal
        self.decodedAudioSeconds = decodedAudioSeconds
        self.scoreThreshold = scoreThreshold
        self.notes = notes
    }
}
