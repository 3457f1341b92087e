import AudioCore
import EarshotSignatures
import Fingerprinting
import SignalProcessing
import Signatures
import TestSupport
import Testing

/// Every complex transform, by FFTW and in Swift.
struct FramePairFFTTests {
    private static let transforms: [any ComplexTransform.Type] = [SplitFFT.self, StockhamTransform.self]
    private let size = 2048
    private let bins = 960

    /// The powers of both frames, and those by `RealFFT`.
    private func powers(
        _ samples: [Float], hop: Int, _ transform: any ComplexTransform.Type
    ) -> (pair: [[Float]], single: [[Float]]) {
        let window = Window.hann(size)
        var first = [Float](repeating: 0, count: bins)
        var second = first
        FramePairFFT(size: size, transform: transform).power(
            samples, hop: hop, window: window, binCount: bins, floor: 0, first: &first, second: &second)
        let single = [0, hop].map { start in
            let frame = zip(samples[start..<(start + size)], window).map { $0 * $1 }
            var power = [Float](repeating: 0, count: size / 2 + 1)
            RealFFT(size: size).power(frame, into: &power)
            return Array(power[..<bins])
        }
        return ([first, second], single)
    }

    @Test(arguments: [1, 256, 2047], transforms)
    func agreesWithSingleTransforms(hop: Int, transform: any ComplexTransform.Type) {
        let noise = TestSignals.noise(seed: 3, seconds: 1, sampleRate: 8000).samples
        let (pair, single) = powers(noise, hop: hop, transform)
        for (ours, theirs) in zip(pair, single) {
            let strongest = theirs.max() ?? 0
            #expect(strongest > 10)
            for bin in 0..<bins { #expect(abs(ours[bin] - theirs[bin]) < 1e-5 * strongest) }
        }
    }

    // Leakage between the two is rounding, below −120 dB.
    @Test(arguments: transforms)
    func silenceStaysSilentBesideNoise(transform: any ComplexTransform.Type) {
        var samples = TestSignals.noise(seed: 4, seconds: 1, sampleRate: 8000).samples
        for index in 2048..<4096 { samples[index] = 0 }
        let (pair, _) = powers(samples, hop: 2048, transform)
        #expect((pair[1].max() ?? 1) < 1e-12 * (pair[0].max() ?? 0))
    }

    @Test(arguments: transforms)
    func floorIsAdded(transform: any ComplexTransform.Type) {
        var first = [Float](repeating: 0, count: 16)
        var second = first
        FramePairFFT(size: 64, transform: transform).power(
            [Float](repeating: 0, count: 80), hop: 16, window: Window.hann(64), binCount: 16, floor: 0.5,
            first: &first, second: &second)
        #expect(first == [Float](repeating: 0.5, count: 16) && second == first)
    }
}
