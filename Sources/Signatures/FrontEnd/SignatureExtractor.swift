import AudioCore

/// Makes a signature of audio that arrives in blocks of any size.
///
/// Only the memory of the peaks grows with the audio. The same audio gives the same signature however it is cut.
/// It analyses the mean of the channels. While that cancels, it analyses half the difference of two channels, or the first
/// of more.
///
/// ```swift
/// var extractor = try SignatureExtractor(sampleRate: 44_100, channelCount: 2)
/// while try reader.withNextBlock(maxFrames: 16_384, { try extractor.append($0) }) != nil {}
/// let signature = try extractor.finish()
/// ```
public struct SignatureExtractor {
    private var spectrum: SpectrumStream
    private var picker: PeakPicker
    private let keptRanks: Int
    private let detail: Signature.Detail
    private let analysisIdentity: UInt64

    package init(
        sampleRate: Int, channelCount: Int, settings: Settings, detail: Signature.Detail, fft: FramePairFFT
    ) throws {
        self.detail = detail
        keptRanks =
            switch detail {
            case .reference: min(max(settings.analysis.referenceRank, 1), Peak.ranks)
            case .query: Peak.ranks
            }
        analysisIdentity = settings.analysis.identity
        spectrum = try SpectrumStream(
            settings.analysis, sampleRate: sampleRate, channelCount: channelCount, fft: fft, mix: .audible)
        picker = PeakPicker(
            settings.analysis, inputRate: sampleRate, keptRanks: keptRanks, measuresHeights: detail == .query)
    }

    package var sampleRate: Int { spectrum.sampleRate }
    package var channelCount: Int { spectrum.channelCount }

    /// Takes the next block, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` for another format, or a sample that is not a finite number.
    public mutating func append(_ audio: AudioBuffer) throws {
        try Self.append(audio, &spectrum, &picker)
    }

    /// Takes the next block of a file, as its reader lends it, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` when a sample is not a finite number.
    public mutating func append(_ samples: InterleavedSamples) throws {
        try Self.append(samples, &spectrum, &picker)
    }

    /// Ends the audio; append nothing afterwards.
    public mutating func finish() throws -> Signature {
        try Self.finish(&spectrum, &picker)
        return Signature(
            peaks: picker.peaks, frameCount: spectrum.frameCount, sampleRate: spectrum.sampleRate,
            keptRanks: keptRanks, channelsCancel: spectrum.channelsCancel, hasHeights: detail == .query,
            analysisIdentity: analysisIdentity)
    }

    // These take the stages one by one: a closure over `self` would need exclusive access to both.

    private static func append(
        _ audio: AudioBuffer, _ spectrum: inout SpectrumStream, _ picker: inout PeakPicker
    ) throws {
        try spectrum.append(audio) { picker.append(row: $1, of: $0) }
    }

    private static func append(
        _ samples: InterleavedSamples, _ spectrum: inout SpectrumStream, _ picker: inout PeakPicker
    ) throws {
        try spectrum.append(samples) { picker.append(row: $1, of: $0) }
    }

    private static func finish(_ spectrum: inout SpectrumStream, _ picker: inout PeakPicker) throws {
        try spectrum.finish { picker.append(row: $1, of: $0) }
        picker.finish()
    }

    package static func signature(
        of audio: AudioBuffer, settings: Settings, detail: Signature.Detail, transforms: TransformPool
    ) throws -> Signature {
        let fft = transforms.borrow()
        defer { transforms.giveBack(fft) }
        var extractor = try SignatureExtractor(
            sampleRate: audio.sampleRate, channelCount: audio.channelCount, settings: settings,
            detail: detail, fft: fft)
        try extractor.append(audio)
        return try extractor.finish()
    }
}
