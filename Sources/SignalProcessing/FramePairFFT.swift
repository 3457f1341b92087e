/// The power spectra of two overlapping frames of a real signal, by one complex transform.
///
/// One frame is the real part and the other the imaginary part. The symmetry of real signals separates their spectra:
/// Brigham, "The Fast Fourier Transform and its Applications", section 9.3.
/// FFTW's complex transforms use wider vectors than its real ones, so a frame costs about 0.4 times as much. The
/// rounding errors of both frames are about 10⁻⁷ of the stronger one.
///
/// An instance owns its transform. Use it on one thread at a time.
package final class FramePairFFT {
    /// The number of samples of a frame, a multiple of 8.
    package let size: Int

    private let transform: ComplexTransform
    private var frames: SplitPlanes { transform.input }
    private var spectrum: SplitPlanes { transform.output }

    /// Prepares transforms of `size` samples, a multiple of 8 and at least 16.
    package init(size: Int) {
        precondition(size >= 16 && size.isMultiple(of: 8), "no transform of pairs of \(size) samples")
        self.size = size
        // The first bin is repeated after the last.
        transform = ComplexTransform(size: size, room: 8)
    }

    /// Transforms the frames at `samples` and at `samples + hop`, both multiplied by `window` of `size` values.
    ///
    /// Writes `binCount` unscaled values |X[k]|² + `floor` to `first` and to `second`. `binCount` is a multiple of 8 and
    /// at most half of `size`.
    package func power(
        _ samples: UnsafePointer<Float>, hop: Int, window: UnsafePointer<Float>, binCount: Int, floor: Float,
        first: UnsafeMutablePointer<Float>, second: UnsafeMutablePointer<Float>
    ) {
        precondition(binCount.isMultiple(of: 8) && binCount <= size / 2, "no \(binCount) bins of \(size)")
        multiply(UnsafeRawPointer(samples), hop: hop, UnsafeRawPointer(window))
        transform.execute()
        spectrum.real[size] = spectrum.real[0]
        spectrum.imaginary[size] = spectrum.imaginary[0]
        separate(binCount: binCount, floor: floor, first: first, second: second)
    }

    private func multiply(_ samples: UnsafeRawPointer, hop: Int, _ window: UnsafeRawPointer) {
        let real = UnsafeMutableRawPointer(frames.real)
        let imaginary = UnsafeMutableRawPointer(frames.imaginary)
        for byte in stride(from: 0, to: 4 * size, by: 32) {
            let weights = (window + byte).loadUnaligned(as: SIMD8<Float>.self)
            let first = (samples + byte).loadUnaligned(as: SIMD8<Float>.self)
            let second = (samples + (byte &+ 4 &* hop)).loadUnaligned(as: SIMD8<Float>.self)
            real.storeBytes(of: first * weights, toByteOffset: byte, as: SIMD8<Float>.self)
            imaginary.storeBytes(of: second * weights, toByteOffset: byte, as: SIMD8<Float>.self)
        }
    }

    private func separate(
        binCount: Int, floor: Float, first: UnsafeMutablePointer<Float>, second: UnsafeMutablePointer<Float>
    ) {
        let real = UnsafeRawPointer(spectrum.real)
        let imaginary = UnsafeRawPointer(spectrum.imaginary)
        let first = UnsafeMutableRawPointer(first)
        let second = UnsafeMutableRawPointer(second)
        for bin in stride(from: 0, to: binCount, by: 4) {
            let mirror = size - bin - 3
            let a = real.loadUnaligned(fromByteOffset: 4 * bin, as: SIMD4<Float>.self)
            let b = imaginary.loadUnaligned(fromByteOffset: 4 * bin, as: SIMD4<Float>.self)
            let c = Self.reversed(real.loadUnaligned(fromByteOffset: 4 * mirror, as: SIMD4<Float>.self))
            let d = Self.reversed(imaginary.loadUnaligned(fromByteOffset: 4 * mirror, as: SIMD4<Float>.self))
            let one = (a + c) * (a + c) + (b - d) * (b - d)
            let other = (b + d) * (b + d) + (c - a) * (c - a)
            first.storeBytes(of: one * 0.25 + floor, toByteOffset: 4 * bin, as: SIMD4<Float>.self)
            second.storeBytes(of: other * 0.25 + floor, toByteOffset: 4 * bin, as: SIMD4<Float>.self)
        }
    }

    @inline(__always)
    private static func reversed(_ value: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(value[3], value[2], value[1], value[0])
    }
}
