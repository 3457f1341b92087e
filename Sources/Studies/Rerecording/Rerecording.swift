import AudioCore
import AudioIO
import Corpora
import Evaluation
import SoundServer
import SystemIO

/// Where recorded queries and their truth go.
package protocol RerecordedQueries: AnyObject {
    /// Whether a finished file of this trial exists.
    func holds(_ trial: Trial) -> Bool
    /// - Throws: ``ConfigurationError`` if the file was recorded of another query than `query`.
    func check(_ query: PlayedQuery) throws
    /// Writes a recorded query to its file.
    func write(_ audio: AudioBuffer, of query: PlayedQuery) throws
    /// Adds or replaces the truth of queries whose files are written.
    func setTruth(_ records: [TrialRecord]) throws
    func list(missing: [String]) throws
}

/// Plays the queries of a plan in a room and records them.
///
/// Negatives of folds are left out, because their recordings are references.
package struct Rerecording: Sendable {
    private let plan: Plan
    private let trials: [Trial]
    private let source: QuerySource
    private let tracks: [String: Track]
    private let note: @Sendable (String) -> Void
    private let progress: @Sendable (_ stage: String, _ done: Int, _ total: Int) -> Void

    /// The longest tape, in hours; it is made in memory.
    private static let longestTapeHours = 3
    /// After this many queries in a row that are not heard, a session ends.
    private static let mostFailures = 3

    /// - Parameters:
    ///   - note: receives warnings about single queries.
    ///   - progress: receives the numbers of finished and of all queries.
    package init(
        _ opened: OpenedPlan, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (String, Int, Int) -> Void
    ) {
        plan = opened.plan
        trials = plan.trials.filter { $0.fold == nil }
        source = QuerySource(
            recordings: RecordingCache(corpus: plan.corpus, capacity: 4), material: opened.material,
            recipe: plan.recipe)
        tracks = Dictionary(uniqueKeysWithValues: plan.corpus.tracks.map { ($0.id, $0) })
        self.note = note
        self.progress = progress
        let left = plan.trials.count - trials.count
        if left > 0 { note("\(left.counting("negative")) of folds left out") }
    }

    /// The file names of all queries, in the order of the plan.
    package var fileNames: [String] { trials.map { PlayedQuery.fileName(of: $0.id) } }

    /// The ids of enrolled references, sorted.
    package var references: [String] { plan.references(leavingOut: nil).map(\.id).sorted() }

    /// Renders a query; nil if it cannot be made.
    private func prepare(_ trial: Trial) throws -> (query: PlayedQuery, samples: [Float])? {
        do {
            let (facts, audio) = try source.query(of: trial)
            var record = try TrialRecord(trial, query: nil, tracks: tracks)
            record.query = facts
            record.isOffered = true
            return try PlayedQuery.make(record, audio ?? source.audio(of: trial, facts))
        } catch let error as TrialError {
            note("left out: \(error)")
            return nil
        }
    }

    // MARK: - Two devices

    /// Writes all queries to one WAV file, which ``cut(_:into:)`` recognises in a recording.
    ///
    /// - Returns: its length in seconds.
    package func writeTape(to path: String) throws -> Double {
        guard let encoding = AudioEncoding("wav-pcm16") else { preconditionFailure("no 16-bit WAV") }
        var tape = [Float](repeating: 0, count: Tape.leadFrames)
        for (number, trial) in trials.enumerated() {
            if let (_, samples) = try prepare(trial) {
                tape += samples
                tape += repeatElement(0, count: Tape.pauseFrames(after: trial, seed: plan.seed))
            }
            guard tape.count < Self.longestTapeHours * 3600 * PlayedQuery.sampleRate else {
                throw ConfigurationError(
                    file: path,
                    message: "\(trials.count.counting("query", "queries")) take more than "
                        + "\(Self.longestTapeHours) h; take fewer with --positives and --negatives")
            }
            progress("rendered", number + 1, trials.count)
        }
        let audio = AudioBuffer(samples: tape, sampleRate: PlayedQuery.sampleRate)
        try AudioFile.write(audio, to: path, as: encoding)
        return audio.durationSeconds
    }

    /// Cuts the queries out of a recording of the tape.
    ///
    /// - Throws: ``MissingQueries`` if the recording lacks some that `store` does not hold.
    package func cut(_ path: String, into store: any RerecordedQueries) throws -> RerecordedSession {
        let recording = try RecordingFile(path: path)
        var queries: [PlayedQuery] = []
        var starts: [Double] = []
        var start = Tape.leadFrames
        for (number, trial) in trials.enumerated() {
            if let (query, samples) = try prepare(trial) {
                try store.check(query)
                queries.append(query)
                starts.append(Double(start) / Double(PlayedQuery.sampleRate))
                start += samples.count + Tape.pauseFrames(after: trial, seed: plan.seed)
            }
            progress("rendered", number + 1, trials.count)
        }
        let found = Tape(queries, starts: starts).passages(in: try recording.sweeps())
        let pace = PlayedPassage.pace(of: found)
        let held = Set(trials.filter { store.holds($0) }.map(\.id))
        let cuts = found.filter { $0.isWhole(at: pace) && !held.contains($0.query.record.trial.id) }
            .map { RerecordedQuery($0, pace: pace, sampleRate: recording.sampleRate) }
            .sorted { $0.frames.lowerBound < $1.frames.lowerBound }
        try recording.cut(cuts.map(\.frames)) { number, audio in
            try keep(cuts[number], audio, in: store)
            progress("cut", number + 1, cuts.count)
        }
        try store.setTruth(cuts.map { $0.record(pace: pace, channelCount: recording.channelCount) })
        let missing = queries.map(\.record.trial.id).filter { id in
            !held.contains(id) && !cuts.contains { $0.passage.query.record.trial.id == id }
        }
        try finish(
            missing, in: store,
            reason: found.isEmpty
                ? "\(path): no query was found between two sweeps" : "\(path): the recording lacks queries")
        return RerecordedSession(recorded: cuts.count, held: held.count, pace: pace)
    }

    // MARK: - One machine

    /// Plays each query that `store` does not hold, and records it.
    ///
    /// - Parameters:
    ///   - speaker: The name of a sink; nil is the server's default.
    ///   - microphone: The name of a source; nil is the server's default.
    /// - Throws: ``MissingQueries`` if some cannot be recorded; the others are kept.
    package func record(
        speaker: String?, microphone: String?, into store: any RerecordedQueries
    ) throws -> RerecordedSession {
        let held = trials.count { store.holds($0) }
        var take = RoomTake()
        do {
            try play(in: RoomSession(speaker: speaker, microphone: microphone), store, &take)
        } catch let error as MicrophoneError {
            take.failure = "\(error)"
        } catch let error as LoudspeakerError {
            take.failure = "\(error)"
        }
        let missing = trials.filter { !store.holds($0) && !take.leftOut.contains($0.id) }.map(\.id)
        try finish(missing, in: store, reason: take.failure ?? "")
        return RerecordedSession(recorded: take.cuts.count, held: held, pace: take.pace)
    }

    /// What was recorded in a room so far.
    private struct RoomTake {
        var cuts: [RerecordedQuery] = []
        /// Trials without a query.
        var leftOut: Set<String> = []
        var failure: String?

        var pace: Double { PlayedPassage.pace(of: cuts.map(\.passage)) }

        /// Whether a passage has all its samples, as far as others tell.
        func accepts(_ passage: PlayedPassage?) -> Bool {
            passage.map { cuts.count < 3 || $0.isWhole(at: pace) } ?? false
        }
    }

    private func play(
        in room: RoomSession, _ store: any RerecordedQueries, _ take: inout RoomTake
    ) throws {
        var failures = 0
        for (number, trial) in trials.enumerated() {
            progress("recorded", number, trials.count)
            guard let prepared = try prepare(trial) else {
                take.leftOut.insert(trial.id)
                continue
            }
            try store.check(prepared.query)
            if store.holds(trial) { continue }
            // Another sound may bury a sweep, so there is a second chance.
            var recorded = try room.record(prepared.query, prepared.samples)
            if !take.accepts(recorded?.passage) {
                recorded = try room.record(prepared.query, prepared.samples)
            }
            guard let recorded, take.accepts(recorded.passage) else {
                failures += 1
                take.failure = "Some queries were not heard between two sweeps"
                note("\(trial.id): not heard between two sweeps")
                guard failures < Self.mostFailures else {
                    take.failure =
                        "\(failures) queries in a row were not heard. Check that the microphone picks up the speaker"
                    return
                }
                continue
            }
            failures = 0
            let passages = take.cuts.map(\.passage) + [recorded.passage]
            let cut = RerecordedQuery(
                recorded.passage, pace: PlayedPassage.pace(of: passages),
                sampleRate: recorded.audio.sampleRate)
            try keep(cut, recorded.audio.frames(cut.frames), in: store)
            take.cuts.append(cut)
            try store.setTruth(take.cuts.map { $0.record(pace: take.pace, channelCount: 1) })
        }
        progress("recorded", trials.count, trials.count)
    }

    private func keep(
        _ cut: RerecordedQuery, _ audio: AudioBuffer, in store: any RerecordedQueries
    ) throws {
        try store.write(audio, of: cut.passage.query)
        if let problem = cut.levelProblem(of: audio) {
            note("\(cut.passage.query.record.trial.id): \(problem)")
        }
    }

    private func finish(_ missing: [String], in store: any RerecordedQueries, reason: String) throws {
        try store.list(missing: missing)
        if !missing.isEmpty { throw MissingQueries(reason: reason, trials: missing) }
    }
}

/// What a session gave.
package struct RerecordedSession: Sendable {
    /// The number of queries that it recorded.
    package let recorded: Int
    /// The number that were there before.
    package let held: Int
    /// Recorded seconds for each played second.
    package let pace: Double
}

/// Queries that a session did not record.
package struct MissingQueries: Error, CustomStringConvertible, Sendable {
    package let reason: String
    package let trials: [String]

    private static let mostNames = 12

    package var description: String {
        let more = trials.count - Self.mostNames
        return reason + ". \(trials.count.counting("query is", "queries are")) missing: "
            + trials.prefix(Self.mostNames).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
            + ". missing.txt lists them. Recorded queries are kept; the same command adds the missing ones"
    }
}
