import SystemIO

/// The names by which lists may call the references of a folder.
package struct ReferenceNames {
    private let folder: String
    private let find: FileNames
    private let tracks: Set<String>
    /// Files that are others byte for byte, with those that are enrolled for them.
    private let copies: [String: String]
    private let leftOut: [String: String]

    package init(_ corpus: Corpus, folder: String) {
        self.folder = folder
        tracks = Set(corpus.tracks.map(\.id))
        copies = corpus.folder?.copies ?? [:]
        leftOut = corpus.folder?.leftOut ?? [:]
        find = FileNames(Array(tracks) + copies.keys + leftOut.keys)
    }

    /// The track that a right answer of a list means; a failure says why it is not used.
    ///
    /// - Throws: ``ConfigurationError`` at its place when there is no such file, or there are several.
    package func track(of right: QueryList.Right, in list: QueryList) throws -> Result<String, CorpusError> {
        try track(right.reference) { message in
            ConfigurationError(
                file: list.path, line: right.line, message: "column \(right.column): \(message)")
        }
    }

    /// The tracks that a list names.
    ///
    /// - Throws: An error that names every wrong line, because fewer references give other figures.
    package func listed(in path: String) throws -> Set<String> {
        var ids: Set<String> = []
        var errors: [any Error] = []
        var list = try PathList(path: path, isName: isName)
        while let entry = try list.next() {
            do {
                let track = try track(entry.path.get()) { message in
                    ConfigurationError(file: path, line: entry.line, message: message)
                }
                if case .success(let id) = track { ids.insert(id) }
            } catch { errors.append(error) }
        }
        guard errors.count > 1 else {
            if let error = errors.first { throw error }
            return ids
        }
        throw ConfigurationError(
            file: path,
            message: "\(errors.count) lines are wrong\n" + errors.map { "\($0)" }.joined(separator: "\n"))
    }

    /// Whether a line that begins with `#` is the name of a reference.
    private func isName(_ line: String) -> Bool {
        // A name behind a slash is found by itself: `#old/a.wav` stays a comment where there is an `a.wav`.
        line.contains("/") ? find(line) == .one(line) : find(line) != FileNames.Match.none
    }

    private func track(
        _ name: String, error: (String) -> ConfigurationError
    ) throws -> Result<String, CorpusError> {
        switch find(name) {
        case .one(let id):
            if let reason = leftOut[id] {
                return .failure(CorpusError(.unreadable, "its reference \(id) cannot be used: \(reason)"))
            }
            return .success(copies[id] ?? id)
        case .none: throw error("expected a recording in \(folder), found \"\(name)\", which is not there")
        case .several(let found):
            throw error(
                "expected one recording, found \"\(name)\", which may be \(found.prefix(5).joined(separator: " or "))"
            )
        }
    }
}
