import AudioCore
import Fingerprinting

/// Makes a signature of audio buffers or of a whole asset.
///
/// It accepts whole sample rates of 1,000 to 768,000 Hz. Channels are averaged; while they cancel, half the
/// difference of two or the first of more is taken. Memory grows only with the signature. Not thread-safe.
public class SHSignatureGenerator: NSObject {
    private var extractor: SignatureExtractor?
    private var continuity = AudioContinuity()

    /// Makes a generator without audio.
    public override init() {}

    /// Appends audio.
    ///
    /// The first buffer sets sample rate and channel count. Times are checked for gaps to within 10 ms (host
    /// times: 100 ms). Without a time the buffer counts as contiguous. A buffer that throws does not count.
    ///
    /// - Throws: `SHError` 100 if rate or channels change or the rate is not supported. Code 101 if there is
    ///   a gap or overlap. Code 200 if a sample is not finite.
    public func append(_ buffer: AVAudioPCMBuffer, at time: AVAudioTime?) throws {
        let audio = try buffer.samples()
        var extractor = try extractor ?? Self.extractor(of: audio)
        guard audio.sampleRate == extractor.sampleRate, audio.channelCount == extractor.channelCount else {
            throw SHError(
                .invalidAudioFormat,
                message:
                    "the audio changed from \(extractor.channelCount) channels at \(extractor.sampleRate) Hz"
                    + " to \(audio.channelCount) at \(audio.sampleRate) Hz")
        }
        guard audio.samples.allSatisfy(\.isFinite) else {
            throw SHError(.signatureInvalid, message: "a sample of the audio is not a finite number")
        }
        try continuity.append(seconds: audio.durationSeconds, at: time)
        // Avoids a copy on write.
        self.extractor = nil
        defer { self.extractor = extractor }
        try SHError.mapping(to: .signatureInvalid) { try extractor.append(audio) }
    }

    /// The signature of all audio so far; more may follow.
    ///
    /// Without audio, or with silence only, it has no peaks.
    public func signature() -> SHSignature {
        var copy = extractor
        if let signature = try? copy?.finish() { return SHSignature(signature) }
        return SHSignature(Signature.ofNothing())
    }

    /// Makes the signature of an asset; several tracks are averaged.
    /// - Throws: `SHError` 200 if the asset is unreadable, damaged, has no audio, is silent or lasts less than
    ///   about 0.1 s. Code 100 if its rate is not supported. To use a damaged file, read it with
    ///   ``AVAudioFile`` and append its buffers.
    public class func signature(from asset: AVAsset) async throws -> SHSignature {
        try await onBlockingThread { try signature(reading: asset) }
    }

    /// Makes the signature of an asset, apart from the audio that was appended.
    /// - Throws: The errors of the class method.
    @available(*, deprecated, message: "call SHSignatureGenerator.signature(from:)")
    public func signature(from asset: AVAsset) async throws -> SHSignature {
        try await Self.signature(from: asset)
    }

    /// Makes the signature of an asset and passes it or an error to `completionHandler`, on another thread.
    ///
    /// ``signature(from:)`` lists the errors.
    public class func generateSignature(
        from asset: AVAsset, completionHandler: @escaping @Sendable (SHSignature?, (any Error)?) -> Void
    ) {
        DispatchQueue.global(qos: .userInitiated).async {
            do {
                completionHandler(try signature(reading: asset), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    private static func signature(reading asset: AVAsset) throws -> SHSignature {
        var extractor: SignatureExtractor?
        let signature = try SHError.mapping(to: .signatureInvalid) {
            try asset.readAudio { audio in
                if extractor == nil { extractor = try Self.extractor(of: audio) }
                try extractor?.append(audio)
            }
            return try extractor?.finish()
        }
        guard let signature, !signature.peaks.isEmpty else {
            throw SHError(
                .signatureInvalid,
                message:
                    "the \(signature?.durationSeconds ?? 0) s of audio are silent or too short for a signature"
            )
        }
        return SHSignature(signature)
    }

    private static func extractor(of audio: AudioBuffer) throws -> SignatureExtractor {
        try SHError.mapping(to: .invalidAudioFormat) {
            try SignatureExtractor(
                sampleRate: audio.sampleRate, channelCount: audio.channelCount, detail: .query)
        }
    }
}
