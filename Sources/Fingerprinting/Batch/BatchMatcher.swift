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
        package var remark: String?
    }

    /// All references that contain a query.
    package typealias Ask = @Sendable (Signature) throws -> [Match]

    private enum Location: Sendable {
        case here(Catalog)
        case elsewhere(longestSeconds: Double, Ask)
    }

    private let location: Location
    private let minimumScore: Double?

    /// Takes a catalog.
    ///
    /// - Parameter minimumScore: The least score of an answer; nil for all accepted matches.
    package init(catalog: Catalog, minimumScore: Double? = nil) {
        location = .here(catalog)
        self.minimumScore = minimumScore
    }

    /// Takes a catalog elsewhere, which is asked with signatures of at most `longestSeconds`.
    ///
    /// Longer queries are asked part by part until one has an answer, ten parts at most.
    ///
    /// - Parameter minimumScore: The least score of an answer; nil for all accepted matches.
    package init(minimumScore: Double? = nil, longestSeconds: Double, ask: @escaping Ask) {
        location = .elsewhere(longestSeconds: longestSeconds, ask)
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
            var result: Result
            do {
                result = try self.result(
                    of: file.path, track: track, strict: strict, explains: explains, passages)
            } catch { result = Self.failure(path, error) }
            let answered = Set(result.answers.map(\.referenceIndex))
            result.related.removeAll { answered.contains($0.referenceIndex) }
            result.query = path
            result.error = result.error.map(file.named)
            return withExtendedLifetime(file) { result }
        } catch {
            return Self.failure(path, error)
        }
    }

    private func result(
        of path: String, track: Int?, strict: Bool, explains: Bool, _ passages: Passages?
    ) throws -> Result {
        switch location {
        case .here(let catalog):
            let recording = try passages.flatMap {
                try findPassages(in: path, track: track, in: catalog, strict: strict, $0)
            }
            var result =
                try recording?.result ?? match(path, track: track, in: catalog, strict: strict)
            if explains, result.error == nil, result.answers.isEmpty, result.related.isEmpty,
                recording?.hasPassages != true
            {
                result.hint = try? hint(of: path, track: track, in: catalog)
            }
            return result
        case .elsewhere(let longestSeconds, let ask):
            return try match(
                path, track: track, elsewhere: ask, longestSeconds: longestSeconds, strict: strict)
        }
    }

    private func match(
        _ path: String, track: Int?, elsewhere ask: Ask, longestSeconds: Double, strict: Bool
    ) throws -> Result {
        var (damage, remark): (AudioDamage?, String?)
        let signature: Signature
        if Self.isSignature(path) {
            signature = try Signature(contentsOf: path)
        } else {
            let file = try AudioFileReader(path: path, track: track)
            signature = try Signature(of: file, name: path, detail: .query)
            (damage, remark) = (file.damage, file.remark)
        }
        if strict, let damage { throw damage.error(path: path) }
        var result = try answer(path) {
            (try Self.matches(of: signature, longestSeconds: longestSeconds, ask), signature.durationSeconds)
        }
        (result.damage, result.remark) = (damage, remark)
        return result
    }

    private static func isSignature(_ path: String) -> Bool {
        Signature.fileExtensions.contains { path.hasSuffix("." + $0) }
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

    private func match(
        _ path: String, track: Int?, in catalog: Catalog, strict: Bool
    ) throws -> Result {
        if Self.isSignature(path) {
            let signature = try Signature(contentsOf: path)
            return try answer(path) { (try catalog.matchAll(Query(signature)), signature.durationSeconds) }
        }
        let file = try AudioFileReader(path: path, track: track)
        var damage: AudioDamage?
        var mix = ChannelMix.mean
        func matched(_ audio: QueryAudio) throws -> Result {
            try answer(path) {
                let found = try catalog.matchBestMix(of: audio, by: catalog.matchAll)
                mix = found.mix
                return (found.matches, found.durationSeconds)
            }
        }
        var result: Result
        let isLong = file.expectedFrames > Self.samplesInMemory / file.channelCount
        if !isLong, let audio = try AudioFile.read(file, atMost: Self.samplesInMemory) {
            damage = file.damage
            result = try matched(QueryAudio(audio))
            if audio.durationSeconds <= Self.longestQuerySeconds {
                let query = try Query(QueryAudio(audio), settings: catalog.settings, mix: mix)
                result.answers = try catalog.located(result.answers, in: query)
            }
        } else {
            result = try matched(QueryAudio(path: path, track: track) { damage = $0 })
        }
        if strict, let damage { throw damage.error(path: path) }
        (result.damage, result.remark) = (damage, file.remark)
        return result
    }

    /// The most of a query that is looked up at other speeds, in seconds.
    private static let explainedSeconds = 12

    /// At which other speed a file is recognised; nil if at none.
    ///
    /// Of a long file its second part decides, because many begin with silence.
    private func hint(of path: String, track: Int?, in catalog: Catalog) throws -> String? {
        if Self.isSignature(path) {
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

    /// Passes on the passages of a long recording; nil for a short query or a signature.
    private func findPassages(
        in path: String, track: Int?, in catalog: Catalog, strict: Bool, _ passages: Passages
    ) throws -> (result: Result, hasPassages: Bool)? {
        guard !Self.isSignature(path) else { return nil }
        let file = try AudioFileReader(path: path, track: track)
        let stated =
            file.expectedFrames > 0 ? Double(file.expectedFrames) / Double(file.sampleRate) : nil
        guard stated ?? .infinity > Self.longestQuerySeconds else { return nil }
        var finder = try PassageFinder(
            catalog: catalog, sampleRate: file.sampleRate, channelCount: file.channelCount)
        var error: String?
        var hasPassages = false
        func pass(_ matches: [Match]) throws {
            hasPassages = hasPassages || !matches.isEmpty
            for match in matches { try passages.found(match) }
        }
        // A file that does not state its length may be short.
        var held: [Match] = []
        do {
            while let block = try file.read(maxFrames: file.sampleRate * 10) {
                held += try finder.append(block)
                guard stated != nil || finder.elapsedSeconds > Self.longestQuerySeconds else { continue }
                try pass(held)
                held = []
                passages.progress(finder.elapsedSeconds, stated)
            }
            guard stated != nil || finder.elapsedSeconds > Self.longestQuerySeconds else { return nil }
            if strict, let damage = file.damage { throw damage.error(path: path) }
        } catch let failure as AudioFileError {
            // What was heard before it stands.
            error = String(describing: failure)
        }
        try pass(finder.finish())
        let result = Result(
            query: path, kind: .recording, durationSeconds: finder.elapsedSeconds, error: error,
            damage: file.damage, remark: file.remark)
        return (result, hasPassages)
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
