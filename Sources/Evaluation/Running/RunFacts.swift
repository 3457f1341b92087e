import Matchers

/// Where the records of a run come from: enough to judge the figures and to run it again.
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
    /// The contestant.
    package var matcher: Contestant
    /// The commit of the sources, with `+` behind it when they were changed since.
    package var commit: String
    /// The computer.
    package var machine: Machine
    /// Name → version of what had a hand in the samples: swift, libsndfile, libsamplerate, rubberband,
    /// fftw, ffmpeg.
    package var toolVersions: [String: String]
    /// When the run began, in ISO 8601 with a time zone.
    package var startedAt: String
    /// How long the run took by the clock, in seconds.
    package var wallSeconds: Double
    /// How many trials ran at a time.
    package var jobs: Int
    /// How many references were enrolled.
    package var referenceCount: Int
    /// The length of all references together, in seconds.
    package var referenceSeconds: Double
    /// The size of the index in bytes; nil when the matcher does not say.
    package var indexBytes: Int?
    /// Seconds spent in enrolment by the clock, decoding excluded.
    package var enrolSeconds: Double
    /// How many trials the plan has, formats that are not offered included.
    package var trialCount: Int
    /// How many trials the latency pass measured.
    package var latencyTrialCount: Int
    /// Seconds spent decoding, over all threads.
    package var decodeSecondsTotal: Double
    /// The length of what was decoded in that time, in seconds.
    package var decodedAudioSeconds: Double
    /// Processor seconds of the trials by stage: queries, matching, judging, storing; nil before the run is finished.
    ///
    /// Of the process that finished the run; what an earlier one did before it was broken off is missing.
    package var stageSeconds: [String: Double]?
    /// How many trials those seconds were spent on.
    package var stageTrialCount: Int?
    /// The digest of what decides which trials there are: plan, corpus, half, seed; a shift of the queries' starts not.
    ///
    /// Runs of one panel can be compared trial by trial.
    package var panelDigest: String
    /// Frames of the source by which every query's start was moved.
    package var startShiftFrames = 0
    /// The score from which a candidate counts as claimed; nil leaves it to the matcher
    /// (``Candidate/isAccepted``).
    package var scoreThreshold: Double?
    /// The share of the plan that was run; nil where it was the whole plan.
    package var shard: Shard?
    /// What the contestant cost beside time by the clock; nil before the run is finished.
    package var cost: Cost?
    /// Where the shards of a merged run were run; nil where none were merged.
    package var mergedFrom: [Part]?
    /// Sentences the reader of the figures has to know.
    package var notes: [String]

    /// The contestant of a run.
    package struct Contestant: Codable, Hashable, Sendable {
        /// What it is called.
        package var name: String
        /// The version of the engine.
        package var version: String
        /// Its settings, as name → value.
        package var settings: [String: String]
        /// A digest of its full answers to fixed queries, in hexadecimal.
        package var digest: String

        /// Makes a contestant.
        package init(name: String, version: String, settings: [String: String], digest: String) {
            self.name = name
            self.version = version
            self.settings = settings
            self.digest = digest
        }
    }

    /// What a contestant cost beside time by the clock.
    package struct Cost: Codable, Hashable, Sendable {
        /// Processor seconds of enrolment, decoding excluded, over all threads and processes.
        package var enrolProcessorSeconds: Double?
        /// The most memory held at a time, in bytes.
        package var peakMemoryBytes: Int?
        /// Whether that memory is the judge's too, as of a matcher that works in its process.
        package var peakIncludesJudge: Bool
        /// How often a matcher with a process of its own had to be started again.
        package var restarts: Int

        /// Makes a cost.
        package init(
            enrolProcessorSeconds: Double?, peakMemoryBytes: Int?, peakIncludesJudge: Bool, restarts: Int
        ) {
            self.enrolProcessorSeconds = enrolProcessorSeconds
            self.peakMemoryBytes = peakMemoryBytes
            self.peakIncludesJudge = peakIncludesJudge
            self.restarts = restarts
        }
    }

    /// The computer of a run.
    package struct Machine: Codable, Hashable, Sendable {
        /// The model of the processor.
        package var processor: String
        /// The number of logical cores.
        package var logicalCores: Int
        /// The main memory, in bytes.
        package var memoryBytes: Int
        /// The operating system and its version.
        package var operatingSystem: String
        /// The release of the kernel.
        package var kernel: String
        /// Maker, family, model and stepping of the processor; nil where it does not say.
        package var revision: String?
        /// The sets of instructions by which libraries choose their code, sorted; nil where they are not known.
        package var features: [String]?

        /// Makes a machine.
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

    /// Makes the facts of a run.
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
