internal import CFFTW
import Synchronization

/// FFTW's planner has global state; making and destroying a plan needs this lock, executing one does not.
private let plannerLock = Mutex<Void>(())

/// One FFTW plan.
///
/// Sendable only to leave the lock's closure; one owner uses it.
struct PlanHandle: @unchecked Sendable {
    let pointer: fftwf_plan

    init(
        forwardOfSize size: Int, time: UnsafeMutablePointer<Float>,
        spectrum: UnsafeMutablePointer<fftwf_complex>
    ) {
        let buffers = Buffers(time: time, spectrum: spectrum)
        self = plannerLock.withLock { _ in
            PlanHandle(fftwf_plan_dft_r2c_1d(Int32(size), buffers.time, buffers.spectrum, FFTW_ESTIMATE))
        }
    }

    init(
        inverseOfSize size: Int, time: UnsafeMutablePointer<Float>,
        spectrum: UnsafeMutablePointer<fftwf_complex>
    ) {
        let buffers = Buffers(time: time, spectrum: spectrum)
        self = plannerLock.withLock { _ in
            PlanHandle(fftwf_plan_dft_c2r_1d(Int32(size), buffers.spectrum, buffers.time, FFTW_ESTIMATE))
        }
    }

    /// Plans a complex transform with separate real and imaginary planes that preserves its input.
    init(splitOfSize size: Int, input: SplitFFT.Planes, output: SplitFFT.Planes) {
        let buffers = SplitBuffers(input: input, output: output)
        self = plannerLock.withLock { _ in
            var dimension = fftwf_iodim(n: Int32(size), is: 1, os: 1)
            return PlanHandle(
                fftwf_plan_guru_split_dft(
                    1, &dimension, 0, nil, buffers.input.real, buffers.input.imaginary, buffers.output.real,
                    buffers.output.imaginary, FFTW_ESTIMATE))
        }
    }

    private init(_ plan: fftwf_plan?) {
        guard let plan else { preconditionFailure("FFTW made no plan") }
        pointer = plan
    }

    func destroy() { plannerLock.withLock { _ in fftwf_destroy_plan(pointer) } }

    // Sendable only to enter the lock's closure, which runs on the same thread.

    private struct Buffers: @unchecked Sendable {
        let time: UnsafeMutablePointer<Float>
        let spectrum: UnsafeMutablePointer<fftwf_complex>
    }

    private struct SplitBuffers: @unchecked Sendable {
        let input: SplitFFT.Planes
        let output: SplitFFT.Planes
    }
}

package enum SignalLibraryVersions {
    package static var all: [String: String] { ["fftw": String(cString: earshot_fftwf_version())] }
}
