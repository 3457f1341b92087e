import AudioCore
import Synchronization

/// The few decoded recordings that trials are being cut from, so that each is decoded about once.
final class RecordingCache: Sendable {
    private struct State {
        var recordings: [(track: String, audio: AudioBuffer)] = []
    }

    private let corpus: Corpus
    private let capacity: Int
    private let tracks: [String: Track]
    private let state = Mutex(State())

    /// Keeps at most `capacity` recordings of `corpus`.
    init(corpus: Corpus, capacity: Int) {
        self.corpus = corpus
        self.capacity = capacity
        tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
    }

    /// The track called `id`.
    func track(_ id: String) throws -> Track {
        guard let track = tracks[id] else {
            throw StoreError(path: corpus.name, message: "the corpus has no track \(id)")
        }
        return track
    }

    /// The decoded samples of the track called `id`.
    func recording(_ id: String) throws -> AudioBuffer {
        let kept = state.withLock { state -> AudioBuffer? in
            guard let index = state.recordings.firstIndex(where: { $0.track == id }) else { return nil }
            let entry = state.recordings.remove(at: index)
            state.recordings.append(entry)
            return entry.audio
        }
        if let kept { return kept }
        let audio = try corpus.audio(of: track(id))
        state.withLock { state in
            state.recordings.append((id, audio))
            if state.recordings.count > capacity { state.recordings.removeFirst() }
        }
        return audio
    }
}
