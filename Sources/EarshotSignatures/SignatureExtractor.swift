import AudioCore
import Signatures

/// Makes a signature of audio that arrives in blocks of any size.
///
/// Only the memory of the peaks grows with the audio. The same audio gives the same signature however it is cut.
public struct SignatureExtractor {
    private static let transforms = TransformPool(StockhamTransform.self)
    private var extractor: Signatures.SignatureExtractor

    /// Starts a signature of audio with the given rate in hertz and number of channels.
    ///
    /// - Throws: `FingerprintingError` for a rate outside 1000…768,000 Hz.
    public init(
        sampleRate: Int, channelCount: Int, settings: Settings = Settings(),
        detail: Signature.Detail = .reference
    ) throws {
        extractor = try Signatures.SignatureExtractor(
            sampleRate: sampleRate, channelCount: channelCount, settings: settings, detail: detail,
            fft: FramePairFFT(size: settings.analysis.windowSize, transform: StockhamTransform.self))
    }

    /// Takes the next block, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` for another format, or a sample that is not a finite number.
    public mutating func append(_ audio: AudioBuffer) throws { try extractor.append(audio) }

    /// Takes the next block of interleaved samples, which must have the announced rate and channels.
    ///
    /// - Throws: `FingerprintingError` when a sample is not a finite number.
    public mutating func append(_ samples: InterleavedSamples) throws { try extractor.append(samples) }

    /// Ends the audio; append nothing afterwards.
    public mutating func finish() throws -> Signature { try extractor.finish() }

    /// The signature of audio in memory.
    public static func signature(
        of audio: AudioBuffer, settings: Settings = Settings(), detail: Signature.Detail = .reference
    ) throws -> Signature {
        try Signatures.SignatureExtractor.signature(
            of: audio, settings: settings, detail: detail, transforms: transforms)
    }
}
