import AudioCore
import AudioIO

package struct BatchMatcher: Sendable {
    package struct Result: Sendable {
        package struct Answer: Hashable, Sendable {
            package let id: String
            /// Its title, or its identifier if it has none.
            package let title: String
            package let match: Match
        }

        package let query: String
        /// The length of the query; nil after an error.
        package let durationSeconds: Double?
        package let answers: [Answer]
        /// The time from decoded samples to ranked answers; nil after an error.
        package let matchMilliseconds: Double?
        package let error: String?
    }

    private let catalog: Catalog
    private let minimumScore: Double?
    private let title: @Sendable (Catalog.Entry) -> String?

    /// Takes a catalog.
    ///
    /// - Parameters:
    ///   - minimumScore: The least score of an answer; nil for all accepted matches.
    ///   - title: Returns the title of a reference, if it has one.
    package init(
        catalog: Catalog, minimumScore: Double? = nil,
        title: @escaping @Sendable (Catalog.Entry) -> String? = { $0.mediaItem.title }
    ) {
        self.catalog = catalog
        self.minimumScore = minimumScore
        self.title = title
    }

    package func match(_ path: String) -> Result {
        do {
            let audio = try AudioFile.read(path)
            let clock = ContinuousClock()
            let start = clock.now
            let matches = try catalog.match(query: audio)
            let elapsed = (clock.now - start).components
            let answers = matches.filter { match in
                minimumScore.map { match.score >= $0 } ?? match.isAccepted
            }
            return Result(
                query: path, durationSeconds: audio.durationSeconds,
                answers: try answers.map { match in
                    let entry = try catalog.entry(at: match.referenceIndex)
                    return .init(
                        id: match.referenceID, title: title(entry) ?? match.referenceID, match: match)
                }, matchMilliseconds: Double(elapsed.seconds) * 1e3 + Double(elapsed.attoseconds) * 1e-15,
                error: nil)
        } catch {
            return Result(
                query: path, durationSeconds: nil, answers: [], matchMilliseconds: nil,
                error: String(describing: error))
        }
    }

    /// The paths in a text file, one a line; empty lines are ignored.
    ///
    /// - Throws: `FingerprintingError` when the file cannot be read, is not UTF-8, or has no path.
    package static func paths(listedIn path: String) throws -> [String] {
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
