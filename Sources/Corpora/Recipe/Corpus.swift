import AudioCore
import AudioIO
import Foundation
import SystemIO

/// A locked and fetched corpus: its recordings with their roles, and their audio.
public struct Corpus: Sendable {
    package let name: String
    package let recipe: CorpusRecipe
    package let lock: CorpusLock
    package let lockDigest: String
    /// The recordings that are long enough, sorted by package and path.
    public var tracks: [Track]
    /// The tracks that copies among ``tracks`` were made from, by id.
    public var originals: [String: Track] = [:]
    package let folder: FolderTracks?
    /// The SHA-256 of each file, by id.
    package let checksums: [String: String]
    private let pieces: [String: SyntheticMusic]
    /// What each rendered score is made from, by id.
    private let places: [String: RenditionPlace]
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

    package init(recipe: CorpusRecipe, library: CorpusLibrary) throws {
        self.recipe = recipe
        self.library = library
        name = recipe.name
        var folder: FolderTracks?
        switch recipe.source {
        case .folder(let source):
            let (contents, kept) = try library.folderLock(of: recipe, source)
            lock = try CorpusLock(text: kept.text, name: source.path)
            let found = try FolderTracks(lock, kept: kept, contents: contents, folder: source)
            tracks = found.tracks
            pieces = [:]
            folder = found
        case .synthetic(let synthetic):
            lock = try library.lock(of: recipe)
            pieces = Dictionary(
                SyntheticCorpus(synthetic).pieces.map { ($0.id, $0.music) },
                uniquingKeysWith: { first, _ in first })
            tracks = Track.tracks(of: lock) { _ in nil }
        case .packages, .renditions:
            lock = try library.lock(of: recipe)
            pieces = [:]
            for file in lock.packaged {
                let path = library.path(of: file)
                let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                guard size == file.byteCount else {
                    let found = size.map { "has \($0) bytes, expected \(file.byteCount)" } ?? "is not there"
                    throw CorpusError(
                        .notFetched, "\(path) \(found)", corpus: recipe.name)
                }
            }
            tracks = Track.tracks(of: lock) { library.path(of: $0) }
        }
        places = Dictionary(
            lock.files.compactMap { file in file.place.map { (file.id, $0) } },
            uniquingKeysWith: { first, _ in first })
        self.folder = folder
        if recipe.isExam { tracks = tracks.map(\.undivided) }
        lockDigest = lock.digest
        checksums = lock.checksums
    }

    /// What opens this corpus again: its name, or the path of a folder that no recipe names.
    public var argument: String {
        // A recipe that names a folder may add patterns, roles and a least length.
        guard let folder = recipe.folder, recipe == CorpusRecipe(folder: folder.path) else { return name }
        return folder.path.contains("/") ? folder.path : "./\(folder.path)"
    }

    /// Whether its references are divided into halves; a small folder and an exam are not.
    public var isDivided: Bool { folder?.isDivided ?? !recipe.isExam }

    package var notes: [String] { folder?.notes ?? [] }

    /// The whole audio of a track, at its own rate and with its own channels.
    ///
    /// - Throws: ``CorpusError`` with code `checksumMismatch` when it decodes to another shape than
    ///   was locked, `AudioFileError` when it cannot be decoded.
    public func audio(of track: Track) throws -> AudioBuffer {
        if let copy = track.copy { return try audio(of: copy) }
        if let piece = pieces[track.id] { return try rendered(piece, of: track) }
        if let place = places[track.id] { return try rendered(place, of: track) }
        guard let path = track.path else {
            throw CorpusError(.unreadable, "\(track.id) is not a track of the corpus \(name)")
        }
        let audio = try decoded(path, of: track)
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

    /// Makes a piece, or takes it from the cache; its samples are those of the lock either way.
    private func rendered(_ piece: SyntheticMusic, of track: Track) throws -> AudioBuffer {
        let checksum = checksums[track.id] ?? ""
        let kept = KeptPiece(
            folder: "\(library.cacheFolder)/decoded/\(SyntheticCorpus.package)", name: checksum)
        if let audio = kept.read(as: track) { return audio }
        let audio = piece.render()
        let found = SyntheticCorpus.digest(of: audio)
        guard found == checksum else { throw mismatch(track.id, expected: checksum, found: found) }
        kept.write(audio)
        return audio
    }

    /// Plays a score, or takes the recording from the cache; its samples are those of the lock either way.
    private func rendered(_ place: RenditionPlace, of track: Track) throws -> AudioBuffer {
        let checksum = checksums[track.id] ?? ""
        return try kept("\(library.cacheFolder)/decoded/\(RenditionPlace.package)", checksum) {
            let audio = try played(place)
            let found = SyntheticCorpus.digest(of: audio)
            guard found == checksum else {
                let version = try ScoreRenderer.version()
                var error = mismatch(track.id, expected: checksum, found: found)
                error.description +=
                    "; \(ScoreRenderer.program) is \(version), locked with "
                    + (lock.versions[ScoreRenderer.program] ?? "an unknown version")
                throw error
            }
            return audio
        }
    }

    private func played(_ place: RenditionPlace) throws -> AudioBuffer {
        guard let renditions = recipe.renditions else {
            throw CorpusError(.unreadable, "\(place): the corpus \(name) has no scores")
        }
        return try ScoreRenderer(recipe: renditions, library: library).audio(of: place)
    }

    private func mismatch(_ name: String, expected: String, found: String?) -> CorpusError {
        CorpusError(
            .checksumMismatch,
            "\(name): expected SHA-256 \(expected), found \(found ?? "no readable file")")
    }

    /// Decodes a file.
    ///
    /// What a program decodes is kept as FLAC in the cache, because the program takes longer to start than to decode a
    /// prompt. A folder of one's own may be too large for that.
    private func decoded(_ path: String, of track: Track) throws -> AudioBuffer {
        guard recipe.folder == nil, let checksum = checksums[track.id],
            let program = AudioLibraryVersions.program(decodingFileAt: path)
        else { return try AudioFile.read(path) }
        return try kept("\(library.cacheFolder)/decoded/\(program.replacing(" ", with: "-"))", checksum) {
            try AudioFile.read(path)
        }
    }

    /// What `make` makes, kept as FLAC in a folder of the cache.
    private func kept(
        _ folder: String, _ checksum: String, _ make: () throws -> AudioBuffer
    ) throws -> AudioBuffer {
        let kept = "\(folder)/\(checksum).flac"
        if let reader = try? AudioFileReader(path: kept),
            let audio = try? AudioFile.read(reader, atMost: .max), reader.damage == nil
        {
            return audio
        }
        let audio = try make()
        // Samples that 16 bits do not hold are not kept. Nor are any where the cache cannot be written.
        if let encoding = AudioEncoding("flac-16"), let bytes = try? AudioFile.encode(audio, as: encoding),
            try AudioFile.decode(bytes, name: kept) == audio
        {
            try? FileTree.createFolder(folder)
            try? AtomicFile.write(bytes, to: kept)
        }
        return audio
    }

    private func path(of file: CorpusLock.File) -> String {
        guard let folder = recipe.folder else { return library.path(of: file) }
        return folder.path + "/" + PathText.unescaped(file.path)
    }

    /// Computes the checksum of every file again; for synthetic music that of its samples.
    ///
    /// - Parameter progress: Called before each file with its id.
    /// - Throws: ``CorpusError`` with code `checksumMismatch` that names the first file that differs.
    public func verify(progress: (String) -> Void = { _ in }) throws {
        for input in lock.inputs {
            let found = Digest.sha256(ofFile: library.path(of: input))
            guard found == input.sha256 else {
                throw mismatch("\(input.package)/\(input.path)", expected: input.sha256, found: found)
            }
        }
        for file in lock.files {
            progress(file.id)
            let found: String?
            if let piece = pieces[file.id] {
                found = SyntheticCorpus.digest(of: piece.render())
            } else if let place = places[file.id] {
                found = SyntheticCorpus.digest(of: try played(place))
            } else {
                found = Digest.sha256(ofFile: path(of: file))
            }
            guard found == file.sha256 else {
                throw mismatch("\(file.package)/\(file.path)", expected: file.sha256, found: found)
            }
        }
    }
}
