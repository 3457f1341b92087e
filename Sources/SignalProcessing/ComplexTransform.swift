internal import CFFTW

/// The forward discrete Fourier transform of complex signals of one length, by FFTW.
///
/// An instance owns its plan and buffers. Use it on one thread at a time.
final class ComplexTransform {
    /// What `execute` transforms, and does not change.
    let input: SplitPlanes
    /// The spectrum, with `room` values more.
    let output: SplitPlanes
    private let plan: PlanHandle

    init(size: Int, room: Int) {
        input = SplitPlanes(count: size)
        output = SplitPlanes(count: size + room)
        plan = PlanHandle(splitOfSize: size, input: input, output: output)
    }

    deinit {
        plan.destroy()
        input.free()
        output.free()
    }

    func execute() { fftwf_execute(plan.pointer) }
}

/// The real and imaginary parts of a complex signal in two aligned blocks of memory.
///
/// Sendable only to enter the lock's closure; one transform owns it.
struct SplitPlanes: @unchecked Sendable {
    let real: UnsafeMutablePointer<Float>
    let imaginary: UnsafeMutablePointer<Float>

    init(count: Int) {
        guard let real = fftwf_alloc_real(count), let imaginary = fftwf_alloc_real(count) else {
            preconditionFailure("no memory for a transform of \(count) samples")
        }
        real.update(repeating: 0, count: count)
        imaginary.update(repeating: 0, count: count)
        self.real = real
        self.imaginary = imaginary
    }

    func free() {
        fftwf_free(real)
        fftwf_free(imaginary)
    }
}
