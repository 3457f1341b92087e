import AudioCore
import SignalProcessing

/// How the power of a noise is spread over frequency f.
public enum NoiseColour: String, Codable, Hashable, Sendable, CaseIterable {
    /// Even power.
    case white
    /// Power as 1/f from 20 Hz up, nothing below.
    case pink
    /// Power as 1/f² from 20 Hz up, nothing below.
    case brown

    /// Below this frequency in hertz, pink and brown noise hold nothing.
    public static let lowestHertz = 20.0

    /// Normal noise of this colour, not yet brought to a power.
    ///
    /// Coloured in the spectrum of at least one second, so that the shape is exact also for short
    /// queries; from that stretch the first `frameCount` samples are taken.
    func samples(_ frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator) -> [Float] {
        if self == .white { return GaussianNoise.samples(frameCount, using: &generator) }
        let size = RealFFT.fastSize(atLeast: max(frameCount, sampleRate, 2))
        let fft = RealFFT(size: size)
        var real = GaussianNoise.samples(fft.binCount, using: &generator)
        var imaginary = GaussianNoise.samples(fft.binCount, using: &generator)
        let hertzPerBin = Double(sampleRate) / Double(size)
        for bin in 0..<fft.binCount {
            let hertz = Double(bin) * hertzPerBin
            var weight = 0.0
            if hertz >= Self.lowestHertz {
                weight = self == .pink ? (1 / hertz).squareRoot() : 1 / hertz
            }
            real[bin] *= Float(weight)
            imaginary[bin] *= Float(weight)
        }
        // The bin at half the sample rate has no phase.
        if size.isMultiple(of: 2) { imaginary[fft.binCount - 1] = 0 }
        var samples = [Float](repeating: 0, count: size)
        fft.inverse(real: real, imaginary: imaginary, into: &samples)
        return Array(samples[..<frameCount])
    }
}
