import AudioCore
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Suite struct PolyphaseResamplerTests {
    private func resample(_ samples: [Float], _ numerator: Int, _ denominator: Int) throws -> [Float] {
        let resampler = try #require(PolyphaseResampler.of(numerator, over: denominator))
        return samples.withUnsafeBufferPointer(resampler.resample)
    }

    /// The same continuous signal sampled directly at the target rate is the truth, up to 88 % of the band.
    @Test(
        arguments: [
            (8000, 44_100), (11_025, 44_100), (37_800, 44_100), (48_000, 44_100), (192_000, 44_100),
            (44_100, 8000), (100, 103), (200, 199), (1_000_000, 1_012_345), (1_000_000, 2_345_677),
            (1_234_567, 1_000_000),
        ])
    func outputIsTheSignalSampledAtTheTarget(numerator: Int, denominator: Int) throws {
        let rate = 44_100
        let ratio = Double(numerator) / Double(denominator)
        let band = 100...(0.44 * Double(rate) * min(1, ratio))
        func tone(_ index: Int, _ seconds: Double) -> Double {
            let share = Double(index) / 11
            let hertz = band.lowerBound + (band.upperBound - band.lowerBound) * share
            return 0.05 * sin(2 * .pi * hertz * seconds + Double(index))
        }
        func signal(_ count: Int, step: Double) -> [Float] {
            (0..<count).map { sample in
                Float((0..<12).reduce(0) { $0 + tone($1, Double(sample) * step) })
            }
        }
        let source = signal(30_000, step: 1 / Double(rate))
        let result = try resample(source, numerator, denominator)
        #expect(result.count == Int((30_000 * ratio).rounded()))
        let truth = signal(result.count, step: 1 / (Double(rate) * ratio))
        let middle = result.count / 10..<result.count * 9 / 10
        let error = zip(result[middle], truth[middle]).map { $0 - $1 }
        let residue = AudioBuffer(samples: error, sampleRate: rate).meanPower
        let power = AudioBuffer(samples: Array(truth[middle]), sampleRate: rate).meanPower
        let decibels = Decibels.fromPowerRatio(residue / power)
        #expect(decibels < -105, "\(decibels) dB")
    }

    @Test(arguments: [(8000, 44_100), (20, 21), (1_000_000, 2_345_677)])
    func tonesAboveTheNewBandAreRemoved(numerator: Int, denominator: Int) throws {
        let edge = Double(numerator) / Double(denominator) / 2
        let tone = (0..<30_000).map { Float(0.5 * sin(2 * .pi * (edge * 1.01) * Double($0))) }
        let result = try resample(tone, numerator, denominator)
        let middle = Array(result[(result.count / 10)..<(result.count * 9 / 10)])
        let level = AudioBuffer(samples: middle, sampleRate: 8000).meanPower / 0.125
        #expect(Decibels.fromPowerRatio(level) < -100, "\(Decibels.fromPowerRatio(level)) dB")
    }

    @Test(arguments: [0, 1, 2, 77])
    func shortInputsKeepTheirLength(count: Int) throws {
        for (numerator, denominator) in [(1, 256), (256, 1), (3, 2), (441, 80)] {
            let result = try resample([Float](repeating: 0.5, count: count), numerator, denominator)
            #expect(result.count == Int((Double(count * numerator) / Double(denominator)).rounded()))
            #expect(result.allSatisfy { $0.isFinite && abs($0) < 1 })
        }
    }

    @Test func aRatioMayBeReducedOrNot() throws {
        let samples = TestSignals.noise(seed: 1, seconds: 0.1, sampleRate: 8000).samples
        #expect(try resample(samples, 21, 20) == resample(samples, 2100, 2000))
        #expect(try resample(samples, 7, 7) == samples)
    }

    @Test(arguments: [(0, 1), (1, 0), (1, 257), (257, 1), (-1, -1)])
    func otherRatiosHaveNoResampler(numerator: Int, denominator: Int) {
        let resampler = PolyphaseResampler.of(numerator, over: denominator)
        #expect(resampler == nil)
    }
}
