import AudioCore
import SignalProcessing
import TestSupport
import Testing
import TimeStretch

struct TimeStretchTests {
    private static let ratios: [(time: Double, pitch: Double)] = [
        (0.95, 1), (1.05, 1), (0.8, 1), (1.25, 1), (1, 0.95), (1, 1.05), (1, 1.2), (1.05, 1.05), (1, 1.001),
    ]
    private let onsets = [0.5, 1.1, 1.9, 2.6, 3.4]

    /// What the truth of tempo and pitch degradations rests on: 2 ms for the usual changes, 4 ms for large ones.
    private func onsetToleranceSeconds(_ ratio: (time: Double, pitch: Double)) -> Double {
        abs(ratio.time - 1) < 0.051 && abs(ratio.pitch - 1) < 0.051 ? 0.002 : 0.004
    }

    @Test(arguments: ratios, [8000, 37_800, 44_100, 96_000])
    func onsetsLandAtTheirScaledTimes(ratio: (time: Double, pitch: Double), rate: Int) throws {
        let signal = TestSignals.clicksAndTones(onsetSeconds: onsets, seconds: 4, sampleRate: rate)
        let stretched = try TimeStretch.stretch(signal, timeRatio: ratio.time, pitchRatio: ratio.pitch)
        #expect(stretched.frameCount == Int((Double(signal.frameCount) * ratio.time).rounded()))
        let found = TestSignals.onsets(in: stretched)
        let expected = TestSignals.onsets(in: signal).map { $0 * ratio.time }
        try #require(found.count == expected.count, "\(found)")
        for (time, wanted) in zip(found, expected) {
            #expect(
                abs(time - wanted) < onsetToleranceSeconds(ratio),
                "\((time - wanted) * 1000) ms at \(wanted) s")
        }
    }

    @Test(arguments: ratios)
    func frequenciesScale(ratio: (time: Double, pitch: Double)) throws {
        let signal = TestSignals.sine(frequency: 1000, seconds: 4, sampleRate: 44_100)
        let stretched = try TimeStretch.stretch(signal, timeRatio: ratio.time, pitchRatio: ratio.pitch)
        let middle = stretched.frames(stretched.frameCount / 4..<stretched.frameCount * 3 / 4)
        // Rubber Band keeps frequency ratios to about 0.02 %.
        let frequency = frequencyByCrossings(middle)
        #expect(abs(frequency / (1000 * ratio.pitch) - 1) < 4e-4, "\(frequency) Hz")
        // A steady tone keeps its level within half a decibel.
        #expect(abs(Decibels.fromPowerRatio(middle.meanPower / signal.meanPower)) < 0.5)
    }

    @Test func channelsStayTogether() throws {
        let left = TestSignals.clicksAndTones(onsetSeconds: onsets, seconds: 4, sampleRate: 44_100)
        let both = AudioBuffer(
            samples: left.samples + left.samples.map { -$0 }, sampleRate: 44_100, channelCount: 2)
        let stretched = try TimeStretch.stretch(both, timeRatio: 1.05, pitchRatio: 1)
        let lag = CrossCorrelation.bestLag(
            of: stretched.channel(1), in: stretched.channel(0).map { -$0 }, maxLag: 200)
        #expect(abs(lag.lag) < 0.01)
        #expect(lag.coefficient > 0.999)
    }

    @Test func sameInputGivesTheSameSamplesOnAnyThread() async throws {
        let signal = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 44_100, channelCount: 2)
        let expected = try TimeStretch.stretch(signal, timeRatio: 1.03, pitchRatio: 0.97)
        try await withThrowingTaskGroup(of: AudioBuffer.self) { group in
            for _ in 0..<4 {
                group.addTask { try TimeStretch.stretch(signal, timeRatio: 1.03, pitchRatio: 0.97) }
            }
            for try await result in group { #expect(result == expected) }
        }
    }

    /// The delay that the library leaves: without it, the medians of `pitchDelay` and `tempoDelay` would be 0.
    @Test func eachSettingHasADelayOfItsOwn() throws {
        let delays = try [0.97, 0.99, 1.01, 1.05].map {
            try TimeStretch.delaySeconds(sampleRate: 44_100, timeRatio: 1, pitchRatio: $0)
        }
        #expect(delays.allSatisfy { 0.0001 < abs($0) && abs($0) < 0.0012 }, "\(delays)")
        #expect(Set(delays.map { $0 > 0 }).count == 2)
        #expect(
            try TimeStretch.delaySeconds(sampleRate: 44_100, timeRatio: 1, pitchRatio: 0.97) == delays[0])
        #expect(try TimeStretch.delaySeconds(sampleRate: 44_100, timeRatio: 1, pitchRatio: 1) == 0)
    }

    @Test func identityIsBitExact() throws {
        let signal = TestSignals.noise(seed: 2, seconds: 0.1, sampleRate: 44_100)
        #expect(try TimeStretch.stretch(signal, timeRatio: 1, pitchRatio: 1) == signal)
    }

    @Test(arguments: [0, 1, 2, 100, 441, 3000])
    func shortInputsKeepTheirLength(frames: Int) throws {
        let signal = AudioBuffer(samples: (0..<frames).map { Float($0 % 7) / 10 }, sampleRate: 44_100)
        let stretched = try TimeStretch.stretch(signal, timeRatio: 1.1, pitchRatio: 1)
        #expect(stretched.frameCount == Int((Double(frames) * 1.1).rounded()))
    }

    @Test(arguments: [(0.0, 1.0), (-1, 1), (.nan, 1), (.infinity, 1), (1, 0), (1, .nan), (1, 100), (0.01, 1)])
    func absurdRatiosAreErrors(time: Double, pitch: Double) {
        let signal = AudioBuffer(silentFrames: 100, sampleRate: 44_100)
        #expect(throws: TimeStretchError.self) {
            try TimeStretch.stretch(signal, timeRatio: time, pitchRatio: pitch)
        }
    }

    /// The mean frequency between the first and the last upward crossing of zero.
    private func frequencyByCrossings(_ audio: AudioBuffer) -> Double {
        let samples = audio.samples
        var crossings: [Double] = []
        for index in 1..<samples.count where samples[index - 1] < 0 && samples[index] >= 0 {
            let step = samples[index - 1] / (samples[index - 1] - samples[index])
            crossings.append(Double(index - 1) + Double(step))
        }
        guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
        return Double(crossings.count - 1) / (last - first) * Double(audio.sampleRate)
    }
}
