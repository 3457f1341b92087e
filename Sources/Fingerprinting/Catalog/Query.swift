import AudioCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A query that has been analysed and can be looked up in any number of catalogs.
public struct Query: Sendable {
    /// Peaks that fewer than this many neighbours outrank are kept: all that can tell.
    static let keptRanks = 16

    /// The peaks, by time.
    public let peaks: [Peak]
    /// The length in seconds.
    public let durationSeconds: Double
    /// Whether the channels all but cancel in their mean.
    public let channelsCancel: Bool
    /// Whether two channels have more power in their difference than in their mean.
    let channelsOppose: Bool
    let analysisIdentity: UInt64
    let spectrogram: [Float]
    /// Whether peaks have heights, to stand in for the spectrogram.
    let hasHeights: Bool

    /// Analyses audio of any length, rate and number of channels.
    ///
    /// - Throws: `FingerprintingError` for a sample that is not finite, or a rate outside 1000…768,000 Hz.
    public init(_ audio: AudioBuffer, settings: Settings = Settings()) throws {
        try self.init(audio, settings: settings, mix: .mean)
    }

    /// Analyses what `mix` makes of the channels.
    init(_ audio: AudioBuffer, settings: Settings, mix: ChannelMix) throws {
        let fft = TransformPool.shared.borrow()
        defer { TransformPool.shared.giveBack(fft) }
        var frontEnd = try FrontEnd(
            settings.analysis, sampleRate: audio.sampleRate, channelCount: audio.channelCount,
            keptRanks: Self.keptRanks, fft: fft,
            mix: mix, gain: Self.gain(for: audio), keptRows: settings.verification.contrastFrames)
        try frontEnd.append(audio)
        try frontEnd.finish()
        peaks = frontEnd.peaks
        durationSeconds = audio.durationSeconds
        channelsCancel = frontEnd.channelsCancel
        channelsOppose = frontEnd.channelsOppose
        analysisIdentity = settings.analysis.identity
        spectrogram = frontEnd.spectrogram
        hasHeights = false
    }

    /// Takes peaks and rows of a stream.
    init(_ picker: PeakPicker, durationSeconds: Double, analysisIdentity: UInt64) {
        peaks = picker.peaks
        self.durationSeconds = durationSeconds
        channelsCancel = false
        channelsOppose = false
        self.analysisIdentity = analysisIdentity
        spectrogram = picker.spectrogram
        hasHeights = false
    }

    /// Takes a signature as a query.
    ///
    /// A signature of detail `.query` finds nearly what its audio does, one of detail `.reference` much less: the
    /// spectrogram is missing, and fainter peaks. Of silence at the end no more than a
    /// minute counts: what a file says of its length must not decide how long the search takes.
    public init(_ signature: Signature) {
        peaks = signature.peaks
        durationSeconds = min(signature.durationSeconds, (peaks.last?.timeSeconds ?? 0) + 60)
        channelsCancel = signature.channelsCancel
        channelsOppose = false
        analysisIdentity = signature.analysisIdentity
        spectrogram = []
        hasHeights = signature.hasHeights
    }

    /// What brings quiet audio up to about −30 dBFS, clear of the analysis floor; a power of 2, so exact.
    private static func gain(for audio: AudioBuffer) -> Float {
        let power = Accumulator.meanPower(of: audio)
        guard power > 1e-16, power < 2.5e-4 else { return 1 }
        return exp2f((0.5 * log2f(Float(1e-3 / power))).rounded())
    }

    /// The number of frames of 32 ms.
    var frameCount: Int { Int((durationSeconds / FrequencyScale.frameSeconds).rounded(.up)) + 1 }
}
