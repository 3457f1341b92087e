import AudioCore
import SignalProcessing
import Testing

struct ConvolutionTests {
    @Test(arguments: [(1, 1), (5, 3), (3, 5), (1000, 7), (20_000, 300), (300, 20_000), (9000, 8000)])
    func convolutionIsTheDefinition(signalCount: Int, kernelCount: Int) {
        var generator = SeededGenerator(seed: 5)
        let signal = (0..<signalCount).map { _ in Float(generator.uniform(in: -1...1)) }
        let kernel = (0..<kernelCount).map { _ in Float(generator.uniform(in: -1...1)) }
        let result = Convolution.convolve(signal, kernel)
        #expect(result.count == signalCount + kernelCount - 1)
        // The rounding error grows with the root of the number of products.
        let tolerance = 3e-6 * Double(min(signalCount, kernelCount)).squareRoot() + 1e-6
        for index in stride(from: 0, to: result.count, by: max(1, result.count / 200)) {
            var sum = 0.0
            for tap in max(0, index - signalCount + 1)...min(index, kernelCount - 1) {
                sum += Double(kernel[tap]) * Double(signal[index - tap])
            }
            #expect(abs(Double(result[index]) - sum) < tolerance)
        }
    }

    @Test func impulseMovesTheSignal() {
        let result = Convolution.convolve([1, 2, 3], [0, 0, 1])
        for (value, wanted) in zip(result, [0, 0, 1, 2, 3] as [Float]) { #expect(abs(value - wanted) < 1e-6) }
    }

    @Test func emptyInputGivesEmptyOutput() {
        #expect(Convolution.convolve([], [1]).isEmpty)
        #expect(Convolution.convolve([1], []).isEmpty)
    }
}
