import AudioCore
import AudioIO
import Glibc

/// An analysed query, which any number of catalogs can match.
public struct Query: Sendable {
    /// The peaks, by time.
    public let peaks: [Peak]
    /// The length in seconds.
    public let durationSeconds: Double
    /// Whether the channels nearly cancel in their mean.
    public let channelsCancel: Bool
    let channelsOppose: Bool
    let analysisIdentity: UInt64
    /// log2 power of each band; empty for a signature.
    let spectrograms: [[Float]]
    /// Whether peaks have heights, which replace the spectrograms.
    let hasHeights: Bool
}

extension Query {
    /// Analyses audio of any length, rate and number of channels.
    ///
    /// - Throws: `FingerprintingError` for a sample that is not finite, or a rate outside 1000…768,000 Hz.
    public init(_ audio: AudioBuffer, settings: Settings = Settings()) throws {
        try self.init(QueryAudio(audio), settings: settings, mix: .mean)
    }

    init(_ audio: QueryAudio, settings: Settings, mix: ChannelMix) throws {
        // Most files need no gain. To measure one first would decode it once more.
        let guess = audio.meanPower.map(Self.gain) ?? 1
        let (first, meanPower) = try Self.analysed(audio, settings: settings, mix: mix, gain: guess)
        let gain = Self.gain(meanPower)
        self =
            gain == guess ? first : try Self.analysed(audio, settings: settings, mix: mix, gain: gain).query
    }

    private static func analysed(
        _ audio: QueryAudio, settings: Settings, mix: ChannelMix, gain: Float
    ) throws -> (query: Query, meanPower: Double) {
        let fft = TransformPool.shared.borrow()
        defer { TransformPool.shared.giveBack(fft) }
        var spectrum = try SpectrumStream(
            settings.analysis, sampleRate: audio.sampleRate, channelCount: audio.channelCount, fft: fft,
            mix: mix, gain: gain)
        var picker = PeakPicker(
            settings.analysis, inputRate: audio.sampleRate, keptRanks: Peak.ranks,
            keptFrames: settings.verification.contrastFrames)
        picker.reserve(seconds: audio.expectedSeconds)
        try audio.forEachBlock { try spectrum.append($0) { picker.append(row: $1, of: $0) } }
        try spectrum.finish { picker.append(row: $1, of: $0) }
        picker.finish()
        let query = Query(
            picker, durationSeconds: Double(spectrum.frameCount) / Double(audio.sampleRate),
            channelsCancel: spectrum.channelsCancel,
            channelsOppose: spectrum.channelsOppose, analysisIdentity: settings.analysis.identity)
        return (query, spectrum.meanPower)
    }

    init(
        _ picker: PeakPicker, durationSeconds: Double, channelsCancel: Bool = false,
        channelsOppose: Bool = false, analysisIdentity: UInt64
    ) {
        self.init(
            peaks: picker.peaks, durationSeconds: durationSeconds, channelsCancel: channelsCancel,
            channelsOppose: channelsOppose, analysisIdentity: analysisIdentity,
            spectrograms: picker.spectrograms, hasHeights: false)
    }

    /// Takes a signature as a query.
    ///
    /// A signature of detail `.query` matches nearly as well as its audio. One of detail `.reference` matches much less
    /// often: it has no spectrogram and fewer faint peaks. At most one minute of silence at the end counts, because the
    /// length that a file states must not decide how long the search takes.
    public init(_ signature: Signature) {
        self.init(
            peaks: signature.peaks,
            durationSeconds: min(signature.durationSeconds, (signature.peaks.last?.timeSeconds ?? 0) + 60),
            channelsCancel: signature.channelsCancel, channelsOppose: false,
            analysisIdentity: signature.analysisIdentity, spectrograms: Band.all.map { _ in [] },
            hasHeights: signature.hasHeights)
    }

    /// The part of a query from one frame up to another; the first is a multiple of `Band.longestFrame`.
    ///
    /// Its peaks keep the ranks that they have in the whole.
    func part(_ frames: Range<Int>) -> Query {
        let frames = frames.clamped(to: 0..<frameCount)
        let start = UInt32(frames.lowerBound * FrequencyScale.timeSteps)
        return Query(
            peaks: QueryPieces.part(frames, of: peaks).map { $0.moved(earlierBy: start) },
            durationSeconds: Double(max(0, frames.count - 1)) * FrequencyScale.frameSeconds,
            channelsCancel: channelsCancel, channelsOppose: channelsOppose,
            analysisIdentity: analysisIdentity,
            spectrograms: Band.all.map { band in
                let rows = spectrograms[band.place]
                let first = Int(bounded: Float(frames.lowerBound) / band.frame) * band.rowBins
                let end = Int(bounded: (Float(frames.upperBound) / band.frame).rounded(.up)) * band.rowBins
                return Array(rows[min(first, rows.count)..<min(max(first, end), rows.count)])
            }, hasHeights: hasHeights)
    }

    /// The gain that raises audio of a low mean power to about −30 dBFS, above the analysis floor: a power of 2, so exact.
    private static func gain(_ power: Double) -> Float {
        guard power > 1e-16, power < 2.5e-4 else { return 1 }
        return exp2f((0.5 * log2f(Float(1e-3 / power))).rounded())
    }

    /// The spectrogram of each band, of at most `frames` frames of the middle one.
    func contrasts(most frames: Int) -> [SpectralContrast] {
        Band.all.map { band in
            hasHeights
                ? SpectralContrast(
                    peaks: peaks,
                    rowCount: Int(bounded: (Float(min(frameCount, frames)) / band.frame).rounded(.up)),
                    of: band)
                : SpectralContrast(spectrogram: spectrograms[band.place], of: band)
        }
    }

    var frameCount: Int { Int(bounded: (durationSeconds / FrequencyScale.frameSeconds).rounded(.up)) + 1 }

    /// The query as a signature, which can be stored and matched again.
    public var signature: Signature {
        let contrasts = contrasts(most: .max)
        let peaks =
            hasHeights
            ? self.peaks
            : self.peaks.map { peak in
                let band = peak.band
                let height = contrasts[band.place].height(
                    frame: peak.frames / band.frame, bin: peak.bins / band.bin)
                var measured = peak
                measured.height = height.map { Peak.height(log2: $0) } ?? 0
                return measured
            }
        return Signature(
            peaks: peaks, frameCount: Int(bounded: (durationSeconds * 16_000).rounded()), sampleRate: 16_000,
            keptRanks: Peak.ranks, channelsCancel: channelsCancel, hasHeights: true,
            analysisIdentity: analysisIdentity)
    }
}

/// Audio of a query that may be read several times, block by block.
struct QueryAudio {
    let sampleRate: Int
    let channelCount: Int
    /// How long the audio may be; the header of a file may be wrong.
    let expectedSeconds: Double
    /// The mean power of audio in memory; nil for a file.
    let meanPower: Double?
    /// Passes all blocks, in order.
    let forEachBlock: ((SampleFrames) throws -> Void) throws -> Void

    init(_ audio: AudioBuffer) {
        sampleRate = audio.sampleRate
        channelCount = audio.channelCount
        expectedSeconds = audio.durationSeconds
        meanPower = Accumulator.meanPower(of: audio)
        forEachBlock = { body in try SampleFrames.with(audio, body) }
    }

    /// Takes the file at `path`: each pass decodes it again.
    ///
    /// - Parameters:
    ///   - track: The number of its audio track, from 1; nil for the mean of all.
    ///   - note: Called after each pass with the damage of the file.
    /// - Throws: `AudioFileError` if it cannot be opened, as a pass does.
    init(path: String, track: Int? = nil, noting note: @escaping (AudioDamage?) -> Void = { _ in }) throws {
        let first = try AudioFileReader(path: path, track: track)
        sampleRate = first.sampleRate
        channelCount = first.channelCount
        // At most ten minutes, as memory is reserved for them.
        expectedSeconds = Double(min(max(0, first.expectedFrames), 600 * sampleRate)) / Double(sampleRate)
        meanPower = nil
        let channelCount = channelCount
        forEachBlock = { body in
            let reader = try AudioFileReader(path: path, track: track)
            while try reader.withNextBlock(
                maxFrames: Self.blockFrames, { try SampleFrames($0, channelCount: channelCount).map(body) })
                != nil
            {}
            note(reader.damage)
        }
    }

    /// A multiple of the frames that are mixed at once.
    private static let blockFrames = 4 * Downmix.blockFrames
}
