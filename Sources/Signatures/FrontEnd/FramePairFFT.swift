internal import CKernels

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

    private let frames: ComplexPlanes
    private let spectrum: ComplexPlanes
    private let transform: any ComplexTransform

    /// Prepares transforms of `size` samples, a multiple of 8 and at least 16.
    package init(size: Int, transform: any ComplexTransform.Type) {
        precondition(size >= 16 && size.isMultiple(of: 8), "no transform of pairs of \(size) samples")
        self.size = size
        frames = Self.planes(count: size)
        // The first bin is repeated after the last.
        spectrum = Self.planes(count: size + 8)
        self.transform = transform.init(size: size, from: frames, to: spectrum)
    }

    deinit {
        for planes in [frames, spectrum] {
            planes.real.deallocate()
            planes.imaginary.deallocate()
        }
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
        earshot_window_pair(frames.real, frames.imaginary, samples, samples + hop, window, size)
        transform.execute()
        spectrum.real[size] = spectrum.real[0]
        spectrum.imaginary[size] = spectrum.imaginary[0]
        earshot_pair_powers(first, second, spectrum.real, spectrum.imaginary, size, 0, binCount, floor)
    }

    /// Zeros in memory that is aligned for the widest vectors.
    private static func planes(count: Int) -> ComplexPlanes { (plane(count), plane(count)) }

    private static func plane(_ count: Int) -> UnsafeMutablePointer<Float> {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4 * count, alignment: 64)
        return bytes.initializeMemory(as: Float.self, repeating: 0, count: count)
    }
}
