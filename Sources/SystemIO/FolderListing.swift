import Glibc

/// The files with wanted extensions in a folder and its subfolders.
package struct FolderListing: Sendable {
    /// The files, in the order of their paths' bytes.
    package private(set) var files: [String] = []
    /// Folders that cannot be read, with the reason.
    package private(set) var unreadable: [(path: String, reason: String)] = []
    /// What else was passed over, wanted extensions first.
    package private(set) var leftOut: [LeftOut] = []

    private let extensions: Set<String>
    private var entered: Set<[UInt64]> = []

    /// A file or folder that a search passed over.
    package struct LeftOut: Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let reason: String
        /// Whether its extension is wanted.
        package let isWanted: Bool

        package var description: String { "\(path) (\(reason))" }
    }

    /// Selects files by extension, in lower case; a `path` that is a file gives itself.
    ///
    /// Leaves out hidden files and folders. Follows links, and enters each folder once. Nil if nothing is at `path`, or
    /// it cannot be looked at; `errno` is then set.
    package init?(of path: String, extensions: Set<String>) {
        self.extensions = extensions
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            files = [path]
            return
        }
        enter(path, status)
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        leftOut.sort {
            $0.isWanted == $1.isWanted ? $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) : $0.isWanted
        }
    }

    private mutating func enter(_ folder: String, _ status: stat) {
        guard entered.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted else { return }
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
            case S_IFDIR: enter(path, status)
            case S_IFREG where isHidden: if isWanted(name) { leaveOut(path, name, "hidden") }
            case S_IFREG where isWanted(name): files.append(path)
            // Tables are beside the audio that they describe.
            case S_IFREG: if !name.hasSuffix(".csv") { leaveOut(path, name, "no audio by its name") }
            default: leaveOut(path, name, "neither a file nor a folder")
            }
        }
    }

    private mutating func leaveOut(_ path: String, _ name: String, _ reason: String) {
        leftOut.append(LeftOut(path: path, reason: reason, isWanted: isWanted(name)))
    }

    private func isWanted(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return extensions.contains(name[name.index(after: dot)...].lowercased())
    }

    private mutating func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else {
            unreadable.append(
                (folder, "the folder cannot be read: \(String(cString: strerror(errno)))"))
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

extension [FolderListing.LeftOut] {
    /// How many a line names.
    private static var mostNamed: Int { 10 }

    /// A line that counts them and names the first; nil for none.
    package var line: String? {
        guard !isEmpty else { return nil }
        let names = prefix(Self.mostNamed).map(\.description).joined(separator: ", ")
        let more = hasMore ? " and \(count - Self.mostNamed) more" : ""
        return "\(count.counting("file")) left out: \(names)\(more)"
    }

    /// Whether ``line`` does not name all.
    package var hasMore: Bool { count > Self.mostNamed }
}
