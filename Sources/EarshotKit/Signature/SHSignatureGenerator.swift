import AudioCore
import AudioIO
import Fingerprinting

/// Makes a signature of audio that arrives in buffers, or of a whole asset.
///
/// Any sample rate of 1,000 … 768,000 whole hertz and any number of channels will do; the channels are mixed. Memory does
/// not grow with the audio but for the signature itself. Not safe to use from two threads at once.
public class SHSignatureGenerator: NSObject {
    private var extractor: SignatureExtractor?
    private var continuity = AudioContinuity()

    /// Starts without audio.
    public override init() {}

    /// Adds audio behind that which came before.
    ///
    /// The first buffer fixes sample rate and number of channels. With times the audio is checked for gaps, as far as
    /// 10 ms can be told (100 ms for host times); without, it is taken to be contiguous. When an error is thrown the
    /// buffer does not count.
    ///
    /// - Throws: `SHError` 100 when the rate cannot be used, or rate or channels differ from the first buffer's; 101 when
    ///   the time is not where the audio before ends; 200 when a sample is not a finite number.
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
        // The generator lets go of it first: audio is never copied for two owners.
        self.extractor = nil
        defer { self.extractor = extractor }
        try SHError.mapping(to: .signatureInvalid) { try extractor.append(audio) }
    }

    /// The signature of all audio so far; more may follow.
    ///
    /// Silence, and no audio at all, have signatures without peaks.
    public func signature() -> SHSignature {
        var copy = extractor
        if let signature = try? copy?.finish() { return SHSignature(signature) }
        return SHSignature(Signature.ofNothing())
    }

    /// The signature of all the audio of an asset; several tracks are mixed to one.
    ///
    /// - Throws: `SHError` 200 when the asset cannot be read or has no audio, or when that is silent or shorter than
    ///   about 0.1 s; 100 when its rate cannot be used.
    public class func signature(from asset: AVAsset) async throws -> SHSignature {
        try await withCheckedThrowingContinuation { continuation in
            generateSignature(from: asset) { signature, error in
                if let signature {
                    continuation.resume(returning: signature)
                } else {
                    continuation.resume(throwing: error ?? SHError(.internalError))
                }
            }
        }
    }

    /// The signature of all the audio of an asset, given to `completionHandler` on another thread.
    ///
    /// The handler is called once, with a signature or with an error: those of `signature(from:)`.
    public class func generateSignature(
        from asset: AVAsset,
        completionHandler: @escaping @Sendable (SHSignature?, (any Error)?) -> Void
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
