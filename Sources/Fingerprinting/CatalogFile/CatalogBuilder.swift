import AudioCore
import AudioIO
import SystemIO

/// A file to make a reference of: audio or a signature.
package struct ReferenceSource: Hashable, Sendable {
    package let path: String
    package var id: String
    /// The metadata, initially a title: the file's name without extension.
    ///
    /// Tags of the file complete it, unless it is set.
    package var mediaItem: MediaItem { didSet { isDescribed = true } }
    private var isDescribed = false

    /// How files determine identifiers.
    package enum Naming: String, CaseIterable, Sendable {
        /// By the file's name without extension.
        case stem
        /// By the file's path relative to the given folder, without extension.
        case relativePath = "relative-path"

        package func id(of file: String, under root: String) -> String {
            let prefix = root.hasSuffix("/") ? root : root + "/"
            guard self == .relativePath, file.hasPrefix(prefix) else {
                return Self.withoutExtension(String(file.split(separator: "/").last ?? Substring(file)))
            }
            return Self.withoutExtension(String(file.dropFirst(prefix.count)))
        }

        private static func withoutExtension(_ name: String) -> String {
            guard let dot = name.lastIndex(of: "."), dot != name.startIndex, !name[dot...].contains("/")
            else { return name }
            return String(name[..<dot])
        }
    }

    /// Finds the audio files and signatures among `paths` and in their folders at any depth.
    ///
    /// - Parameters:
    ///   - leaveOut: Called with what the search of a folder passed over.
    ///   - note: Called with each source whose identifier has the name of its folder, because others have its file name.
    ///   - fail: Called when a path is missing, a folder cannot be read or has no audio.
    /// - Throws: `FingerprintingError` for no path, or two files with one identifier. The errors of `fail`.
    package static func find(
        _ paths: [String], naming: Naming = .stem,
        leavingOut leaveOut: ([FolderListing.LeftOut]) -> Void = { _ in },
        renaming note: (ReferenceSource) -> Void = { _ in },
        failing fail: (any Error) throws -> Void = { throw $0 }
    ) throws -> [ReferenceSource] {
        guard !paths.isEmpty else { throw FingerprintingError(.nothingToDo, "no audio file given") }
        let extensions = AudioFileFinder.audioExtensions.union(Signature.fileExtensions)
        var sources: [ReferenceSource] = []
        for path in paths {
            let listing: FolderListing
            do { listing = try AudioFileFinder.listing(under: path, withExtensions: extensions) } catch {
                try fail(error)
                continue
            }
            leaveOut(listing.leftOut)
            for error in listing.errors { try fail(error) }
            if listing.files.isEmpty, listing.unreadable.isEmpty {
                try fail(
                    FingerprintingError(.nothingToDo, "\(path): the folder has no audio and no signatures"))
            }
            sources += listing.files.map { ReferenceSource(file: $0, root: path, naming: naming) }
        }
        if naming == .stem {
            let alike = Dictionary(grouping: sources.indices) { sources[$0].id }.values.filter {
                $0.count > 1
            }
            for place in alike.joined().sorted() {
                guard let id = sources[place].idInFolder else { continue }
                sources[place].id = id
                note(sources[place])
            }
        }
        var owners: [String: String] = [:]
        for source in sources {
            guard let other = owners.updateValue(source.path, forKey: source.id) else { continue }
            throw FingerprintingError(
                .badIdentifier,
                "\(other) and \(source.path) both have the identifier \"\(source.id)\"; rename one",
                remedy: naming == .stem ? .useRelativePaths : nil)
        }
        return sources
    }

    /// The name of its folder and its own, for a file whose name others have too; nil without a folder.
    package var idInFolder: String? {
        let parts = path.split(separator: "/")
        guard let folder = parts.dropLast().last(where: { $0 != "." }), folder != ".." else { return nil }
        return "\(folder)/\(Naming.stem.id(of: path, under: path))"
    }

    private init(file: String, root: String, naming: Naming) {
        path = file
        id = naming.id(of: file, under: root)
        mediaItem = MediaItem(title: Naming.stem.id(of: file, under: root))
    }

    /// Reads the signature, or makes it of the audio.
    ///
    /// - Parameters:
    ///   - track: The number of the audio track, from 1; nil for the mean of all.
    ///   - note: Called with the audio file, which was read to its end.
    /// - Throws: An error that names the file, or the error of `note`.
    package func reference(
        settings: Settings = Settings(), track: Int? = nil,
        noting note: (AudioFileReader) throws -> Void = { _ in }
    ) throws -> Reference {
        if Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) {
            return Reference(id: id, mediaItem: mediaItem, signature: try Signature(contentsOf: path))
        }
        return try RereadableFile(path).read { file in
            let reader = try AudioFileReader(path: file, track: track)
            let signature = try Signature(of: reader, name: path, settings: settings)
            try note(reader)
            let item = isDescribed ? mediaItem : try mediaItem.described(by: reader.tags())
            return Reference(id: id, mediaItem: item, signature: signature)
        }
    }
}

/// Makes references of files in parallel.
package struct CatalogBuilder: Sendable {
    package struct Outcome: Sendable {
        /// The references, in the order of the files.
        package var references: [Reference]
        /// Warnings about single files, in the same order.
        package let warnings: [String]
        /// The errors of the files that cannot be read, in the same order.
        package let failures: [any Error]

        package var hours: Double { references.reduce(0) { $0 + $1.signature.durationSeconds } / 3600 }
    }

    private let settings: Settings
    private let jobs: Int

    package init(settings: Settings = Settings(), jobs: Int = 1) {
        self.settings = settings
        self.jobs = jobs
    }

    /// Makes the references of all sources.
    ///
    /// - Parameters:
    ///   - track: The number of the audio track to take of each file, from 1; nil for the mean of all.
    ///   - strict: Whether damaged audio is an error rather than a warning.
    ///   - goesOn: Whether a file that cannot be read is left out.
    ///   - progress: Called on any thread with the number of finished files.
    /// - Throws: The error of the first file that cannot be read, unless it goes on.
    package func build(
        _ sources: [ReferenceSource], track: Int? = nil, strict: Bool = false, goesOn: Bool = false,
        progress: @Sendable (Int) -> Void = { _ in }
    ) throws -> Outcome {
        let made = try ParallelMap.map(sources.count, jobs: jobs, progress: progress) { place in
            let result = Result { try reference(of: sources[place], track: track, strict: strict) }
            if !goesOn { _ = try result.get() }
            return result
        }
        let good = made.compactMap { try? $0.get() }
        return Outcome(
            references: good.map(\.reference), warnings: good.flatMap(\.warnings),
            failures: made.compactMap { if case .failure(let error) = $0 { error } else { nil } })
    }

    private func reference(
        of source: ReferenceSource, track: Int?, strict: Bool
    ) throws -> (reference: Reference, warnings: [String]) {
        var warnings: [String] = []
        let reference = try source.reference(settings: settings, track: track) { file in
            if let remark = file.remark { warnings.append(remark) }
            guard let damage = file.damage else { return }
            if strict { throw damage.error(path: source.path) }
            warnings.append("\(damage)")
        }
        if reference.signature.peaks.isEmpty {
            warnings.append("nothing to recognise, it is silent or shorter than 0.1 s")
        } else if reference.signature.channelsCancel {
            warnings.append(
                "the channels cancel in their mean, one is inverted; another mix of them is enrolled")
        }
        if let repetition = Repetition(of: reference.signature), repetition.share >= Repetition.leastShare {
            warnings.append(
                "it is a loop of about \((repetition.seconds * 10).rounded() / 10) s: a query fits each repeat, "
                    + "and other music with this loop matches too"
            )
        }
        return (reference, warnings.map { "\(source.path): \($0)" })
    }
}

extension MediaItem {
    /// The properties that tags state, and the title if they have none.
    fileprivate func described(by tags: AudioTags) -> MediaItem {
        var values: [String: Value] = [:]
        values["title"] = (tags.title ?? title).map { .string($0) }
        values["artist"] = tags.artist.map { .string($0) }
        values["album"] = tags.album.map { .string($0) }
        values["ISRC"] = tags.isrc.map { .string($0) }
        values["artworkURL"] = tags.artworkURL.map { .url($0) }
        if !tags.genres.isEmpty { values["genres"] = .list(tags.genres.map { .string($0) }) }
        return MediaItem(values.sorted { $0.key < $1.key }.map { Property($0.key, $0.value) })
    }
}
