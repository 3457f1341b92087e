import AudioCore
import AudioIO
import Foundation

/// Makes the lock of a corpus: what each file is, and which recordings are equivalent.
public struct CorpusLocker: Sendable {
    /// A lock and how it came about.
    public struct Outcome: Sendable {
        /// The lock, not written yet.
        public var lock: CorpusLock
        /// What the audit found; nil for corpora that need none.
        public var findings: EquivalenceAudit.Findings?
    }

    private let fetcher: CorpusFetcher
    private let progress: @Sendable (String) -> Void

    /// Prepares to lock what `fetcher` brings.
    public init(fetcher: CorpusFetcher, progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.fetcher = fetcher
        self.progress = progress
    }

    /// Fetches a corpus, reads every file and, for music, compares all recordings.
    ///
    /// - Parameter matcher: has learnt nothing yet; nil joins identical files only.
    public func lock(_ recipe: CorpusRecipe, matcher: (any Matcher)?) async throws -> Outcome {
        var versions: [String: String] = [:]
        let sources: [Source]
        switch recipe.source {
        case .synthetic(let synthetic):
            sources = SyntheticCorpus(synthetic).pieces.map(Source.init)
        case .packages:
            let found = try await fetcher.fetchUnlocked(recipe)
            versions = found.mapValues(\.version)
            sources = try found.flatMap { package, content in
                try content.paths.map { try Source($0, package: package, recipe: recipe, fetcher: fetcher) }
            }
        }
        let sorted = sources.sorted { ($0.package, $0.path) < ($1.package, $1.path) }
        progress("decoding \(sorted.count) files")
        let decoded = try ParallelMap.map(sorted.count, jobs: EquivalenceAudit.cores) {
            try sorted[$0].file()
        }
        let readable = zip(sorted, decoded).compactMap { source, file in file.map { (source, $0) } }
        for (source, file) in zip(sorted, decoded) where file == nil {
            progress("\(source.id) holds no sample and is left out")
        }
        var files = readable.map(\.1)

        var classes = EquivalenceClasses(ids: files.map(\.id))
        for copies in Dictionary(grouping: files, by: \.sha256).values {
            for copy in copies.dropFirst() { classes.join(copies[0].id, copy.id, offsetSeconds: 0) }
        }
        var findings: EquivalenceAudit.Findings?
        if let matcher {
            let music = readable.filter { _, file in
                file.role.isMusic && file.durationSeconds >= recipe.minimumSeconds
            }
            let audit = EquivalenceAudit(matcher: matcher, progress: progress)
            let found = try await audit.run(
                music.map { .init(id: $1.id, durationSeconds: $1.durationSeconds, load: $0.load) })
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
        let lock = CorpusLock(minimumSeconds: recipe.minimumSeconds, versions: versions, files: files)
        // A lock must be readable again: odd file names would break its columns.
        _ = try CorpusLock(text: lock.text, name: "\(recipe.name).lock")
        return Outcome(lock: lock, findings: findings)
    }
}

extension CorpusRole {
    /// Whether recordings are compared with each other before a corpus is locked.
    fileprivate var isMusic: Bool {
        switch self {
        case .reference, .negative, .noise(.music): true
        case .noise: false
        }
    }
}

/// A file to be locked.
private struct Source: Sendable {
    let id: String
    let package: String
    let path: String
    let role: CorpusRole
    let load: @Sendable () throws -> AudioBuffer
    let absolutePath: String?

    init(_ piece: SyntheticCorpus.Piece) {
        id = piece.id
        package = SyntheticCorpus.package
        path = piece.path
        role = .reference
        absolutePath = nil
        load = { piece.music.render() }
    }

    init(_ path: String, package: String, recipe: CorpusRecipe, fetcher: CorpusFetcher) throws {
        guard let id = recipe.identifier(package: package, path: path),
            let set = recipe.fileSet(package: package, path: path)
        else { throw CorpusError(.unreadable, "\(package)/\(path) fits no pattern") }
        self.id = id
        self.package = package
        self.path = path
        role = set.role
        let absolute = fetcher.library.folder(ofPackage: package) + "/" + path
        absolutePath = absolute
        load = { try AudioFile.read(absolute) }
    }

    /// Decodes the file.
    ///
    /// - Returns: nil when the file is sound but without a single sample.
    func file() throws -> CorpusLock.File? {
        let audio: AudioBuffer
        do {
            audio = try load()
        } catch let error as AudioFileError where error.code == .noSamples {
            return nil
        }
        let digest: String?
        let bytes: Int?
        if let absolutePath {
            digest = FileDigest.sha256(ofFile: absolutePath)
            bytes = try FileManager.default.attributesOfItem(atPath: absolutePath)[.size] as? Int
        } else {
            digest = SyntheticCorpus.digest(of: audio)
            bytes = audio.samples.count * 2
        }
        guard let digest, let bytes else {
            throw CorpusError(.unreadable, "\(package)/\(path) cannot be read")
        }
        return CorpusLock.File(
            id: id, package: package, path: path, sha256: digest, byteCount: bytes,
            frameCount: audio.frameCount, sampleRate: audio.sampleRate, channelCount: audio.channelCount,
            role: role)
    }
}
