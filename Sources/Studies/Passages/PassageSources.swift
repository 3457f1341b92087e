import AudioCore
import AudioIO
import Corpora
import Evaluation
import Synchronization

/// The recordings of a corpus with one channel at one rate, each decoded once.
///
/// They stay in a file without a name, and the last few in memory.
final class PassageSources: Sendable {
    let sampleRate: Int
    private let corpus: Corpus
    private let tracks: [String: Track]
    private let spool: QuerySpool
    private let recent = Mutex<[(id: String, audio: AudioBuffer)]>([])

    private static let recentCount = 3

    /// - Throws: ``MeasurementError`` if no file can be made in `folder`.
    init(corpus: Corpus, sampleRate: Int, folder: String) throws {
        guard let spool = QuerySpool(folder: folder) else {
            throw MeasurementError("\(folder): no file can be made here for decoded recordings")
        }
        self.spool = spool
        self.corpus = corpus
        self.sampleRate = sampleRate
        tracks = Dictionary(corpus.tracks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func frameCount(of id: String) throws -> Int {
        Int(bounded: (try track(id).durationSeconds * Double(sampleRate)).rounded())
    }

    func audio(of id: String) throws -> AudioBuffer {
        if let known = recent.withLock({ recent in recent.first { $0.id == id }?.audio }) { return known }
        let audio = try spool.audio(for: id) ?? decode(id)
        recent.withLock { recent in
            recent.append((id, audio))
            if recent.count > Self.recentCount { recent.removeFirst() }
        }
        return audio
    }

    private func decode(_ id: String) throws -> AudioBuffer {
        let source = try corpus.audio(of: track(id))
        let mono = AudioBuffer(samples: source.mono(), sampleRate: source.sampleRate)
        let audio = try Resampler.resample(mono, to: sampleRate, quality: .medium)
        // If the disk is full, it is decoded again.
        spool.keep(audio, for: id)
        return audio
    }

    private func track(_ id: String) throws -> Track {
        guard let track = tracks[id] else {
            throw CorpusError(.unreadable, "\(id) is not a track of the corpus \(corpus.name)")
        }
        return track
    }
}
