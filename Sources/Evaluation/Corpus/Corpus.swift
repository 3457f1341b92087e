import AudioCore
import AudioIO
import Foundation

/// A corpus that is locked and at hand: its recordings with their roles, and their audio.
public struct Corpus: Sendable {
    /// The name of its recipe.
    public let name: String
    /// What it is made of.
    public let recipe: CorpusRecipe
    /// What every file was when it was locked.
    public let lock: CorpusLock
    /// SHA-256 of the lock in hexadecimal, its identity in reports.
    public let lockDigest: String
    /// The recordings that are long enough, sorted by package and path.
    public internal(set) var tracks: [Track]
    /// The tracks that copies among ``tracks`` were made from, by id.
    var originals: [String: Track] = [:]
    private let pieces: [String: SyntheticMusic]
    private let library: CorpusLibrary

    /// Opens a corpus that was fetched before.
    ///
    /// That all files are there with the right size is checked; their checksums are by
    /// ``verify(progress:)``.
    ///
    /// - Throws: ``CorpusError`` with code `notFetched` when a file is missing, and as
    ///   ``CorpusLibrary`` does for recipe and lock.
    public static func open(named name: String, in library: CorpusLibrary) throws -> Corpus {
        try Corpus(recipe: library.recipe(named: name), library: library)
    }

    init(recipe: CorpusRecipe, library: CorpusLibrary) throws {
        self.recipe = recipe
        self.library = library
        name = recipe.name
        lock = try library.lock(of: recipe)
        lockDigest = lock.digest
        switch recipe.source {
        case .synthetic(let synthetic):
            pieces = Dictionary(
                SyntheticCorpus(synthetic).pieces.map { ($0.id, $0.music) },
                uniquingKeysWith: { first, _ in first })
            tracks = Track.tracks(of: lock) { _ in nil }
        case .packages:
            pieces = [:]
            for file in lock.files {
                let path = library.path(of: file)
                let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                guard size == file.byteCount else {
                    let found = size.map { "has \($0) bytes, expected \(file.byteCount)" } ?? "is not there"
                    throw CorpusError(
                        .notFetched, "\(path) \(found); bring it with `earshot corpus fetch \(recipe.name)`")
                }
            }
            tracks = Track.tracks(of: lock) { library.path(of: $0) }
        }
    }

    /// The whole audio of a track, at its own rate and with its own channels.
    ///
    /// - Throws: ``CorpusError`` with code `checksumMismatch` when it decodes to another shape than
    ///   was locked, `AudioFileError` when it cannot be decoded.
    public func audio(of track: Track) throws -> AudioBuffer {
        if let copy = track.copy { return try audio(of: copy) }
        if let piece = pieces[track.id] { return piece.render() }
        guard let path = track.path else {
            throw CorpusError(.unreadable, "\(track.id) is no track of the corpus \(name)")
        }
        let audio = try AudioFile.read(path)
        guard audio.frameCount == track.frameCount, audio.sampleRate == track.sampleRate,
            audio.channelCount == track.channelCount
        else {
            throw CorpusError(
                .checksumMismatch,
                "\(path): expected \(track.frameCount) frames, \(track.channelCount) channels at \(track.sampleRate) Hz, "
                    + "found \(audio.frameCount), \(audio.channelCount) at \(audio.sampleRate) Hz")
        }
        return audio
    }

    /// Computes the checksum of every file anew, of synthetic music that of its samples.
    ///
    /// - Parameter progress: is called before each file with its id.
    /// - Throws: ``CorpusError`` with code `checksumMismatch` that names the first file that differs.
    public func verify(progress: (String) -> Void = { _ in }) throws {
        for file in lock.files {
            progress(file.id)
            let found: String?
            if let piece = pieces[file.id] {
                found = SyntheticCorpus.digest(of: piece.render())
            } else {
                found = FileDigest.sha256(ofFile: library.path(of: file))
            }
            guard found == file.sha256 else {
                throw CorpusError(
                    .checksumMismatch,
                    "\(file.package)/\(file.path): expected SHA-256 \(file.sha256), found \(found ?? "no readable file")"
                )
            }
        }
    }
}
