import AudioCore
import AudioIO

/// Looks up files of audio and signatures.
package struct BatchMatcher: Sendable {
    package struct Result: Sendable {
        package let query: String
        /// The length of the query; nil after an error.
        package let durationSeconds: Double?
        /// Best first.
        package let answers: [Match]
        /// The time from decoded samples to ranked answers; nil after an error.
        package let matchMilliseconds: Double?
        package let error: String?
    }

    private let catalog: Catalog
    private let minimumScore: Double?

    /// Takes a catalog.
    ///
    /// - Parameter minimumScore: The least score of an answer; nil for all accepted matches.
    package init(catalog: Catalog, minimumScore: Double? = nil) {
        self.catalog = catalog
        self.minimumScore = minimumScore
    }

    package func match(_ path: String) -> Result {
        do {
            if Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) {
                let signature = try Signature(contentsOf: path)
                return try answer(path, signature.durationSeconds) { try catalog.matchAll(Query(signature)) }
            }
            let audio = try AudioFile.read(path)
            return try answer(path, audio.durationSeconds) { try catalog.matchAll(query: audio) }
        } catch {
            return Result(
                query: path, durationSeconds: nil, answers: [], matchMilliseconds: nil,
                error: String(describing: error))
        }
    }

    private func answer(_ path: String, _ seconds: Double, by match: () throws -> [Match]) throws -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        let matches = try match()
        let elapsed = (clock.now - start).components
        return Result(
            query: path, durationSeconds: seconds,
            answers: matches.filter { match in
                minimumScore.map { match.score >= $0 } ?? match.isAccepted
            }, matchMilliseconds: Double(elapsed.seconds) * 1e3 + Double(elapsed.attoseconds) * 1e-15,
            error: nil)
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
