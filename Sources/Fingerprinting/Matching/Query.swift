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

    /// Analyses audio of any length, rate and number of channels.
    ///
    /// - Throws: `FingerprintingError` for a sample that is not finite, or a rate outside 1000…768,000 Hz.
    public init(_ audio: AudioBuffer, settings: Settings = Settings()) throws {
        try self.init(QueryAudio(audio), settings: settings, mix: .mean)
    }

    init(_ audio: QueryAudio, settings: Settings, mix: ChannelMix) throws {
        let (gain, frameCount) = try Self.gain(for: audio)
        let fft = TransformPool.shared.borrow()
        defer { TransformPool.shared.giveBack(fft) }
        var spectrum = try SpectrumStream(
            settings.analysis, sampleRate: audio.sampleRate, channelCount: audio.channelCount, fft: fft,
            mix: mix, gain: gain)
        var picker = PeakPicker(
            settings.analysis, inputRate: audio.sampleRate, keptRanks: Peak.ranks,
            keptFrames: settings.verification.contrastFrames)
        picker.reserve(seconds: Double(frameCount) / Double(audio.sampleRate))
        try audio.forEachBlock { try spectrum.append($0) { picker.append(row: $1, of: $0) } }
        try spectrum.finish { picker.append(row: $1, of: $0) }
        picker.finish()
        self.init(
            picker, durationSeconds: Double(spectrum.frameCount) / Double(audio.sampleRate),
            channelsCancel: spectrum.channelsCancel,
            channelsOppose: spectrum.channelsOppose, analysisIdentity: settings.analysis.identity)
    }

    init(
        _ picker: PeakPicker, durationSeconds: Double, channelsCancel: Bool = false,
        channelsOppose: Bool = false, analysisIdentity: UInt64
    ) {
        peaks = picker.peaks
        self.durationSeconds = durationSeconds
        self.channelsCancel = channelsCancel
        self.channelsOppose = channelsOppose
        self.analysisIdentity = analysisIdentity
        spectrograms = picker.spectrograms
        hasHeights = false
    }

    /// Takes a signature as a query.
    ///
    /// A signature of detail `.query` matches nearly as well as its audio. One of detail `.reference` matches much less
    /// often: it has no spectrogram and fewer faint peaks. At most one minute of silence at the end counts, because the
    /// length that a file states must not decide how long the search takes.
    public init(_ signature: Signature) {
        peaks = signature.peaks
        durationSeconds = min(signature.durationSeconds, (peaks.last?.timeSeconds ?? 0) + 60)
        channelsCancel = signature.channelsCancel
        channelsOppose = false
        analysisIdentity = signature.analysisIdentity
        spectrograms = Band.all.map { _ in [] }
        hasHeights = signature.hasHeights
    }

    /// The gain that raises quiet audio to about −30 dBFS, above the analysis floor, and the number of frames.
    ///
    /// The gain is a power of 2, so exact.
    private static func gain(for audio: QueryAudio) throws -> (gain: Float, frameCount: Int) {
        var power = 0.0
        var frames = 0
        try audio.forEachBlock { block in
            power += Accumulator.meanPower(of: block) * Double(block.frameCount)
            frames += block.frameCount
        }
        power /= max(Double(frames), 1)
        guard power > 1e-16, power < 2.5e-4 else { return (1, frames) }
        return (exp2f((0.5 * log2f(Float(1e-3 / power))).rounded()), frames)
    }

    /// The spectrogram of each band, of at most `frames` frames of the middle one.
    func contrasts(most frames: Int) -> [SpectralContrast] {
        Band.all.map { band in
            hasHeights
                ? SpectralContrast(
                    peaks: peaks, rowCount: Int((Float(min(frameCount, frames)) / band.frame).rounded(.up)),
                    of: band)
                : SpectralContrast(spectrogram: spectrograms[band.place], of: band)
        }
    }

    var frameCount: Int { Int((durationSeconds / FrequencyScale.frameSeconds).rounded(.up)) + 1 }

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
                return Peak(
                    time: peak.time, frequency: peak.frequency, rank: peak.rank,
                    height: height.map { Peak.height(log2: $0) } ?? 0)
            }
        return Signature(
            peaks: peaks, frameCount: Int((durationSeconds * 16_000).rounded()), sampleRate: 16_000,
            keptRanks: Peak.ranks, channelsCancel: channelsCancel, hasHeights: true,
            analysisIdentity: analysisIdentity)
    }
}

/// Audio of a query that is read several times, block by block.
struct QueryAudio {
    let sampleRate: Int
    let channelCount: Int
    /// Passes all blocks; all but the last have a multiple of 4,096 frames.
    let forEachBlock: ((AudioBuffer) throws -> Void) throws -> Void

    init(_ audio: AudioBuffer) {
        sampleRate = audio.sampleRate
        channelCount = audio.channelCount
        forEachBlock = { try $0(audio) }
    }

    /// Takes the file at `path`: each pass decodes it again.
    ///
    /// - Parameter note: Called after each pass with the damage of the file.
    /// - Throws: `AudioFileError` if it cannot be opened, as a pass does.
    init(path: String, noting note: @escaping (AudioDamage?) -> Void = { _ in }) throws {
        let first = try AudioFileReader(path: path)
        sampleRate = first.sampleRate
        channelCount = first.channelCount
        forEachBlock = { body in
            let reader = try AudioFileReader(path: path)
            while let block = try reader.read(maxFrames: 65_536) { try body(block) }
            note(reader.damage)
        }
    }
}
