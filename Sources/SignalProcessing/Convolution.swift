import Glibc

/// Linear convolution by the fast Fourier transform.
package enum Convolution {
    /// The full convolution of `signal` with `kernel`: `signal.count + kernel.count − 1` samples, empty if either is.
    ///
    /// Uses overlap-add: Oppenheim and Schafer, "Discrete-Time Signal Processing", section 8.7.3. The shorter operand
    /// sets the block size, so two long signals are fast too. The error is about 1e-6 of the largest sum.
    package static func convolve(_ signal: [Float], _ kernel: [Float]) -> [Float] {
        guard !signal.isEmpty, !kernel.isEmpty else { return [] }
        if kernel.count > signal.count { return convolve(kernel, signal) }
        let length = signal.count + kernel.count - 1
        let size = RealFFT.fastSize(atLeast: min(length, max(4096, 4 * kernel.count)))
        let step = size - kernel.count + 1
        let fft = RealFFT(size: size)
        let filter = Spectrum(of: kernel[...], by: fft)

        var output = [Float](repeating: 0, count: length)
        var block = [Float](repeating: 0, count: size)
        for start in stride(from: 0, to: signal.count, by: step) {
            var spectrum = Spectrum(of: signal[start..<min(start + step, signal.count)], by: fft)
            spectrum.multiply(by: filter)
            spectrum.inverse(into: &block, by: fft)
            let count = min(size, length - start)
            output.withUnsafeMutableBufferPointer { output in
                block.withUnsafeBufferPointer { block in
                    for index in 0..<count { output[start + index] += block[index] }
                }
            }
        }
        return output
    }
}

struct Spectrum {
    private var real: [Float]
    private var imaginary: [Float]

    /// Transforms `samples`, padded with zeros to the transform's size.
    init(of samples: ArraySlice<Float>, by fft: RealFFT) {
        var padded = [Float](repeating: 0, count: fft.size)
        padded.replaceSubrange(0..<samples.count, with: samples)
        real = [Float](repeating: 0, count: fft.binCount)
        imaginary = [Float](repeating: 0, count: fft.binCount)
        fft.forward(padded, real: &real, imaginary: &imaginary)
    }

    /// Multiplies bin by bin: convolution in time.
    mutating func multiply(by other: Spectrum) { combine(with: other, sign: 1) }

    /// Multiplies bin by bin with the conjugate of `other`: correlation in time.
    mutating func multiply(byConjugateOf other: Spectrum) { combine(with: other, sign: -1) }

    /// Transforms back into `output`, whose count must be the transform's size.
    func inverse(into output: inout [Float], by fft: RealFFT) {
        precondition(output.count == fft.size, "\(output.count) samples for a transform of \(fft.size)")
        fft.inverse(real: real, imaginary: imaginary, into: &output)
    }

    /// Divides each bin by its magnitude to a power below 1; a bin of 0 stays 0.
    mutating func whiten(power: Float) {
        for bin in real.indices {
            let square = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
            guard square > 0 else { continue }
            let scale = powf(square, -power / 2)
            real[bin] *= scale
            imaginary[bin] *= scale
        }
    }

    private mutating func combine(with other: Spectrum, sign: Float) {
        let count = real.count
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in
                other.real.withUnsafeBufferPointer { otherReal in
                    other.imaginary.withUnsafeBufferPointer { otherImaginary in
                        for bin in 0..<count {
                            let a = real[bin]
                            let b = imaginary[bin]
                            let c = otherReal[bin]
                            let d = sign * otherImaginary[bin]
                            real[bin] = a * c - b * d
                            imaginary[bin] = a * d + b * c
                        }
                    }
                }
            }
        }
    }
}
