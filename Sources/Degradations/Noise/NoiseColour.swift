import AudioCore
import SignalProcessing

/// The power of a noise over frequency f.
package enum NoiseColour: String, Codable, Hashable, Sendable, CaseIterable {
    /// Constant.
    case white
    /// 1/f from 20 Hz up, 0 below.
    case pink
    /// 1/f² from 20 Hz up, 0 below.
    case brown

    package static let lowestHertz = 20.0

    /// Normal noise of this colour, without a defined power.
    ///
    /// It is the start of at least one second of noise that is coloured in its spectrum. The shape is therefore exact for
    /// short queries too.
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
