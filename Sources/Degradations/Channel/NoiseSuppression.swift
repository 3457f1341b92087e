import AudioCore
internal import CSpeexDSP
import Foundation

/// Suppresses noise as a telephone's microphone does, which also takes quiet parts of music.
///
/// The suppressor of SpeexDSP lowers what it takes for noise by at most `suppressionDecibels` 0…60 dB. It learns the noise
/// from the start of the query on. It works on 16 bits in frames of 20 ms, channel by channel, and its output is one frame
/// late. It needs 8 kHz at least. Audio above 48 kHz is resampled to that rate, and a peak above full scale is scaled.
/// Stores the change of the level as `levelChangeDecibels`.
///
/// Y. Ephraim, D. Malah, "Speech enhancement using a minimum mean-square error log-spectral amplitude estimator", IEEE
/// Transactions on Acoustics, Speech, and Signal Processing 33, 1985.
package struct NoiseSuppression: Degradation {
    package static let name = "noiseSuppression"
    package static let parameters = [
        Parameter(
            "suppressionDecibels", .integer(0...60), ifAbsent: .value(15),
            milder: .down(to: 0, by: .difference(1)))
    ]

    private static let frameSeconds = 0.02
    private static let sampleRates = 8000...48_000

    package var suppressionDecibels: Int

    package init(suppressionDecibels: Int = 15) { self.suppressionDecibels = suppressionDecibels }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        guard clip.audio.sampleRate >= Self.sampleRates.lowerBound else {
            throw DegradationError.unsuitable(
                "\(Self.name): \(clip.audio.sampleRate) Hz; telephones have at least \(Self.sampleRates.lowerBound) Hz"
            )
        }
        try clip.resample(to: min(clip.audio.sampleRate, Self.sampleRates.upperBound))
        clip.scaleToFullScale()
        let length = Int(bounded: Self.frameSeconds * Double(clip.audio.sampleRate))
        let before = clip.audio.meanPower
        let frames = clip.audio.frameCount
        // What is still inside at the end comes out with silence.
        let padded = clip.audio.excerpt(from: 0, count: (frames + 2 * length - 1) / length * length)
        let audio = try padded.mapChannels {
            try Suppressor(frameLength: length, sampleRate: padded.sampleRate, decibels: suppressionDecibels)
                .output(for: $0)
        }
        clip.replace(
            with: audio.excerpt(from: 0, count: frames + length),
            delaySeconds: Double(length) / Double(clip.audio.sampleRate))
        guard before > 0 else { return }
        clip.measurements["levelChangeDecibels"] = Decibels.fromPowerRatio(
            max(clip.audio.meanPower * Double(frames + length) / Double(frames), 1e-12) / before)
    }
}

/// The owner of a suppressor of one channel.
private final class Suppressor {
    private let state: OpaquePointer
    private let frameLength: Int

    init(frameLength: Int, sampleRate: Int, decibels: Int) throws {
        guard let state = speex_preprocess_state_init(Int32(frameLength), Int32(sampleRate)) else {
            throw POSIXError(.ENOMEM)
        }
        self.state = state
        self.frameLength = frameLength
        var (on, level): (Int32, Int32) = (1, Int32(-decibels))
        speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_DENOISE, &on)
        speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, &level)
    }

    deinit { speex_preprocess_state_destroy(state) }

    /// The output for whole frames.
    func output(for plane: UnsafeBufferPointer<Float>) -> [Float] {
        var samples = plane.map { Int16(bounded: ($0 * 32_768).rounded()) }
        samples.withUnsafeMutableBufferPointer { samples in
            for start in stride(from: 0, to: samples.count, by: frameLength) {
                speex_preprocess_run(state, samples.baseAddress! + start)
            }
        }
        return samples.map { Float($0) / 32_768 }
    }
}
