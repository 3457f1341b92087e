internal import CFFTW

/// The forward discrete Fourier transform of complex signals of one length, by FFTW.
///
/// Real and imaginary parts are in blocks of memory of their own. The bits of the result depend on the alignment of these
/// blocks, so always align them to vectors. An instance owns its plan. Use it on one thread at a time.
package final class SplitFFT {
    /// Pointers to the real and the imaginary parts.
    package typealias Planes = (real: UnsafeMutablePointer<Float>, imaginary: UnsafeMutablePointer<Float>)

    private let plan: PlanHandle

    /// Plans transforms of `size` values of `input`, which they do not change, to `output`.
    package init(size: Int, from input: Planes, to output: Planes) {
        plan = PlanHandle(splitOfSize: size, input: input, output: output)
    }

    deinit { plan.destroy() }

    package func execute() { fftwf_execute(plan.pointer) }
}
