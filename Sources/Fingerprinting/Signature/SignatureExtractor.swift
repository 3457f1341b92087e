import AudioCore
import AudioIO
import SignalProcessing

/// Makes a signature of audio that arrives in blocks of any size.
///
/// Memory does not grow with the audio but for the peaks themselves; the same audio gives the
/// same signature however it is cut.
///
/// ```swift
/// var extractor = try SignatureExtractor(sampleRate: 44_100, channelCount: 2)
/// while try reader.withNextBlock(maxFrames: 16_384, { try extractor.append($0) }) != nil {}
/// let signature = try extractor.finish()
/// ```
public struct SignatureExtractor {
    private var frontEnd: FrontEnd
    private let keptRanks: Int
    private let detail: Signature.Detail
    private let analysisIdentity: UInt64

    /// Starts a signature of audio with the given rate in hertz and number of channels.
    ///
    /// - Throws: `FingerprintingError` for a rate outside 1000…768,000 Hz.
    public init(
        sampleRate: Int, channelCount: Int, settings: Settings = Settings(),
        detail: Signature.Detail = .reference
    ) throws {
        try self.init(
            sampleRate: sampleRate, channelCount: channelCount, settings: settings, detail: detail,
            fft: FramePairFFT(size: settings.analysis.windowSize))
    }

    private init(
        sampleRate: Int, channelCount: Int, settings: Settings, detail: Signature.Detail, fft: FramePairFFT
    ) throws {
        self.detail = detail
        keptRanks =
            switch detail {
            case .reference: min(max(settings.analysis.referenceRank, 1), Query.keptRanks)
            case .query: Query.keptRanks
            }
        analysisIdentity = settings.analysis.identity
        frontEnd = try FrontEnd(
            settings.analysis, sampleRate: sampleRate, channelCount: channelCount, keptRanks: keptRanks,
            fft: fft, measuresHeights: detail == .query)
    }

    /// The sample rate that was announced, in hertz.
    package var sampleRate: Int { frontEnd.sampleRate }
    /// The number of channels that was announced.
    package var channelCount: Int { frontEnd.channelCount }

    /// Takes the next block; its rate and channels must be those announced.
    ///
    /// - Throws: `FingerprintingError` when they are not, or a sample is not a finite number.
    public mutating func append(_ audio: AudioBuffer) throws { try frontEnd.append(audio) }

    /// Takes the next block of a file, as its reader lends it; its rate and channels must be those announced.
    ///
    /// - Throws: `FingerprintingError` when a sample is not a finite number.
    public mutating func append(_ samples: InterleavedSamples) throws { try frontEnd.append(samples) }

    /// Ends the audio; nothing may be appended afterwards.
    public mutating func finish() throws -> Signature {
        try frontEnd.finish()
        return Signature(
            peaks: frontEnd.peaks, frameCount: frontEnd.frameCount, sampleRate: frontEnd.sampleRate,
            keptRanks: keptRanks, channelsCancel: frontEnd.channelsCancel, hasHeights: detail == .query,
            analysisIdentity: analysisIdentity)
    }

    /// The signature of an audio file, read block by block.
    ///
    /// - Throws: `AudioFileError` or `FingerprintingError`.
    static func signature(
        of reader: AudioFileReader, settings: Settings, detail: Signature.Detail
    ) throws -> Signature {
        let fft = TransformPool.shared.borrow()
        defer { TransformPool.shared.giveBack(fft) }
        var extractor = try SignatureExtractor(
            sampleRate: reader.sampleRate, channelCount: reader.channelCount, settings: settings,
            detail: detail, fft: fft)
        while try reader.withNextBlock(maxFrames: blockFrames, { try extractor.append($0) }) != nil {}
        return try extractor.finish()
    }

    /// Whole blocks of the downmix, few enough to stay in the second-level cache.
    private static let blockFrames = 4 * Downmix.blockFrames

    /// The signature of audio held in memory.
    public static func signature(
        of audio: AudioBuffer, settings: Settings = Settings(), detail: Signature.Detail = .reference
    ) throws -> Signature {
        let fft = TransformPool.shared.borrow()
        defer { TransformPool.shared.giveBack(fft) }
        var extractor = try SignatureExtractor(
            sampleRate: audio.sampleRate, channelCount: audio.channelCount, settings: settings,
            detail: detail, fft: fft)
        try extractor.append(audio)
        return try extractor.finish()
    }
}

extension Settings.Analysis {
    /// A number that is equal for analyses whose peaks may be compared.
    public var identity: UInt64 {
        var hash = StableHash()
        hash.combine("peaks 2")
        for number in [
            Double(sampleRate), Double(windowSize), Double(hopSize), Double(neighbourBins),
            Double(neighbourFrames),
            lowestHertz, highestHertz, Double(silencePower), Double(envelopeWeight), Double(envelopeFrames),
            Double(rankFrames), Double(rankOctaves),
        ] {
            hash.combine(number.bitPattern)
        }
        return hash.value
    }
}
