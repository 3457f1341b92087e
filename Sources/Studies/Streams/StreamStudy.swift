import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers
import SystemIO

/// Plays the positive queries of a plan to a matcher as streams.
package struct StreamStudy: Study, Sendable {
    package struct Settings: Codable, Sendable {
        /// Sample frames in a block.
        package var blockFrames = 1024
        /// Seconds of other music before each query.
        package var leadSeconds = 0.0

        package init() {}
    }

    package static let name = "streams"
    package let settings: Settings
    package var identity: [String] { get throws { try [plan.digest, settings.sortedJSON()] } }
    package var trialCount: Int { plan.trials.count(where: \.isPositive) }

    package let plan: Plan
    private let material: any Material
    private let contestant: Contestant

    package init(plan: Plan, material: any Material, contestant: Contestant, settings: Settings) {
        self.plan = plan
        self.material = material
        self.contestant = contestant
        self.settings = settings
    }

    /// Plays every query and returns the results in the plan's order, without queries that cannot be made.
    ///
    /// If the matcher fails on a query, its result holds the error and the others go on.
    ///
    /// - Throws: ``MeasurementError`` if the contestant accepts no streams, the plan has no positives, or the corpus
    ///   has no music for the lead. The error of a reference that cannot be decoded or enrolled.
    package func run(in study: StudyRun) throws -> [StreamedQuery] {
        let trials = plan.trials.filter(\.isPositive)
        guard !trials.isEmpty else {
            throw MeasurementError("the plan \(plan.file.name) has no positive query to play")
        }
        let leadSeconds = settings.leadSeconds
        let others = plan.corpus.tracks.filter {
            $0.role == .negative && $0.half == plan.half && $0.durationSeconds > leadSeconds + 1
        }
        guard leadSeconds <= 0 || !others.isEmpty else {
            throw MeasurementError(
                "the \(plan.half.rawValue) half of \(plan.corpus.name) has no negative recording of more than "
                    + "\(formatNumber(leadSeconds + 1)) s to play before queries")
        }
        // Nil if a query cannot be made.
        return try study.outcomes(
            of: trials.map(StudyRun.Trial.init), stage: "queries"
        ) { () -> @Sendable (Int) throws -> StreamedQuery? in
            let startStream = try contestant.streaming(
                plan.references(leavingOut: nil), of: plan.corpus, for: study)
            let recordings = RecordingCache(corpus: plan.corpus, capacity: study.jobs + 1)
            return { number in
                let trial = trials[number]
                let lead = try leadSeconds > 0 ? lead(from: others[trial.index % others.count]) : nil
                return try play(trial, after: lead, to: startStream, recordings)
            }
        }.compactMap(\.self)
    }

    private func play(
        _ trial: Trial, after lead: AudioBuffer?, to startStream: MatcherPowers.StreamStart,
        _ recordings: RecordingCache
    ) throws -> StreamedQuery? {
        guard let source = trial.source else { return nil }
        let track = try recordings.track(source)
        let recording = try recordings.recording(source)
        let deltas = Dictionary(uniqueKeysWithValues: track.classMembers.map { ($0.id, $0.offsetSeconds) })
        do {
            let query = try TrialError.making { try trial.render(from: recording, material: material) }
            var player = StreamPlayer(
                query: query, recording: recording, deltas: deltas, blockFrames: settings.blockFrames)
            try player.play(to: startStream, after: lead)
            return StreamedQuery(
                trialID: trial.id, cell: trial.cell, source: source, cluster: track.classID,
                changes: player.changes, positions: player.positions)
        } catch let error as TrialError {
            guard error.cause == .matcher else { return nil }
            return StreamedQuery(
                trialID: trial.id, cell: trial.cell, source: source, cluster: track.classID,
                changes: [.init(seconds: 0, answer: .none)], error: error.description)
        }
    }

    /// The first channel of the middle of a recording.
    private func lead(from track: Track) throws -> AudioBuffer {
        let audio = try plan.corpus.audio(of: track)
        let frames = Int(bounded: settings.leadSeconds * Double(audio.sampleRate))
        let middle = audio.frames((audio.frameCount - frames) / 2..<(audio.frameCount + frames) / 2)
        return AudioBuffer(samples: middle.channel(0), sampleRate: audio.sampleRate)
    }
}

extension Contestant {
    /// Makes an instance, enrols `references`, and returns what starts its streams.
    ///
    /// - Throws: ``MeasurementError`` if the matcher accepts no streams.
    func streaming(
        _ references: [Track], of corpus: Corpus, for study: StudyRun
    ) throws -> MatcherPowers.StreamStart {
        let enrolment = try Enrolment(of: self)
        guard let startStream = enrolment.whole.powers.startStream else {
            throw MeasurementError("the matcher \(name) does not listen to streams")
        }
        _ = try enrolment.enrol(
            references, from: PreparedReferences(of: corpus, jobs: study.jobs), progress: study.progress)
        return startStream
    }
}
