import AudioCore
import SignalProcessing
@_exported import Signatures

// The engine's Fourier transform is FFTW's.

extension SplitFFT: ComplexTransform {}

extension FramePairFFT {
    /// Prepares transforms of `size` samples, a multiple of 8 and at least 16.
    package convenience init(size: Int) { self.init(size: size, transform: SplitFFT.self) }
}

extension TransformPool {
    static let shared = TransformPool(SplitFFT.self)
}

extension SignatureExtractor {
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

    /// The signature of audio in memory.
    public static func signature(
        of audio: AudioBuffer, settings: Settings = Settings(), detail: Signature.Detail = .reference
    ) throws -> Signature {
        try signature(of: audio, settings: settings, detail: detail, transforms: .shared)
    }
}
