import Glibc

package enum AudioFileFinder {
    /// The extensions of files that libsndfile or ffmpeg may find audio in, in lower case.
    package static let audioExtensions: Set<String> = [
        "3g2", "3gp", "8svx", "aa", "aac", "ac3", "adts", "aif", "aifc", "aiff", "alac", "amr", "ape", "asf",
        "au", "avi", "avr", "awb", "bwf", "caf", "dff", "divx", "dsf", "dts", "dtshd", "dv", "eac3", "ec3",
        "f4a", "f4b", "f4v", "flac", "flv", "gsm", "gxf", "iff", "ircam", "latm", "loas", "m1v", "m2a", "m2t",
        "m2ts", "m2v", "m4a", "m4b", "m4p", "m4r", "m4v", "mj2", "mka", "mkv", "mlp", "mov", "mp1", "mp2",
        "mp3", "mp4", "mpa", "mpc", "mpeg", "mpg", "mpga", "mts", "mxf", "nist", "nsv", "nut", "ofr", "ofs",
        "oga", "ogg", "ogm", "ogv", "ogx", "oma", "omg", "opus", "paf", "pvf", "qt", "ra", "rf64", "rm",
        "rmvb",
        "sd2", "sds", "sf", "shn", "snd", "sph", "spx", "svx", "tak", "thd", "trp", "truehd", "ts", "tta",
        "vob", "voc", "vqf", "w64", "wav", "wave", "weba", "webm", "wma", "wmv", "wtv", "wv", "wve", "xwma",
    ]

    package struct Listing: Sendable {
        /// The files, in the order of their paths' bytes.
        package var files: [String]
        /// Folders that cannot be read.
        package var unreadable: [AudioFileError]
        /// What else was passed over, wanted extensions first.
        package var leftOut: [LeftOut]
    }

    /// A file or folder that a search passed over.
    package struct LeftOut: Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let reason: String
        /// Whether its extension is wanted.
        package let isWanted: Bool

        package var description: String { "\(path) (\(reason))" }
    }

    /// The wanted files in the folder `path` and its subfolders.
    ///
    /// Selects files by extension, in lower case; a `path` that is a file gives itself. Leaves out hidden files and
    /// folders. Follows links, and enters each folder once.
    /// - Throws: ``AudioFileError`` if there is nothing at `path`.
    package static func listing(
        under path: String, withExtensions extensions: Set<String> = audioExtensions
    ) throws(AudioFileError) -> Listing {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? AudioFileError(.missing, path: path, "there is no such file or folder")
                : AudioFileError(
                    .unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return Listing(files: [path], unreadable: [], leftOut: [])
        }
        var walk = Walk(extensions: extensions)
        walk.enter(path, FolderIdentity(status))
        walk.listing.files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        walk.listing.leftOut.sort {
            $0.isWanted == $1.isWanted ? $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) : $0.isWanted
        }
        return walk.listing
    }

    /// The audio files in the folder `path` and its subfolders.
    /// - Parameter note: Called with a line that counts and names files that are passed over.
    /// - Throws: ``AudioFileError`` if there is nothing at `path` or a folder cannot be read.
    package static func audioFiles(under path: String, noting note: (String) -> Void) throws -> [String] {
        let listing = try listing(under: path)
        if let error = listing.unreadable.first { throw error }
        if let line = listing.leftOut.line { note(line) }
        return listing.files
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
        var listing = Listing(files: [], unreadable: [], leftOut: [])
        var entered: Set<FolderIdentity> = []

        mutating func enter(_ folder: String, _ identity: FolderIdentity) {
            guard entered.insert(identity).inserted else { return }
            for name in names(in: folder) {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                let isHidden = name.hasPrefix(".")
                var status = stat()
                guard stat(path, &status) == 0 else {
                    // A file that was deleted meanwhile is none.
                    let isThere = lstat(path, &status) == 0
                    if isThere, !isHidden { leaveOut(path, name, "the link points to nothing") }
                    continue
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR where isHidden: leaveOut(path, name, "hidden")
                case S_IFDIR: enter(path, FolderIdentity(status))
                case S_IFREG where isHidden: if isWanted(name) { leaveOut(path, name, "hidden") }
                case S_IFREG where isWanted(name): listing.files.append(path)
                // Tables are beside the audio that they describe.
                case S_IFREG: if !name.hasSuffix(".csv") { leaveOut(path, name, "no audio by its name") }
                default: leaveOut(path, name, "neither a file nor a folder")
                }
            }
        }

        private mutating func leaveOut(_ path: String, _ name: String, _ reason: String) {
            listing.leftOut.append(LeftOut(path: path, reason: reason, isWanted: isWanted(name)))
        }

        private func isWanted(_ name: String) -> Bool {
            guard let dot = name.lastIndex(of: ".") else { return false }
            return extensions.contains(name[name.index(after: dot)...].lowercased())
        }

        private mutating func names(in folder: String) -> [String] {
            guard let stream = opendir(folder) else {
                listing.unreadable.append(
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
                    if valid != ".", valid != ".." { names.append(valid) }
                } else {
                    leaveOut("\(folder)/\(name.shown)", name.shown, "its name is not UTF-8")
                }
            }
            return names
        }
    }
}

extension [AudioFileFinder.LeftOut] {
    /// How many a line names.
    package var mostNamed: Int { 10 }

    /// A line that counts them and names the first; nil for none.
    package var line: String? {
        guard !isEmpty else { return nil }
        let more = count > mostNamed ? " and \(count - mostNamed) more" : ""
        let names = prefix(mostNamed).map(\.description).joined(separator: ", ")
        return "\(count) \(count == 1 ? "file" : "files") left out: \(names)\(more)"
    }
}
