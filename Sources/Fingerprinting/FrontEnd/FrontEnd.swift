import AudioCore
import AudioIO
import SignalProcessing

/// The whole way from audio to ranked peaks, block by block, in a fixed amount of memory.
///
/// Downmix → decimation to 8 kHz → log spectrum → peaks. The same audio gives the same peaks
/// however it is cut into blocks.
struct FrontEnd {
    /// The rates that can be analysed, in hertz.
    static let sampleRates = 1000...768_000

    let sampleRate: Int
    private var downmix: Downmix
    private var decimator: Decimator
    private var rows: SpectrumRows
    private var picker: PeakPicker

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate outside `sampleRates`.
    init(
        _ settings: Settings.Analysis, sampleRate: Int, channelCount: Int, keptRanks: Int, fft: FramePairFFT,
        mix: ChannelMix = .mean, gain: Float = 1, keptRows: Int = 0
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
        // Above the filter's edge a low rate carries nothing but images.
        picker = PeakPicker(
            settings, highestHertz: min(settings.highestHertz, 0.46 * Double(sampleRate)),
            keptRanks: keptRanks,
            keptRows: keptRows)
    }

    /// Whether the mean of the channels lies 20 dB below the channels.
    var channelsCancel: Bool { downmix.channelsCancel }

    /// Whether two channels work against each other.
    var channelsOppose: Bool { downmix.channelsOppose }
    /// The number of sample frames taken.
    var frameCount: Int { downmix.frameCount }
    /// The ranked peaks, once finished.
    var peaks: [Peak] { picker.peaks }
    /// The first rows of the spectrogram, as many as were asked for.
    var spectrogram: [Float] { picker.spectrogram }

    /// Takes the next block.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    mutating func append(_ audio: borrowing AudioBuffer) throws {
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
                    frameCount: audio.frameCount))
        }
    }

    /// Takes the next block of a file, whose rate and channels are those announced.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite.
    mutating func append(_ samples: InterleavedSamples) throws {
        guard let frames = SampleFrames(samples, channelCount: downmix.channelCount) else { return }
        try append(frames)
    }

    private mutating func append(_ frames: SampleFrames) throws {
        try Self.feed(frames, &downmix, &decimator, &rows, &picker)
    }

    /// Ends the audio; `peaks` is then whole.
    mutating func finish() throws {
        try Self.flush(&downmix, &decimator, &rows, &picker)
        decimator.finish(to: &rows.samples)
        Self.finish(&rows, &picker)
        picker.finish()
    }

    // Stages are lent one by one: a closure over `self` would claim all of it.

    private static func feed(
        _ frames: SampleFrames, _ downmix: inout Downmix, _ decimator: inout Decimator,
        _ rows: inout SpectrumRows, _ picker: inout PeakPicker
    ) throws {
        try downmix.append(frames) { mono in
            decimator.append(mono, to: &rows.samples)
            rows.analyse { picker.append(row: $0) }
        }
    }

    private static func flush(
        _ downmix: inout Downmix, _ decimator: inout Decimator, _ rows: inout SpectrumRows,
        _ picker: inout PeakPicker
    ) throws {
        try downmix.finish { mono in
            decimator.append(mono, to: &rows.samples)
            rows.analyse { picker.append(row: $0) }
        }
    }

    private static func finish(_ rows: inout SpectrumRows, _ picker: inout PeakPicker) {
        rows.finish { picker.append(row: $0) }
    }
}
