import AudioCore

/// Changes sample rate or speed without delay.
package enum Resampler {
    /// Converts `audio` to `sampleRate`, in hertz; pitch and length in seconds stay.
    ///
    /// The result has `(frameCount · sampleRate / audio.sampleRate).rounded()` frames. The same rate returns the input.
    /// - Throws: ``ResamplerError`` if the rates differ by more than a factor of 256.
    package static func resample(
        _ audio: AudioBuffer, to sampleRate: Int, quality: StreamingResampler.Quality = .best
    ) throws -> AudioBuffer {
        guard sampleRate >= 1 else {
            throw ResamplerError("\(sampleRate) Hz is not a sample rate")
        }
        return try stretch(
            audio, by: sampleRate, over: audio.sampleRate, labelled: sampleRate, quality: quality)
    }

    /// Changes the length of `audio` by `numerator / denominator` at the same nominal rate, which changes its speed.
    ///
    /// At 20/21 the result is 5 % faster and 5 % higher. It has `(frameCount · numerator / denominator).rounded()` frames.
    /// - Throws: ``ResamplerError`` if the ratio is not within 1/256…256.
    package static func resample(
        _ audio: AudioBuffer, lengthRatio numerator: Int, over denominator: Int,
        quality: StreamingResampler.Quality = .best
    ) throws -> AudioBuffer {
        guard numerator >= 1, denominator >= 1 else {
            throw ResamplerError("\(numerator)/\(denominator) is not a ratio above 0")
        }
        return try stretch(
            audio, by: numerator, over: denominator, labelled: audio.sampleRate, quality: quality)
    }

    private static func stretch(
        _ audio: AudioBuffer, by numerator: Int, over denominator: Int, labelled sampleRate: Int,
        quality: StreamingResampler.Quality
    ) throws -> AudioBuffer {
        if numerator == denominator { return audio }
        var resampler = try StreamingResampler(
            ratio: Double(numerator) / Double(denominator), quality: quality)
        return audio.mapChannels(sampleRate: sampleRate) { plane in
            var output: [Float] = []
            resampler.process(plane, into: &output)
            resampler.finish(into: &output)
            return output
        }
    }
}

package struct ResamplerError: Error, CustomStringConvertible, Sendable {
    package let description: String

    init(_ description: String) { self.description = description }
}
