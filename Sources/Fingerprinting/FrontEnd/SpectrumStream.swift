import AudioCore
import AudioIO
import SignalProcessing

/// From audio to rows of power, block by block, in a fixed amount of memory.
///
/// Downmix → decimation to 8 kHz → spectrum. The same audio gives the same rows however it is cut into blocks.
struct SpectrumStream {
    /// The rates that can be analysed, in hertz.
    static let sampleRates = 1000...768_000

    let sampleRate: Int
    private var downmix: Downmix
    private var decimator: Decimator
    private var rows: SpectrumRows

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate outside `sampleRates`.
    init(
        _ settings: Settings.Analysis, sampleRate: Int, channelCount: Int, fft: FramePairFFT,
        mix: ChannelMix = .mean, gain: Float = 1
    ) throws {
        guard Self.sampleRates.contains(sampleRate) else {
            throw FingerprintingError(
                .unsupportedFormat,
                "a sample rate of \(sampleRate) Hz cannot be analysed, only "
                    + "\(Self.sampleRates.lowerBound)…\(Self.sampleRates.upperBound) Hz")
        }
        self.sampleRate = sampleRate
        downmix = Downmix(channelCount: channelCount, mix: mix, gain: gain)
        decimator = Decimator(inputRate: sampleRate, outputRate: settings.sampleRate)
        rows = SpectrumRows(settings, fft: fft)
    }

    /// The number of channels.
    var channelCount: Int { downmix.channelCount }
    /// Whether the mean of the channels lies 20 dB below the channels.
    var channelsCancel: Bool { downmix.channelsCancel }
    /// Whether two channels work against each other.
    var channelsOppose: Bool { downmix.channelsOppose }
    /// The number of sample frames taken.
    var frameCount: Int { downmix.frameCount }

    /// Takes the next block and hands on every row that is whole by now.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    mutating func append(_ audio: borrowing AudioBuffer, _ row: (UnsafePointer<Float>) -> Void) throws {
        guard audio.sampleRate == sampleRate, audio.channelCount == downmix.channelCount else {
            throw FingerprintingError(
                .unsupportedFormat,
                "audio changed from \(downmix.channelCount) channels at \(sampleRate) Hz to \(audio.channelCount)"
                    + " at \(audio.sampleRate) Hz")
        }
        try audio.samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            try append(
                SampleFrames(
                    .planar(base, planeLength: audio.frameCount), channelCount: audio.channelCount,
                    frameCount: audio.frameCount), row)
        }
    }

    /// Takes the next block of a file, whose rate and channels are those announced.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite.
    mutating func append(_ samples: InterleavedSamples, _ row: (UnsafePointer<Float>) -> Void) throws {
        guard let frames = SampleFrames(samples, channelCount: downmix.channelCount) else { return }
        try append(frames, row)
    }

    private mutating func append(_ frames: SampleFrames, _ row: (UnsafePointer<Float>) -> Void) throws {
        try Self.feed(frames, &downmix, &decimator, &rows, row)
    }

    /// Ends the audio and hands on the rows that reach beyond it.
    mutating func finish(_ row: (UnsafePointer<Float>) -> Void) throws {
        try Self.flush(&downmix, &decimator, &rows, row)
        decimator.finish(to: &rows.samples)
        rows.finish(row)
    }

    // Stages are lent one by one: a closure over `self` would claim all of it.

    private static func feed(
        _ frames: SampleFrames, _ downmix: inout Downmix, _ decimator: inout Decimator,
        _ rows: inout SpectrumRows, _ row: (UnsafePointer<Float>) -> Void
    ) throws {
        try downmix.append(frames) { mono in
            decimator.append(mono, to: &rows.samples)
            rows.analyse { row($0) }
        }
    }

    private static func flush(
        _ downmix: inout Downmix, _ decimator: inout Decimator, _ rows: inout SpectrumRows,
        _ row: (UnsafePointer<Float>) -> Void
    ) throws {
        try downmix.finish { mono in
            decimator.append(mono, to: &rows.samples)
            rows.analyse { row($0) }
        }
    }
}
