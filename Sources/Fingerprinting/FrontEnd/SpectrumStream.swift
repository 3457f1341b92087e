import AudioCore
import AudioIO
import SignalProcessing

/// Converts audio to rows of power, block by block, in a fixed amount of memory.
///
/// Downmix → decimation to 8 kHz → spectrum. The same audio gives the same rows however it is cut into blocks.
struct SpectrumStream {
    let sampleRate: Int
    private var downmix: Downmix
    private var decimator: Decimator
    private var rows: SpectrumRows

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate outside `Signature.sampleRates`.
    init(
        _ settings: Settings.Analysis, sampleRate: Int, channelCount: Int, fft: FramePairFFT,
        mix: ChannelMix = .mean, gain: Float = 1
    ) throws {
        let rates = Signature.sampleRates
        guard rates.contains(sampleRate) else {
            throw FingerprintingError(
                .unsupportedFormat,
                "a sample rate of \(sampleRate) Hz cannot be analysed, only \(rates.lowerBound)…\(rates.upperBound) Hz"
            )
        }
        self.sampleRate = sampleRate
        downmix = Downmix(channelCount: channelCount, mix: mix, gain: gain)
        decimator = Decimator(inputRate: sampleRate, outputRate: settings.sampleRate)
        rows = SpectrumRows(settings, fft: fft)
    }

    var channelCount: Int { downmix.channelCount }
    var channelsCancel: Bool { downmix.channelsCancel }
    var channelsOppose: Bool { downmix.channelsOppose }
    var frameCount: Int { downmix.frameCount }

    /// Takes the next block and passes on every complete row.
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
                    layout: .planar(base, planeLength: audio.frameCount), channelCount: audio.channelCount,
                    frameCount: audio.frameCount), row)
        }
    }

    /// Takes the next block of a file, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite.
    mutating func append(_ samples: InterleavedSamples, _ row: (UnsafePointer<Float>) -> Void) throws {
        guard let frames = SampleFrames(samples, channelCount: downmix.channelCount) else { return }
        try append(frames, row)
    }

    private mutating func append(_ frames: SampleFrames, _ row: (UnsafePointer<Float>) -> Void) throws {
        try Self.feed(frames, &downmix, &decimator, &rows, row)
    }

    mutating func finish(_ row: (UnsafePointer<Float>) -> Void) throws {
        try Self.flush(&downmix, &decimator, &rows, row)
        decimator.finish(to: &rows.samples)
        rows.finish(row)
    }

    // These take the stages one by one: a closure over `self` would need exclusive access to all of it.

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
