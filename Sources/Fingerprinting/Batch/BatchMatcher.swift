import AudioCore
import AudioIO

/// Matches query files against a catalog, one after the other.
public struct BatchMatcher: Sendable {
    private let catalog: Catalog
    private let minimumScore: Double?
    private let title: @Sendable (Catalog.Entry) -> String?

    /// Prepares to match.
    ///
    /// - Parameters:
    ///   - minimumScore: names all references with at least this score; without it, those accepted.
    ///   - title: gives the title of a reference, if it has one.
    public init(
        catalog: Catalog, minimumScore: Double? = nil,
        title: @escaping @Sendable (Catalog.Entry) -> String? = { $0.mediaItem.title }
    ) {
        self.catalog = catalog
        self.minimumScore = minimumScore
        self.title = title
    }

    /// Matches the file at `path`; what goes wrong becomes the line's error.
    public func match(_ path: String) -> MatchLine {
        do {
            let audio = try AudioFile.read(path)
            let clock = ContinuousClock()
            let start = clock.now
            let matches = try catalog.match(query: audio)
            let elapsed = (clock.now - start).components
            let answers = matches.filter { isNamed($0) }
            return MatchLine(
                query: path, durationSeconds: audio.durationSeconds,
                answers: try answers.map { match in
                    let entry = try catalog.entry(at: match.referenceIndex)
                    return .init(
                        id: match.referenceID, title: title(entry) ?? match.referenceID, match: match)
                }, matchMilliseconds: Double(elapsed.seconds) * 1e3 + Double(elapsed.attoseconds) * 1e-15,
                error: nil)
        } catch {
            return MatchLine(
                query: path, durationSeconds: nil, answers: [], matchMilliseconds: nil,
                error: String(describing: error))
        }
    }

    private func isNamed(_ match: Match) -> Bool {
        guard let minimumScore else { return match.isAccepted }
        return match.score >= minimumScore
    }

    /// The paths listed in a file, one a line; empty lines count for nothing.
    ///
    /// - Throws: `FingerprintingError` when the file cannot be read, is not UTF-8, or lists nothing.
    public static func paths(listedIn path: String) throws -> [String] {
        let memory = try FileMemory(path: path, loadingBelow: 0, copyingBelow: .max)
        let content = withExtendedLifetime(memory) { String(validating: memory.bytes, as: UTF8.self) }
        guard let text = content else {
            throw FingerprintingError(.unreadableFile, "\(path): expected text in UTF-8")
        }
        let paths = text.split(whereSeparator: \.isNewline).map(String.init)
        guard !paths.isEmpty else { throw FingerprintingError(.nothingToDo, "\(path): lists no file") }
        return paths
    }
}
