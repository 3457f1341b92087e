import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers
import Metrics
import SystemIO

/// Plays hours of audio that is in no reference to a matcher, and counts false matches.
///
/// All recordings of ``half`` are played as one stream for each chain, in the order of the corpus: enrolled ones,
/// negatives and noise. The catalog holds the enrolled recordings of the other half. No passage occurs twice in one
/// chain, and none is played for both halves. Of a corpus that is not divided, all references are in the catalog.
package struct NegativeStudy: Study, Sendable {
    package struct Settings: Codable, Sendable {
        package var chains: [String]
        package var referenceCount: Int
        package var referenceSeconds: Double
    }

    package static let name = "negatives"
    package var settings: Settings {
        Settings(
            chains: chains, referenceCount: enrolled.count,
            referenceSeconds: enrolled.reduce(0) { $0 + $1.durationSeconds })
    }
    package var identity: [String] {
        get throws {
            // The chains are trials. So only what shapes their samples decides, and another chain may be added.
            var generator = SeededGenerator(seed: seed)
            let steps = try chains.flatMap { try PlanFile.chain(text: $0) }
            let files = try steps.flatMap { try $0.draw(using: &generator).value.files }
            let versions = AnyDegradation.kinds.map { "\($0.name) \($0.version)" }
            let noise = MaterialKind.allCases.map(material.digest(of:))
            return [corpus.lockDigest, half.rawValue, "\(seed)", "\(blockFrames) frames"]
                + [QueryRecipe.libraries] + versions + noise
                + files.map { "\($0) \(FileContents.sha256(of: $0) ?? "unreadable")" }
        }
    }
    package var trialCount: Int { chains.count }

    package var corpus: Corpus
    package var material: CorpusMaterial
    package var contestant: Contestant
    package var half: CorpusHalf
    /// The chains, each a YAML list; all audio is played once through each.
    package var chains: [String]
    /// The seed of each draw of a chain, together with the recording's name.
    package var seed: UInt64
    package var blockFrames: Int
    /// Receives each false match and the progress of each chain as text, from any thread.
    package var note: @Sendable (String) -> Void

    package init(
        corpus: Corpus, material: CorpusMaterial, contestant: Contestant, half: CorpusHalf, chains: [String],
        seed: UInt64, blockFrames: Int, note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.corpus = corpus
        self.material = material
        self.contestant = contestant
        self.half = half
        self.chains = chains
        self.seed = seed
        self.blockFrames = blockFrames
        self.note = note
    }

    private var enrolled: [Track] {
        corpus.tracks.filter { corpus.isDivided ? $0.role == .enrolled(half.other) : $0.isEnrolled }
    }

    package func refusal(of other: RunFacts, in path: String) -> (any Error)? {
        MeasurementError(
            "\(path): holds negatives of another matcher, corpus, half, seed, block or degradations",
            holdsOther: true)
    }

    /// Plays the chains that are not stored yet.
    ///
    /// - Throws: ``MeasurementError`` if two chains are equal or the contestant accepts no streams, or if there is
    ///   nothing to enrol or play. ``ConfigurationError`` or `DegradationError` if a chain cannot be read.
    package func run(in study: StudyRun, origin: Provenance) throws -> NegativeStreams {
        let templates = try chains.map { try PlanFile.chain(text: $0) }
        for (number, template) in templates.enumerated() {
            if let same = templates[..<number].firstIndex(of: template) {
                throw MeasurementError(
                    "the chains \(chains[same]) and \(chains[number]) are the same; remove one"
                )
            }
        }
        let classes = Set(enrolled.map(\.classID))
        let played = corpus.tracks.filter {
            $0.half == half && !classes.contains($0.classID) && $0.durationSeconds > 2
        }
        guard !enrolled.isEmpty, !played.isEmpty else {
            throw MeasurementError(
                "the corpus \(corpus.name) has \(enrolled.count) recordings to enrol and "
                    + "\(played.count) of the \(half.rawValue) half to play; expected some of both")
        }
        note("seed \(seed)")
        let known = try study.storedTrials().intersection(chains).count
        if known > 0 { note("\(known) of \(chains.count) chains are in \(study.path) already") }
        let streams = try study.outcomes(of: chains.map { StudyRun.Trial(id: $0) }, stage: "chains") {
            () -> @Sendable (Int) throws -> NegativeStream in
            let startStream = try contestant.streaming(enrolled, of: corpus, for: study)
            return { number in
                var player = try NegativePlayer(
                    self, chain: chains[number], templates: templates[number], to: startStream)
                for track in played { try player.play(track) }
                return player.finished()
            }
        }
        return NegativeStreams(
            origin: origin, referenceCount: enrolled.count, referenceSeconds: settings.referenceSeconds,
            chains: streams)
    }
}

/// The false matches in audio that is in no reference, played once through one chain.
package struct NegativeStream: Codable, Hashable, Sendable {
    package struct FalseMatch: Codable, Hashable, Sendable {
        package var trackID: String
        package var referenceID: String
        package var score: Double
        /// The time in the stream of this chain, in seconds.
        package var elapsedSeconds: Double
        /// The length of the stream that it is based on, in seconds.
        package var heardSeconds: Double
    }

    package struct Passage: Codable, Hashable, Sendable {
        package var trackID: String
        package var span: Interval
    }

    /// A recording that could not be made or played.
    package struct Failure: Codable, Hashable, Sendable {
        package var trackID: String
        package var message: String
    }

    /// The chain as the user wrote it, a YAML list.
    package var chain: String
    package var passages: [Passage] = []
    package var playedSeconds = 0.0
    package var falseMatches: [FalseMatch] = []
    /// Recordings that could not be played; they count in no figure.
    package var failures: [Failure] = []
    package var processorSeconds = 0.0
    /// The memory of the process after 10 min of audio; nil if there was less audio.
    package var residentBytesAfterTenMinutes: Int?
    package var residentBytesAtEnd = 0

    init(chain: String) { self.chain = chain }

    /// Processor seconds that the matcher takes for an hour of audio; nil when nothing was played.
    package var processorSecondsPerHour: Double? {
        playedSeconds > 0 ? processorSeconds / playedSeconds * 3600 : nil
    }

    package var falseMatchesPerHour: PoissonRate { PoissonRate(falseMatches.count, in: playedSeconds / 3600) }
}

/// The chains of a study, with the catalog they were played to.
package struct NegativeStreams: Sendable {
    package var origin: Provenance
    package var referenceCount: Int
    package var referenceSeconds: Double
    package var chains: [NegativeStream]

    package init(
        origin: Provenance, referenceCount: Int, referenceSeconds: Double, chains: [NegativeStream]
    ) {
        self.origin = origin
        self.referenceCount = referenceCount
        self.referenceSeconds = referenceSeconds
        self.chains = chains
    }

    /// The chains that a folder holds, of those that were asked for last.
    package init(_ study: StoredRun, in store: TrialStore) throws {
        let settings = try study.facts.settings(as: NegativeStudy.Settings.self)
        let stored = try store.contents(NegativeStream.self, as: .trial, in: study.key).map(\.content)
        self.init(
            origin: study.facts.provenance, referenceCount: settings.referenceCount,
            referenceSeconds: settings.referenceSeconds,
            chains: settings.chains.compactMap { chain in stored.first { $0.chain == chain } })
    }

    /// Seconds of different audio; a passage counts once for all chains.
    package var distinctSeconds: Double {
        DistinctLength.of(
            chains.flatMap { $0.passages.map { (recording: $0.trackID, span: $0.span) } })
    }

    package var playedSeconds: Double { chains.reduce(0) { $0 + $1.playedSeconds } }

    /// The false matches of all chains over the hours of different audio.
    ///
    /// Chains repeat the same audio, so their hours together would be no independent evidence for a bound.
    package var falseMatchesPerHour: PoissonRate {
        PoissonRate(chains.reduce(0) { $0 + $1.falseMatches.count }, in: distinctSeconds / 3600)
    }

    /// Processor seconds that the matcher takes for an hour of audio; nil when nothing was played.
    package var processorSecondsPerHour: Double? {
        playedSeconds > 0 ? chains.reduce(0) { $0 + $1.processorSeconds } / playedSeconds * 3600 : nil
    }
}
