import Foundation

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

    /// The tracks that a file names line by line; empty lines and comments, which begin with `#`, are passed over.
    ///
    /// - Throws: ``ConfigurationError`` at the line of a name that is not there.
    package func listed(in path: String) throws -> Set<String> {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(file: path, message: "the list cannot be read")
        }
        var ids: Set<String> = []
        for (number, text) in try NumberedLines.of(data, path: path) {
            let line = String(text)
            if line.isEmpty || isComment(line) { continue }
            let track = try track(line) { message in
                ConfigurationError(file: path, line: number, message: "column 1: \(message)")
            }
            if case .success(let id) = track { ids.insert(id) }
        }
        return ids
    }

    /// Whether a line begins with `#` and is not the name of a reference that does.
    private func isComment(_ line: String) -> Bool {
        guard line.hasPrefix("#") else { return false }
        // A name behind a slash is found by itself: `#old/a.wav` stays a comment where there is an `a.wav`.
        return line.contains("/") ? find(line) != .one(line) : find(line) == FileNames.Match.none
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
