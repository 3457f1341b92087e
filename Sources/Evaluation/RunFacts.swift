/// Where the records of a run come from: enough to judge the figures and to run it again.
public struct RunFacts: Codable, Hashable, Sendable {
    /// The name of the plan, for example `standard`.
    public var planName: String
    /// SHA-256 of the plan's content, in hexadecimal.
    public var planDigest: String
    /// The path of the plan file, as it was given.
    public var planPath: String
    /// The options that choose the same plan on a command line, for example `--plan standard --positives 40`.
    public var planArguments: String
    /// The seed from which everything random was drawn.
    public var seed: UInt64
    /// The name of the corpus, for example `games`.
    public var corpusName: String
    /// SHA-256 of the corpus lock, in hexadecimal.
    public var corpusDigest: String
    /// The half of the references that was enrolled: `test` or `tuning`.
    public var half: String
    /// The contestant.
    public var matcher: Contestant
    /// The commit of the sources, with `+` behind it when they were changed since.
    public var commit: String
    /// The computer.
    public var machine: Machine
    /// Name → version of what had a hand in the samples: swift, libsndfile, libsamplerate, rubberband,
    /// fftw, ffmpeg.
    public var toolVersions: [String: String]
    /// When the run began, in ISO 8601 with a time zone.
    public var startedAt: String
    /// How long the run took by the clock, in seconds.
    public var wallSeconds: Double
    /// How many trials ran at a time.
    public var jobs: Int
    /// How many references were enrolled.
    public var referenceCount: Int
    /// The length of all references together, in seconds.
    public var referenceSeconds: Double
    /// The size of the index in bytes; nil when the matcher does not say.
    public var indexBytes: Int?
    /// Seconds spent in enrolment by the clock, decoding excluded.
    public var enrolSeconds: Double
    /// How many trials the plan has, formats that are not offered included.
    public var trialCount: Int
    /// How many trials the latency pass measured.
    public var latencyTrialCount: Int
    /// Seconds spent decoding, over all threads.
    public var decodeSecondsTotal: Double
    /// The length of what was decoded in that time, in seconds.
    public var decodedAudioSeconds: Double
    /// Processor seconds of the trials by stage: queries, matching, judging, storing; nil in old stores.
    ///
    /// Of the process that finished the run; what an earlier one did before it was broken off is missing.
    public var stageSeconds: [String: Double]?
    /// How many trials those seconds were spent on.
    public var stageTrialCount: Int?
    /// The digest of what decides which trials there are: plan, corpus, half, seed; a shift of the queries' starts not.
    ///
    /// Runs of one panel can be compared trial by trial. Nil in old stores.
    public var panelDigest: String?
    /// Frames of the source by which every query's start was moved; nil in old stores.
    public var startShiftFrames: Int?
    /// The score from which a candidate counts as claimed; nil leaves it to the matcher
    /// (``Candidate/isAccepted``).
    public var scoreThreshold: Double?
    /// The share of the plan that was run; nil where it was the whole plan.
    public var shard: Shard?
    /// The options of `earshot evaluate` that make the same run again, folder and shard left out; nil in old stores.
    public var evaluateArguments: String?
    /// What the contestant cost beside time by the clock; nil in old stores.
    public var cost: Cost?
    /// Where the shards of a merged run were run; nil where none were merged.
    public var mergedFrom: [Part]?
    /// Sentences the reader of the figures has to know.
    public var notes: [String]

    /// The contestant of a run.
    public struct Contestant: Codable, Hashable, Sendable {
        /// What it is called.
        public var name: String
        /// The version of the engine.
        public var version: String
        /// Its settings, as name → value.
        public var settings: [String: String]
        /// A digest of its full answers to fixed queries, in hexadecimal.
        public var digest: String

        /// Makes a contestant.
        public init(name: String, version: String, settings: [String: String], digest: String) {
            self.name = name
            self.version = version
            self.settings = settings
            self.digest = digest
        }
    }

    /// What a contestant cost beside time by the clock.
    public struct Cost: Codable, Hashable, Sendable {
        /// Processor seconds of enrolment, decoding excluded, over all threads and processes.
        public var enrolProcessorSeconds: Double?
        /// The most memory held at a time, in bytes.
        public var peakMemoryBytes: Int?
        /// Whether that memory is the judge's too, as of a matcher that works in its process.
        public var peakIncludesJudge: Bool
        /// How often a matcher with a process of its own had to be started again.
        public var restarts: Int

        /// Makes a cost.
        public init(
            enrolProcessorSeconds: Double?, peakMemoryBytes: Int?, peakIncludesJudge: Bool, restarts: Int
        ) {
            self.enrolProcessorSeconds = enrolProcessorSeconds
            self.peakMemoryBytes = peakMemoryBytes
            self.peakIncludesJudge = peakIncludesJudge
            self.restarts = restarts
        }
    }

    /// The computer of a run.
    public struct Machine: Codable, Hashable, Sendable {
        /// The model of the processor.
        public var processor: String
        /// The number of logical cores.
        public var logicalCores: Int
        /// The main memory, in bytes.
        public var memoryBytes: Int
        /// The operating system and its version.
        public var operatingSystem: String
        /// The release of the kernel.
        public var kernel: String
        /// Maker, family, model and stepping of the processor; nil where it does not say, and in old stores.
        public var revision: String?
        /// The sets of instructions by which libraries choose their code, sorted; nil in old stores.
        public var features: [String]?

        /// Makes a machine.
        public init(
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

    /// Makes the facts of a run.
    public init(
        planName: String, planDigest: String, planPath: String, planArguments: String, seed: UInt64,
        corpusName: String, corpusDigest: String, half: String, matcher: Contestant, commit: String,
        machine: Machine,
        toolVersions: [String: String], startedAt: String, wallSeconds: Double, jobs: Int,
        referenceCount: Int, referenceSeconds: Double, indexBytes: Int?, enrolSeconds: Double,
        trialCount: Int, latencyTrialCount: Int, decodeSecondsTotal: Double, decodedAudioSeconds: Double,
        scoreThreshold: Double?, notes: [String]
    ) {
        self.planName = planName
        self.planDigest = planDigest
        self.planPath = planPath
        self.planArguments = planArguments
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
