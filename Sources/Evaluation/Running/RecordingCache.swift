import AudioCore
import Corpora
import Synchronization

/// The few decoded recordings that trials are being cut from, so that each is decoded about once.
package final class RecordingCache: Sendable {
    /// A recording, once it is decoded; who comes meanwhile waits, for samples of two would stand in memory.
    private final class Entry: Sendable {
        let track: String
        let audio = Mutex<AudioBuffer?>(nil)

        init(track: String) { self.track = track }
    }

    private let corpus: Corpus
    private let capacity: Int
    private let tracks: [String: Track]
    private let entries = Mutex<[Entry]>([])

    /// Keeps at most `capacity` recordings of `corpus`.
    package init(corpus: Corpus, capacity: Int) {
        self.corpus = corpus
        self.capacity = capacity
        tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
    }

    /// The track called `id`.
    package func track(_ id: String) throws -> Track {
        guard let track = tracks[id] else {
            throw StoreError(path: corpus.name, message: "the corpus has no track \(id)")
        }
        return track
    }

    /// The decoded samples of the track called `id`.
    package func recording(_ id: String) throws -> AudioBuffer {
        let entry = entries.withLock { entries in
            let known = entries.firstIndex { $0.track == id }.map { entries.remove(at: $0) }
            let entry = known ?? Entry(track: id)
            entries.append(entry)
            if entries.count > capacity { entries.removeFirst() }
            return entry
        }
        return try entry.audio.withLock { audio in
            if let audio { return audio }
            let decoded = try corpus.audio(of: track(id))
            audio = decoded
            return decoded
        }
    }
}
