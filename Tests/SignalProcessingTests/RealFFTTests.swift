import AudioCore
import Glibc
import SignalProcessing
import TestSupport
import Testing

struct RealFFTTests {
    /// Single precision: a few roundings for each of log2(size) stages.
    private let tolerance: Float = 2e-6

    @Test(arguments: [1, 2, 3, 16, 100, 1024, 1025, 4800])
    func inverseUndoesForward(size: Int) {
        let signal = noise(size, seed: 1)
        let fft = RealFFT(size: size)
        var real = [Float](repeating: 0, count: fft.binCount)
        var imaginary = real
        var back = [Float](repeating: 0, count: size)
        fft.forward(signal, real: &real, imaginary: &imaginary)
        fft.inverse(real: real, imaginary: imaginary, into: &back)
        for index in 0..<size { #expect(abs(back[index] - signal[index]) < tolerance) }
    }

    @Test(arguments: [7, 64])
    func forwardIsTheDefinition(size: Int) {
        let signal = noise(size, seed: 2)
        let fft = RealFFT(size: size)
        var real = [Float](repeating: 0, count: fft.binCount)
        var imaginary = real
        var power = real
        fft.forward(signal, real: &real, imaginary: &imaginary)
        fft.power(signal, into: &power)
        for bin in 0..<fft.binCount {
            var sum = (real: 0.0, imaginary: 0.0)
            for index in 0..<size {
                let angle = -2 * Double.pi * Double(bin * index) / Double(size)
                sum.real += Double(signal[index]) * cos(angle)
                sum.imaginary += Double(signal[index]) * sin(angle)
            }
            let scale = tolerance * Float(size)
            #expect(abs(Double(real[bin]) - sum.real) < Double(scale))
            #expect(abs(Double(imaginary[bin]) - sum.imaginary) < Double(scale))
            #expect(
                abs(power[bin] - (real[bin] * real[bin] + imaginary[bin] * imaginary[bin])) < scale * scale)
        }
    }

    @Test func plansMadeOnManyThreadsGiveTheSameBits() async {
        let signal = noise(1000, seed: 3)
        let results = await withTaskGroup(of: [Float].self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let fft = RealFFT(size: 1000)
                    var power = [Float](repeating: 0, count: fft.binCount)
                    fft.power(signal, into: &power)
                    return power
                }
            }
            return await group.reduce(into: [[Float]]()) { $0.append($1) }
        }
        #expect(results.count == 64)
        for result in results { #expect(result == results[0]) }
    }

    @Test func fastSizesAreTheSmallest() {
        #expect(RealFFT.fastSize(atLeast: 1) == 1)
        #expect(RealFFT.fastSize(atLeast: 7) == 8)
        #expect(RealFFT.fastSize(atLeast: 241) == 243)
        #expect(RealFFT.fastSize(atLeast: 1025) == 1080)
        for count in 1...2000 {
            let size = RealFFT.fastSize(atLeast: count)
            var rest = size
            for factor in [2, 3, 5] { while rest.isMultiple(of: factor) { rest /= factor } }
            #expect(size >= count && rest == 1)
        }
    }

    @Test func hannWindowIsPeriodic() {
        let window = Window.hann(8)
        let expected: [Float] = [0, 0.146447, 0.5, 0.853553, 1, 0.853553, 0.5, 0.146447]
        for (value, wanted) in zip(window, expected) { #expect(abs(value - wanted) < 1e-6) }
        // Half-overlapping windows add up to 1.
        for index in 0..<4 { #expect(abs(window[index] + window[index + 4] - 1) < 1e-6) }
    }

    private func noise(_ count: Int, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float(generator.uniform(in: -1...1)) }
    }
}
