import Glibc

package enum AudioFileFinder {
    /// The extensions of audio files, in lower case.
    package static let audioExtensions: Set<String> = [
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "caf", "flac", "gsm", "m4a", "m4b",
        "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpc", "oga", "ogg", "opus", "rf64", "snd", "spx", "tta",
        "w64", "wav", "wave", "webm", "wma", "wv",
    ]

    /// All audio files in the folder `path` and its subfolders, in the order of their paths' bytes.
    ///
    /// Selects files by extension; a `path` that is a file gives itself. Skips hidden files and folders. Follows links,
    /// and enters each folder once.
    /// - Throws: ``AudioFileError`` if there is nothing at `path` or a folder cannot be read.
    package static func audioFiles(under path: String) throws -> [String] {
        try files(under: path, withExtensions: audioExtensions)
    }

    /// The same for files with one of `extensions`, in lower case.
    ///
    /// - Parameter passOver: Called for each file and folder whose name is not UTF-8.
    /// - Throws: ``AudioFileError`` if there is nothing at `path` or a folder cannot be read, and the errors of `passOver`.
    package static func files(
        under path: String, withExtensions extensions: Set<String>,
        passingOver passOver: (AudioFileError) throws -> Void = { throw $0 }
    ) throws -> [String] {
        let listing = try listing(under: path, withExtensions: extensions)
        for trouble in listing.passedOver {
            guard trouble.code == .notUTF8 else { throw trouble }
            try passOver(trouble)
        }
        return listing.files
    }

    package struct Listing: Sendable {
        /// The files, in the order of their paths' bytes.
        package var files: [String]
        /// Folders that cannot be read, and folders and wanted files whose name is not UTF-8.
        package var passedOver: [AudioFileError]
    }

    /// The same files as ``audioFiles(under:)``, without stopping at unreadable places.
    /// - Throws: ``AudioFileError`` if there is nothing at `path`.
    package static func audioListing(under path: String) throws -> Listing {
        try listing(under: path, withExtensions: audioExtensions)
    }

    private static func listing(under path: String, withExtensions extensions: Set<String>) throws -> Listing
    {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? AudioFileError(.missing, path: path, "there is no such file or folder")
                : AudioFileError(
                    .unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return Listing(files: [path], passedOver: []) }
        var walk = Walk(extensions: extensions)
        walk.enter(path, FolderIdentity(status))
        return Listing(
            files: walk.found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            passedOver: walk.passedOver)
    }

    private struct FolderIdentity: Hashable {
        let device: dev_t
        let inode: ino_t

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private struct Walk {
        let extensions: Set<String>
        var found: [String] = []
        var passedOver: [AudioFileError] = []
        var entered: Set<FolderIdentity> = []

        mutating func enter(_ folder: String, _ identity: FolderIdentity) {
            guard entered.insert(identity).inserted else { return }
            for name in names(in: folder) where !name.hasPrefix(".") {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                var status = stat()
                // A broken link, or a file that was deleted meanwhile.
                guard stat(path, &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: enter(path, FolderIdentity(status))
                case S_IFREG:
                    if isWanted(name) { found.append(path) }
                default: continue
                }
            }
        }

        private func isWanted(_ name: String) -> Bool {
            guard let dot = name.lastIndex(of: ".") else { return false }
            return extensions.contains(name[name.index(after: dot)...].lowercased())
        }

        private mutating func names(in folder: String) -> [String] {
            guard let stream = opendir(folder) else {
                passedOver.append(
                    AudioFileError(
                        .unreadable, path: folder,
                        "the folder cannot be read: \(String(cString: strerror(errno)))"))
                return []
            }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                        (valid: String(validatingCString: $0), shown: String(cString: $0))
                    }
                }
                if let valid = name.valid {
                    names.append(valid)
                } else if isWanted(name.shown) || entry.pointee.d_type != DT_REG {
                    passedOver.append(
                        AudioFileError(
                            .notUTF8, path: folder, "holds a file whose name is not UTF-8 (\(name.shown))"))
                }
            }
            return names
        }
    }
}
