import AudioCore
import AudioIO
import SignalProcessing

/// The whole way from audio to ranked peaks, block by block, in a fixed amount of memory.
///
/// Rows of power → peaks. The same audio gives the same peaks however it is cut into blocks.
struct FrontEnd {
    private var spectrum: SpectrumStream
    private var picker: PeakPicker

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate outside `SpectrumStream.sampleRates`.
    init(
        _ settings: Settings.Analysis, sampleRate: Int, channelCount: Int, keptRanks: Int, fft: FramePairFFT,
        mix: ChannelMix = .mean, gain: Float = 1, keptRows: Int = 0, measuresHeights: Bool = false
    ) throws {
        spectrum = try SpectrumStream(
            settings, sampleRate: sampleRate, channelCount: channelCount, fft: fft, mix: mix, gain: gain)
        picker = PeakPicker(
            settings, inputRate: sampleRate, keptRanks: keptRanks, keptRows: keptRows,
            measuresHeights: measuresHeights)
    }

    /// The rate in hertz.
    var sampleRate: Int { spectrum.sampleRate }
    /// The number of channels.
    var channelCount: Int { spectrum.channelCount }
    /// Whether the mean of the channels lies 20 dB below the channels.
    var channelsCancel: Bool { spectrum.channelsCancel }
    /// Whether two channels work against each other.
    var channelsOppose: Bool { spectrum.channelsOppose }
    /// The number of sample frames taken.
    var frameCount: Int { spectrum.frameCount }
    /// The ranked peaks, once finished.
    var peaks: [Peak] { picker.peaks }
    /// The first rows of the spectrogram, as many as were asked for.
    var spectrogram: [Float] { picker.spectrogram }

    /// Takes the next block.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    mutating func append(_ audio: borrowing AudioBuffer) throws {
        try Self.append(audio, &spectrum, &picker)
    }

    /// Takes the next block of a file, whose rate and channels are those announced.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite.
    mutating func append(_ samples: InterleavedSamples) throws {
        try Self.append(samples, &spectrum, &picker)
    }

    /// Ends the audio; `peaks` is then whole.
    mutating func finish() throws {
        try Self.finish(&spectrum, &picker)
        picker.finish()
    }

    // Stages are lent one by one: a closure over `self` would claim both.

    private static func append(
        _ audio: borrowing AudioBuffer, _ spectrum: inout SpectrumStream, _ picker: inout PeakPicker
    ) throws {
        try spectrum.append(audio) { picker.append(row: $0) }
    }

    private static func append(
        _ samples: InterleavedSamples, _ spectrum: inout SpectrumStream, _ picker: inout PeakPicker
    ) throws {
        try spectrum.append(samples) { picker.append(row: $0) }
    }

    private static func finish(_ spectrum: inout SpectrumStream, _ picker: inout PeakPicker) throws {
        try spectrum.finish { picker.append(row: $0) }
    }
}
