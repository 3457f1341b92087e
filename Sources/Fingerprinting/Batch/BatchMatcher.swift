import AudioCore
import AudioIO

/// Looks up files of audio and signatures.
package struct BatchMatcher: Sendable {
    package struct Result: Sendable {
        package enum Kind: Sendable {
            /// A query, and the time from decoded samples to ranked answers; nil after an error.
            case query(milliseconds: Double?)
            /// A recording over 30 s, whose passages are passed on.
            case recording

            package var milliseconds: Double? { if case .query(let time) = self { time } else { nil } }
            package var isRecording: Bool { if case .recording = self { true } else { false } }
        }

        package var query: String
        package let kind: Kind
        /// The length of the query; nil after an error.
        package var durationSeconds: Double?
        /// Best first.
        package var answers: [Match] = []
        /// References of the same music in another recording, best first; none of a recording or of a catalog elsewhere.
        package var related: [Match] = []
        package var error: String?
        /// Where audio of the query is missing; nil if none is.
        package var damage: AudioDamage?
        /// What a query without a match may lack, as a sentence without its subject; nil if that was not looked for.
        package var hint: String?
        /// That audio tracks of the query are mixed; nil if there is one.
        package var mixing: String?
    }

    /// All references that contain a query.
    package typealias Ask = @Sendable (Signature) throws -> [Match]

    private enum Place: Sendable {
        case here(Catalog)
        case elsewhere(longestSeconds: Double, Ask)
    }

    private let place: Place
    private let minimumScore: Double?

    /// Takes a catalog.
    ///
    /// - Parameter minimumScore: The least score of an answer; nil for all accepted matches.
    package init(catalog: Catalog, minimumScore: Double? = nil) {
        place = .here(catalog)
        self.minimumScore = minimumScore
    }

    /// Takes a catalog elsewhere, which is asked with signatures of at most `longestSeconds`.
    ///
    /// Longer queries are asked part by part until one has an answer, ten parts at most.
    ///
    /// - Parameter minimumScore: The least score of an answer; nil for all accepted matches.
    package init(minimumScore: Double? = nil, longestSeconds: Double, ask: @escaping Ask) {
        place = .elsewhere(longestSeconds: longestSeconds, ask)
        self.minimumScore = minimumScore
    }

    private static let mostParts = 10
    /// A longer recording has passages.
    package static let longestQuerySeconds = 30.0

    /// Longer queries are decoded several times, block by block: 32 MB, or 95 seconds of stereo at 44.1 kHz.
    private static let samplesInMemory = 1 << 23

    /// Matches the file or pipe at `path`, or standard input for "-": audio, or a signature by its extension.
    ///
    /// - Parameters:
    ///   - track: The number of the audio track, from 1; nil for the mean of all.
    ///   - strict: Whether damaged audio is an error.
    ///   - explains: Whether a query without a match is looked up at other speeds too, if the catalog is here.
    ///   - passages: What takes the passages of a recording over 30 s, if the catalog is here; nil to look it up as one query.
    package func match(
        _ path: String, track: Int? = nil, strict: Bool = false, explains: Bool = false,
        passages: Passages? = nil
    ) -> Result {
        do {
            let file = try RereadableFile(path)
            var hasPassages = false
            let passages = passages.map { passages in
                Passages {
                    hasPassages = true
                    try passages.found($0)
                } progress: {
                    passages.progress($0, $1)
                }
            }
            var result =
                switch place {
                case .here(let catalog):
                    passages.flatMap {
                        passagesResult(of: file.path, track: track, in: catalog, strict: strict, $0)
                    } ?? match(file.path, track: track, in: catalog, strict: strict)
                case .elsewhere(let longestSeconds, let ask):
                    match(
                        file.path, track: track, elsewhere: ask, longestSeconds: longestSeconds,
                        strict: strict)
                }
            let answered = Set(result.answers.map(\.referenceIndex))
            result.related.removeAll { answered.contains($0.referenceIndex) }
            if explains, case .here(let catalog) = place, result.error == nil, result.answers.isEmpty,
                result.related.isEmpty, !hasPassages
            {
                result.hint = try? hint(of: file.path, track: track, in: catalog)
            }
            result.query = path
            result.error = result.error.map(file.named)
            return withExtendedLifetime(file) { result }
        } catch {
            return Self.failure(path, error)
        }
    }

    private func match(
        _ path: String, track: Int?, elsewhere ask: Ask, longestSeconds: Double, strict: Bool
    ) -> Result {
        do {
            var (damage, mixing): (AudioDamage?, String?)
            let signature: Signature
            if Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) {
                signature = try Signature(contentsOf: path)
            } else {
                let file = try AudioFileReader(path: path, track: track)
                signature = try Signature(of: file, name: path, detail: .query)
                (damage, mixing) = (file.damage, file.mixing)
            }
            if strict, let damage { throw damage.error(path: path) }
            var result = try answer(path) {
                (
                    try Self.matches(of: signature, longestSeconds: longestSeconds, ask),
                    signature.durationSeconds
                )
            }
            (result.damage, result.mixing) = (damage, mixing)
            return result
        } catch {
            return Self.failure(path, error)
        }
    }

    private static func matches(
        of signature: Signature, longestSeconds: Double, _ ask: Ask
    ) throws -> [Match] {
        let duration = signature.durationSeconds
        guard duration > longestSeconds else { return try ask(signature) }
        let starts = stride(from: 0, to: duration, by: longestSeconds).prefix(mostParts)
        for start in starts {
            // The last part overlaps with the one before.
            let start = min(start, duration - longestSeconds)
            let part = signature.slice(fromSeconds: start, durationSeconds: longestSeconds)
            guard !part.peaks.isEmpty else { continue }
            let matches = try ask(part)
            if !matches.isEmpty { return matches.map { $0.ofQuery(beginningSecondsEarlier: start) } }
        }
        return []
    }

    private static func failure(_ path: String, _ error: any Error) -> Result {
        Result(query: path, kind: .query(milliseconds: nil), error: String(describing: error))
    }

    private func match(_ path: String, track: Int?, in catalog: Catalog, strict: Bool) -> Result {
        do {
            if Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) {
                let signature = try Signature(contentsOf: path)
                return try answer(path) {
                    (try catalog.matchAll(Query(signature)), signature.durationSeconds)
                }
            }
            let file = try AudioFileReader(path: path, track: track)
            var damage: AudioDamage?
            var result: Result
            let isLong = file.expectedFrames > Self.samplesInMemory / file.channelCount
            if !isLong, let audio = try AudioFile.read(file, atMost: Self.samplesInMemory) {
                damage = file.damage
                var mix = ChannelMix.mean
                result = try answer(path) {
                    let found = try catalog.matchBestMix(of: QueryAudio(audio), by: catalog.matchAll)
                    mix = found.mix
                    return (found.matches, found.durationSeconds)
                }
                if audio.durationSeconds <= Self.longestQuerySeconds {
                    let query = try Query(QueryAudio(audio), settings: catalog.settings, mix: mix)
                    result.answers = try catalog.located(result.answers, in: query)
                }
            } else {
                let audio = try QueryAudio(path: path, track: track) { damage = $0 }
                result = try answer(path) {
                    let found = try catalog.matchBestMix(of: audio, by: catalog.matchAll)
                    return (found.matches, found.durationSeconds)
                }
            }
            if strict, let damage { throw damage.error(path: path) }
            (result.damage, result.mixing) = (damage, file.mixing)
            return result
        } catch {
            return Self.failure(path, error)
        }
    }

    /// The most of a query that is looked up at other speeds, in seconds.
    private static let explainedSeconds = 12

    /// At which other speed a file is recognised; nil if at none.
    ///
    /// Of a long file its second part decides, because many begin with silence.
    private func hint(of path: String, track: Int?, in catalog: Catalog) throws -> String? {
        if Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) {
            let signature = try Signature(contentsOf: path).slice(
                fromSeconds: 0, durationSeconds: Double(Self.explainedSeconds))
            return try catalog.otherSpeed(of: Query(signature))?.description(labelled: nil)
        }
        let file = try AudioFileReader(path: path, track: track)
        let frames = Self.explainedSeconds * file.sampleRate
        guard var audio = try file.read(maxFrames: frames) else { return nil }
        if let next = try file.read(maxFrames: frames), next.frameCount > frames / 2 { audio = next }
        let query = try Query(audio, settings: catalog.settings)
        return try catalog.otherSpeed(of: query)?.description(labelled: file.sampleRate)
    }

    /// What becomes of the passages of a long recording.
    package struct Passages {
        /// Takes a passage as soon as it is sure.
        package let found: (Match) throws -> Void
        /// Takes the seconds searched, and those of the whole if the file states them.
        package let progress: (Double, Double?) -> Void

        package init(found: @escaping (Match) throws -> Void, progress: @escaping (Double, Double?) -> Void) {
            self.found = found
            self.progress = progress
        }
    }

    /// The result of a long recording, whose passages are passed on; nil for a short query or a signature.
    private func passagesResult(
        of path: String, track: Int?, in catalog: Catalog, strict: Bool, _ passages: Passages
    ) -> Result? {
        do {
            return try findPassages(in: path, track: track, in: catalog, strict: strict, passages)
        } catch { return Self.failure(path, error) }
    }

    /// Passes on the passages of a long recording; nil for a short query or a signature.
    private func findPassages(
        in path: String, track: Int?, in catalog: Catalog, strict: Bool, _ passages: Passages
    ) throws -> Result? {
        guard !Signature.fileExtensions.contains(where: { path.hasSuffix("." + $0) }) else { return nil }
        let file = try AudioFileReader(path: path, track: track)
        let stated =
            file.expectedFrames > 0 ? Double(file.expectedFrames) / Double(file.sampleRate) : nil
        guard stated ?? .infinity > Self.longestQuerySeconds else { return nil }
        var finder = try PassageFinder(
            catalog: catalog, sampleRate: file.sampleRate, channelCount: file.channelCount)
        var error: String?
        // A file that does not state its length may be short.
        var held: [Match] = []
        do {
            while let block = try file.read(maxFrames: file.sampleRate * 10) {
                held += try finder.append(block)
                guard stated != nil || finder.elapsedSeconds > Self.longestQuerySeconds else { continue }
                for match in held { try passages.found(match) }
                held = []
                passages.progress(finder.elapsedSeconds, stated)
            }
            guard stated != nil || finder.elapsedSeconds > Self.longestQuerySeconds else { return nil }
            if strict, let damage = file.damage { throw damage.error(path: path) }
        } catch let failure as AudioFileError {
            // What was heard before it stands.
            error = String(describing: failure)
        }
        for match in try finder.finish() { try passages.found(match) }
        return Result(
            query: path, kind: .recording, durationSeconds: finder.elapsedSeconds, error: error,
            damage: file.damage, mixing: file.mixing)
    }

    private func answer(
        _ path: String, by match: () throws -> (matches: [Match], durationSeconds: Double)
    ) throws -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        let (matches, durationSeconds) = try match()
        return Result(
            query: path, kind: .query(milliseconds: (clock.now - start) / .milliseconds(1)),
            durationSeconds: durationSeconds,
            answers: matches.filter(isAnswer),
            related: matches.filter { $0.relatedScore != nil && !isAnswer($0) })
    }

    private func isAnswer(_ match: Match) -> Bool {
        minimumScore.map { match.score >= $0 } ?? match.isAccepted
    }
}
