import AudioCore
import Corpora
import Evaluation
import Matchers
import Synchronization

/// The references of a plan, decoded about once and prepared once for all candidates with equal keys.
final class ReferenceCache: Sendable {
    private struct State {
        var keptBytes = 0
        /// The prepared values by key, least recently used first.
        var prepared: [(key: String, values: [any Sendable])] = []
    }

    let tracks: [Track]
    private let plan: Plan
    private let samples: QuerySpool?
    private let jobs: Int
    private let state = Mutex(State())

    /// The limit of decoded references in bytes; others are decoded on each use.
    static let mostKeptBytes = 4_000_000_000
    static let mostPrepared = 24

    init(plan: Plan, jobs: Int, folder: String) {
        self.plan = plan
        self.jobs = jobs
        tracks = plan.references(leavingOut: nil)
        samples = QuerySpool(folder: folder)
    }

    /// The decoded samples of a reference.
    ///
    /// - Throws: ``TuningError`` when it cannot be decoded.
    func audio(of track: Track) throws -> AudioBuffer {
        if let kept = samples?.audio(for: track.id) { return kept }
        let audio: AudioBuffer
        do {
            audio = try plan.corpus.audio(of: track)
        } catch {
            throw TuningError("the reference \(track.id) cannot be decoded: \(error)")
        }
        let bytes = audio.samples.count * MemoryLayout<Float>.size
        let isRoom = state.withLock { state in
            guard state.keptBytes + bytes <= Self.mostKeptBytes else { return false }
            state.keptBytes += bytes
            return true
        }
        if isRoom { _ = samples?.keep(audio, for: track.id) }
        return audio
    }

    /// Enrols into each of `matchers` its references.
    func enrol(into matchers: [(matcher: any Matcher, references: Set<String>)]) throws {
        guard let first = matchers.first else { return }
        if let preparation = first.matcher.powers.preparation {
            let values = try prepared(by: preparation)
            for (matcher, references) in matchers {
                guard let own = matcher.powers.preparation, own.key == preparation.key else { continue }
                for (track, value) in zip(tracks, values) where references.contains(track.id) {
                    own.enrol(track.id, value)
                }
            }
            return
        }
        _ = try ParallelMap.map(tracks.count, jobs: first.matcher.enrolmentJobs(of: jobs)) { number in
            let audio = try self.audio(of: self.tracks[number])
            for (matcher, references) in matchers where references.contains(self.tracks[number].id) {
                try matcher.enrol(id: self.tracks[number].id, audio: audio)
            }
        }
    }

    private func prepared(by preparation: MatcherPowers.Preparation) throws -> [any Sendable] {
        let known = state.withLock { state -> [any Sendable]? in
            guard let index = state.prepared.firstIndex(where: { $0.key == preparation.key }) else {
                return nil
            }
            let entry = state.prepared.remove(at: index)
            state.prepared.append(entry)
            return entry.values
        }
        if let known { return known }
        let values = try ParallelMap.map(tracks.count, jobs: jobs) { number in
            try preparation.prepare(self.audio(of: self.tracks[number]))
        }
        state.withLock { state in
            state.prepared.append((preparation.key, values))
            if state.prepared.count > Self.mostPrepared { state.prepared.removeFirst() }
        }
        return values
    }
}
