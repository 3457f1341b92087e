import AudioCore
import AudioIO

extension AudioBuffer {
    /// Errors are at −121 dB, below the steps of 16 bits; it takes a quarter of the time of the best filter.
    private static let quality = StreamingResampler.Quality.medium

    /// The same sound at another rate.
    func resampled(to sampleRate: Int) throws -> AudioBuffer {
        try resampled { try Resampler.resample(self, to: sampleRate, quality: Self.quality) }
    }

    /// `numerator / denominator` times as many samples at the same nominal rate.
    func resampled(lengthRatio numerator: Int, over denominator: Int) throws -> AudioBuffer {
        try resampled {
            try Resampler.resample(self, lengthRatio: numerator, over: denominator, quality: Self.quality)
        }
    }

    private func resampled(by convert: () throws -> AudioBuffer) throws -> AudioBuffer {
        let result: AudioBuffer
        do {
            result = try convert()
        } catch let error as ResamplerError {
            throw DegradationError(.unsuitableAudio, error.description)
        }
        guard !result.isEmpty else {
            throw DegradationError(
                .unsuitableAudio, "resampling leaves nothing of \(frameCount) frames at \(sampleRate) Hz")
        }
        return result
    }
}
