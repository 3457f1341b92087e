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
    private let spool: QuerySpool?
    private let tracks: [String: Track]
    private let entries = Mutex<[Entry]>([])

    /// Keeps at most `capacity` recordings of `corpus` in memory, and those of ``decode(_:isKept:)`` in `spool`.
    package init(corpus: Corpus, capacity: Int, spool: QuerySpool? = nil) {
        self.corpus = corpus
        self.capacity = capacity
        self.spool = spool
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
            let decoded = try decode(track(id), isKept: false)
            audio = decoded
            return decoded
        }
    }

    /// A recording that does not stay in memory; if `isKept`, the spool holds it for later calls.
    package func decode(_ track: Track, isKept: Bool) throws -> AudioBuffer {
        if let known = spool?.audio(for: track.id) { return known }
        let audio = try corpus.audio(of: track)
        // If the spool is full, the recording is decoded again.
        if isKept { spool?.keep(audio, for: track.id) }
        return audio
    }
}
