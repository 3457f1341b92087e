import AudioCore
import Corpora
import Synchronization

/// An LRU cache of decoded recordings, so that each is decoded about once.
package final class RecordingCache: Sendable {
    /// A recording; its lock makes other threads wait for the decoder, so that only one copy takes memory.
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

    package func track(_ id: String) throws -> Track {
        guard let track = tracks[id] else {
            throw StoreError(path: corpus.name, message: "the corpus has no track \(id)")
        }
        return track
    }

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
