import AudioIO

/// A file that becomes a reference: audio, or a signature made of it.
public struct ReferenceSource: Hashable, Sendable {
    /// Where the file is.
    public let path: String
    /// The identifier it gets.
    public let id: String
    /// What is known about it; at first the title, which is the file's name without extension.
    public var mediaItem: MediaItem

    /// How references are named.
    public enum Naming: String, CaseIterable, Sendable {
        /// By the file's name without extension.
        case stem
        /// By the file's path from the folder given, without extension.
        case relativePath = "relative-path"

        /// The identifier of `file`, which was found under `root`.
        public func id(of file: String, under root: String) -> String {
            let prefix = root.hasSuffix("/") ? root : root + "/"
            guard self == .relativePath, file.hasPrefix(prefix) else {
                return Self.withoutExtension(String(file.split(separator: "/").last ?? Substring(file)))
            }
            return Self.withoutExtension(String(file.dropFirst(prefix.count)))
        }

        private static func withoutExtension(_ name: String) -> String {
            guard let dot = name.lastIndex(of: "."), dot != name.startIndex, !name[dot...].contains("/")
            else {
                return name
            }
            return String(name[..<dot])
        }
    }

    /// Finds the files under `paths`: audio files, signatures, and folders of them, however deep.
    ///
    /// - Throws: `FingerprintingError` when there is no path, when a folder holds no audio, or when two files get one
    ///   identifier; `AudioFileError` when a path is missing or cannot be read.
    public static func find(_ paths: [String], naming: Naming = .stem) throws -> [ReferenceSource] {
        guard !paths.isEmpty else { throw FingerprintingError(.nothingToDo, "no audio was named") }
        let extensions = AudioFileFinder.audioExtensions.union(Signature.fileExtensions)
        var sources: [ReferenceSource] = []
        var owners: [String: String] = [:]
        for path in paths {
            let files = try AudioFileFinder.files(under: path, withExtensions: extensions)
            guard !files.isEmpty else {
                throw FingerprintingError(
                    .nothingToDo, "\(path): the folder holds no audio and no signatures")
            }
            for file in files {
                let source = ReferenceSource(file: file, root: path, naming: naming)
                if let other = owners.updateValue(file, forKey: source.id) {
                    throw FingerprintingError(
                        .badIdentifier,
                        "\(other) and \(file) both get the identifier \"\(source.id)\"; rename one"
                            + (naming == .stem ? " or use --ids relative-path" : ""))
                }
                sources.append(source)
            }
        }
        return sources
    }

    private init(file: String, root: String, naming: Naming) {
        path = file
        id = naming.id(of: file, under: root)
        mediaItem = MediaItem(title: Naming.stem.id(of: file, under: root))
    }

    /// Makes the reference: reads the signature, or the audio block by block.
    ///
    /// - Throws: an error that names the file.
    public func reference(settings: Settings = Settings()) throws -> Reference {
        let signature =
            Signature.fileExtensions.contains { path.hasSuffix("." + $0) }
            ? try Signature(contentsOf: path) : try Signature(ofAudioFile: path, settings: settings)
        return Reference(id: id, mediaItem: mediaItem, signature: signature)
    }
}

extension Signature {
    /// The signature of an audio file, read block by block.
    ///
    /// - Throws: `AudioFileError` or `FingerprintingError`; both name the file.
    public init(
        ofAudioFile path: String, settings: Settings = Settings(), detail: Detail = .reference
    ) throws {
        let reader = try AudioFileReader(path: path)
        do {
            self = try SignatureExtractor.signature(of: reader, settings: settings, detail: detail)
        } catch let error as FingerprintingError {
            throw FingerprintingError(error.code, "\(path): \(error.description)")
        }
    }
}
