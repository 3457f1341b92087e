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
        /// Where audio of the query is missing; nil if none is.
        package var damage: AudioDamage?
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

    /// Longer queries are decoded several times, block by block: 32 MB, or 95 seconds of stereo at 44.1 kHz.
    private static let samplesInMemory = 1 << 23

    /// Matches the file at `path`: audio, or a signature by its extension.
    ///
    /// - Parameter strict: Whether damaged audio is an error.
    package func match(_ path: String, strict: Bool = false) -> Result {
        do {
            if Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) {
                let signature = try Signature(contentsOf: path)
                return try answer(path) {
                    (try catalog.matchAll(Query(signature)), signature.durationSeconds)
                }
            }
            let file = try AudioFileReader(path: path)
            var damage: AudioDamage?
            var result: Result
            if let audio = try AudioFile.read(file, atMost: Self.samplesInMemory) {
                damage = file.damage
                result = try answer(path) { (try catalog.matchAll(query: audio), audio.durationSeconds) }
            } else {
                let audio = try QueryAudio(path: path) { damage = $0 }
                result = try answer(path) {
                    let found = try catalog.matchBestMix(of: audio, by: catalog.matchAll)
                    return (found.matches, found.durationSeconds)
                }
            }
            if strict, let damage { throw damage.error(path: path) }
            result.damage = damage
            return result
        } catch {
            return Result(
                query: path, durationSeconds: nil, answers: [], matchMilliseconds: nil,
                error: String(describing: error))
        }
    }

    private func answer(
        _ path: String, by match: () throws -> (matches: [Match], durationSeconds: Double)
    ) throws -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        let (matches, durationSeconds) = try match()
        let elapsed = (clock.now - start).components
        return Result(
            query: path, durationSeconds: durationSeconds,
            answers: matches.filter { match in
                minimumScore.map { match.score >= $0 } ?? match.isAccepted
            }, matchMilliseconds: Double(elapsed.seconds) * 1e3 + Double(elapsed.attoseconds) * 1e-15,
            error: nil)
    }
}
