import AudioCore
import AudioIO
import Foundation
import Matchers
import SystemIO

/// Makes the lock of a corpus: what each file is, and which recordings are equivalent.
package struct CorpusLocker: Sendable {
    package struct Outcome: Sendable {
        package var lock: CorpusLock
        /// What the audit found; nil for corpora that need none.
        package var findings: EquivalenceAudit.Findings?
    }

    private let fetcher: CorpusFetcher
    private let progress: @Sendable (String) -> Void

    package init(fetcher: CorpusFetcher, progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.fetcher = fetcher
        self.progress = progress
    }

    /// Fetches a corpus, reads every file and, for music, compares all recordings.
    ///
    /// - Parameter matcher: Has no references yet; nil joins identical files only.
    package func lock(_ recipe: CorpusRecipe, matcher: (any Matcher)?) async throws -> Outcome {
        var versions: [String: String] = [:]
        var inputs: [CorpusLock.Input] = []
        var matcher = matcher
        let sources: [Source]
        switch recipe.source {
        case .synthetic(let synthetic):
            sources = SyntheticCorpus(synthetic).pieces.map(Source.init)
        case .folder(let folder):
            let locked = try fetcher.library.folderLock(of: recipe, folder)
            return Outcome(lock: try CorpusLock(text: locked.kept.text, name: folder.path), findings: nil)
        case .packages:
            let found = try await fetcher.fetchUnlocked(recipe)
            versions = found.mapValues(\.version)
            sources = try found.flatMap { package, content in
                try content.paths.map { try Source($0, package: package, recipe: recipe, fetcher: fetcher) }
            }
        case .renditions(let renditions):
            let found = try await fetcher.fetchUnlocked(recipe)
            versions = found.mapValues(\.version)
            versions[ScoreRenderer.program] = try ScoreRenderer.version()
            for (package, content) in found {
                for path in content.paths { inputs.append(try fetcher.library.input(package, path)) }
            }
            let renderer = ScoreRenderer(recipe: renditions, library: fetcher.library)
            sources = try renditions.places(
                in: fetcher.library, paths: found.mapValues(\.paths), progress: progress
            ).map { Source($0, renderer) }
            // The scores tell which recordings are related.
            matcher = nil
        }
        let sorted = sources.sorted { ($0.package, $0.path) < ($1.package, $1.path) }
        let decoded = try Decoded(sorted, progress: progress)
        for broken in decoded.broken {
            guard (broken.error as? AudioFileError)?.code == .empty else { throw broken.error }
            progress("\(broken.id) is empty and is left out")
        }
        for source in decoded.silent { progress("\(source) holds no sample and is left out") }
        return try Self.lock(
            decoded, of: recipe, versions: versions, inputs: inputs, matcher: matcher, progress: progress)
    }

    /// Decodes and compares the files of a folder; leaves out those that cannot be decoded.
    static func lock(
        _ contents: FolderContents, of recipe: CorpusRecipe, matcher: any Matcher,
        progress: @Sendable @escaping (String) -> Void
    ) throws -> FolderLock {
        let decoded = try Decoded(contents.files.map(Source.init), progress: progress)
        func kept(comparedBy matcher: (any Matcher)?) throws -> FolderLock {
            FolderLock(
                text: try lock(decoded, of: recipe, versions: [:], matcher: matcher, progress: progress)
                    .lock.text,
                leftOut: decoded.silent.map { .init(id: $0, reason: "holds no sample") }
                    + decoded.broken.map {
                        .init(id: $0.id, reason: ($0.error as? AudioFileError)?.message ?? "\($0.error)")
                    })
        }
        do {
            return try kept(comparedBy: matcher)
        } catch let error as CorpusError where error.code == .tooLarge {
            var lock = try kept(comparedBy: nil)
            lock.notCompared = error.description
            return lock
        }
    }

    private static func lock(
        _ decoded: Decoded, of recipe: CorpusRecipe, versions: [String: String],
        inputs: [CorpusLock.Input] = [],
        matcher: (any Matcher)?, progress: @Sendable @escaping (String) -> Void
    ) throws -> Outcome {
        var files = decoded.readable.map(\.file)

        var classes = EquivalenceClasses(ids: files.map(\.id))
        for copies in Dictionary(grouping: files, by: \.sha256).values {
            for copy in copies.dropFirst() { classes.join(copies[0].id, copy.id, offsetSeconds: 0) }
        }
        for piece in Dictionary(grouping: files.filter { $0.place != nil }, by: { $0.place?.piece }).values {
            for other in piece.dropFirst() { classes.join(piece[0].id, other.id, offsetSeconds: nil) }
        }
        var findings: EquivalenceAudit.Findings?
        if let matcher {
            let music = decoded.readable.filter {
                $0.file.role.isMusic && $0.file.durationSeconds >= recipe.minimumSeconds
            }
            let audit = EquivalenceAudit(matcher: matcher) { stage, done, count in
                if done == 0 { progress("\(stage): \(count)") }
            }
            let found = try audit.run(
                music.map {
                    .init(id: $0.file.id, durationSeconds: $0.file.durationSeconds, load: $0.source.load)
                })
            if let lost = found.unreadable.first {
                throw CorpusError(.unreadable, "\(lost.id): \(lost.message)")
            }
            for link in found.links {
                classes.join(
                    link.first, link.second, offsetSeconds: link.isSameRecording ? link.offsetSeconds : nil)
            }
            findings = found
        }
        for index in files.indices {
            files[index].classID = classes.classID(of: files[index].id)
            files[index].offsetSeconds = classes.offsetSeconds(of: files[index].id)
        }
        let lock = CorpusLock(
            minimumSeconds: recipe.minimumSeconds, versions: versions, files: files, inputs: inputs)
        // A lock must be readable again: odd file names would break its columns.
        _ = try CorpusLock(text: lock.text, name: "\(recipe.name).lock")
        return Outcome(lock: lock, findings: findings)
    }
}

extension CorpusLibrary {
    /// The identity of a file in the cache.
    fileprivate func input(_ package: String, _ path: String) throws -> CorpusLock.Input {
        let absolute = folder(ofPackage: package) + "/" + path
        let size = try? FileManager.default.attributesOfItem(atPath: absolute)[.size] as? Int
        guard let size, let digest = Digest.sha256(ofFile: absolute) else {
            throw CorpusError(.unreadable, "\(package)/\(path) cannot be read")
        }
        return CorpusLock.Input(package: package, path: path, sha256: digest, byteCount: size)
    }
}

private struct Decoded {
    var readable: [(source: Source, file: CorpusLock.File)] = []
    var silent: [String] = []
    var broken: [(id: String, error: any Error)] = []

    init(_ sources: [Source], progress: (String) -> Void) throws {
        progress("decoding \(sources.count) files")
        let results = try ParallelMap.map(sources.count, jobs: EquivalenceAudit.cores) { index in
            Result { try sources[index].file() }
        }
        for (source, result) in zip(sources, results) {
            switch result {
            case .success(let file?): readable.append((source, file))
            case .success(nil): silent.append(source.id)
            case .failure(let error): broken.append((source.id, error))
            }
        }
    }
}

extension CorpusRole {
    fileprivate var isMusic: Bool {
        switch self {
        case .reference, .negative, .noise(.music): true
        case .noise: false
        }
    }
}

private struct Source: Sendable {
    let id: String
    let package: String
    let path: String
    let role: CorpusRole
    let load: @Sendable () throws -> AudioBuffer
    let identity: @Sendable (AudioBuffer) -> (sha256: String, byteCount: Int)?

    init(_ piece: SyntheticCorpus.Piece) {
        id = piece.id
        package = SyntheticCorpus.package
        path = piece.path
        role = .reference
        load = { piece.music.render() }
        identity = { (SyntheticCorpus.digest(of: $0), $0.samples.count * 2) }
    }

    init(_ place: RenditionPlace, _ renderer: ScoreRenderer) {
        id = place.id
        package = RenditionPlace.package
        path = place.description
        role = place.rendition == .reference ? .reference : .negative
        load = { try renderer.audio(of: place) }
        identity = { (SyntheticCorpus.digest(of: $0), $0.samples.count * 2) }
    }

    init(_ path: String, package: String, recipe: CorpusRecipe, fetcher: CorpusFetcher) throws {
        guard let id = recipe.identifier(package: package, path: path),
            let set = recipe.fileSet(package: package, path: path)
        else { throw CorpusError(.unreadable, "\(package)/\(path) fits no pattern") }
        self.id = id
        self.package = package
        self.path = path
        role = set.role
        let library = fetcher.library
        let absolute = library.folder(ofPackage: package) + "/" + path
        load = { try AudioFile.read(absolute) }
        identity = { _ in (try? library.input(package, path)).map { ($0.sha256, $0.byteCount) } }
    }

    init(_ file: FolderContents.File) {
        id = file.id
        package = CorpusRecipe.Folder.package
        path = file.id
        role = file.role
        load = { try AudioFile.read(file.path) }
        identity = { _ in (file.sha256, file.byteCount) }
    }

    /// Decodes the file.
    ///
    /// - Returns: Nil when the file is sound but without a single sample.
    func file() throws -> CorpusLock.File? {
        let audio: AudioBuffer
        do {
            audio = try load()
        } catch let error as AudioFileError where error.code == .noSamples {
            return nil
        }
        guard let (digest, bytes) = identity(audio) else {
            throw CorpusError(.unreadable, "\(package)/\(path) cannot be read")
        }
        return CorpusLock.File(
            id: id, package: package, path: path, sha256: digest, byteCount: bytes,
            frameCount: audio.frameCount, sampleRate: audio.sampleRate, channelCount: audio.channelCount,
            role: role)
    }
}
