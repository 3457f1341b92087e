internal import CFFTW

/// The discrete Fourier transform of real signals of one length.
///
/// An instance owns its FFTW plans and buffers. Use it on one thread at a time. Plans are made with `FFTW_ESTIMATE`, so
/// the same input gives the same bits in every run.
package final class RealFFT {
    /// The number of samples in the time domain, at least 1.
    package let size: Int
    /// The number of frequency bins from 0 to half the sample rate, both included.
    package var binCount: Int { size / 2 + 1 }

    private let time: UnsafeMutablePointer<Float>
    private let spectrum: UnsafeMutablePointer<fftwf_complex>
    private let forwardPlan: PlanHandle
    private let inversePlan: PlanHandle

    /// Prepares transforms of `size` samples, at least 1; products of 2, 3 and 5 are fast.
    package init(size: Int) {
        precondition(size >= 1 && size <= Int(Int32.max), "no transform of \(size) samples")
        guard let time = fftwf_alloc_real(size), let spectrum = fftwf_alloc_complex(size / 2 + 1) else {
            preconditionFailure("no memory for a transform of \(size) samples")
        }
        self.size = size
        self.time = time
        self.spectrum = spectrum
        forwardPlan = PlanHandle(forwardOfSize: size, time: time, spectrum: spectrum)
        inversePlan = PlanHandle(inverseOfSize: size, time: time, spectrum: spectrum)
    }

    deinit {
        forwardPlan.destroy()
        inversePlan.destroy()
        fftwf_free(time)
        fftwf_free(spectrum)
    }

    /// Transforms `size` samples into `binCount` real and imaginary parts, X[k] = Σ x[n]·exp(−2πikn/size).
    package func forward(
        _ input: UnsafePointer<Float>, real: UnsafeMutablePointer<Float>,
        imaginary: UnsafeMutablePointer<Float>
    ) {
        time.update(from: input, count: size)
        fftwf_execute(forwardPlan.pointer)
        for bin in 0..<binCount {
            real[bin] = spectrum[bin].0
            imaginary[bin] = spectrum[bin].1
        }
    }

    /// Transforms `size` samples into the squared magnitudes |X[k]|² of `binCount` bins, unscaled.
    package func power(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>) {
        time.update(from: input, count: size)
        fftwf_execute(forwardPlan.pointer)
        for bin in 0..<binCount {
            let (real, imaginary) = spectrum[bin]
            output[bin] = real * real + imaginary * imaginary
        }
    }

    /// Transforms `binCount` bins back into `size` samples, scaled by 1/size; the inverse of `forward`.
    package func inverse(
        real: UnsafePointer<Float>, imaginary: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
    ) {
        for bin in 0..<binCount { spectrum[bin] = (real[bin], imaginary[bin]) }
        fftwf_execute(inversePlan.pointer)
        let scale = 1 / Float(size)
        for index in 0..<size { output[index] = time[index] * scale }
    }

    /// The smallest product of 2, 3 and 5 that is at least `count`, which is fast to transform.
    package static func fastSize(atLeast count: Int) -> Int {
        var best = 1
        while best < count { best *= 2 }
        var fives = 1
        while fives < best {
            var threes = fives
            while threes < best {
                var candidate = threes
                while candidate < count { candidate *= 2 }
                best = min(best, candidate)
                threes *= 3
            }
            fives *= 5
        }
        return best
    }
}
