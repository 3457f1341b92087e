import AudioCore
import Fingerprinting
import TestSupport
import Testing

@Suite("Levels of strong peaks")
struct ChannelGainsTests {
    /// The mean distance of `count` pairs whose gain is that of `channel` at the octave, more or less `noise`.
    private func distance(
        _ count: Int, noise: Double, seed: UInt64 = 1, _ channel: (Double) -> Double
    ) -> Double? {
        var generator = SeededGenerator(seed: seed, "levels")
        var gains = ChannelGains()
        for _ in 0..<count {
            let octave = generator.uniform(in: 5...11)
            let level = generator.uniform(in: 0...10)
            let played = level + channel(octave) + generator.uniform(in: -1...1) * noise
            gains.add(
                octaves: Float(octave), level: Peak.level(log2: Float(played)),
                of: Peak.level(log2: Float(level)))
        }
        return gains.meanDistance
    }

    @Test("A channel whose gain bends with the octaves changes nothing", arguments: [0, 1, 2, 3] as [UInt64])
    func smoothChannelsChangeNothing(seed: UInt64) throws {
        let flat = distance(120, noise: 0.5, seed: seed) { _ in 0 }
        for channel in [{ _ in -3 }, { 0.4 * ($0 - 8) }, { 2 - 0.15 * ($0 - 8) * ($0 - 8) }]
            as [(Double) -> Double]
        {
            let bent = distance(120, noise: 0.5, seed: seed, channel)
            #expect(abs(try #require(bent) - #require(flat)) < 0.1)
        }
    }

    @Test("The distance is that of the levels from the channel")
    func distanceIsThatOfTheLevels() throws {
        for noise in [1, 2, 3] as [Double] {
            // The mean of a uniform distance is half of the largest; steps of levels add to small ones.
            let distance = try #require(distance(400, noise: noise) { _ in 0 })
            #expect((0.42 * noise...0.5 * noise + 0.1).contains(distance), "\(noise): \(distance)")
        }
    }

    @Test("Few pairs have no distance, and levels at an end of the scale do not count")
    func fewPairsTellNothing() {
        #expect(distance(7, noise: 0) { _ in 0 } == nil && distance(8, noise: 0) { _ in 0 } != nil)
        var gains = ChannelGains()
        for _ in 0..<50 {
            gains.add(octaves: 8, level: 0, of: 12)
            gains.add(octaves: 8, level: 31, of: 12)
            gains.add(octaves: 8, level: 12, of: 31)
        }
        #expect(gains.meanDistance == nil)
    }

    @Test("The level of a peak falls with the power of the audio, by steps of 1.8 dB")
    func levelsFollowThePower() throws {
        let loud = ScoreSong(seed: 9, seconds: 8).render(sampleRate: 8000)
        let quiet = AudioBuffer(samples: loud.samples.map { $0 / 4 }, sampleRate: 8000)
        let (all, fallen) = try (
            SignatureExtractor.signature(of: loud), SignatureExtractor.signature(of: quiet)
        )
        // A quarter of the amplitude is 4 less in log2 power: 6 or 7 steps.
        var compared = 0
        for (peak, low) in zip(all.peaks, fallen.peaks) where peak.time == low.time {
            guard peak.frequency == low.frequency, (8...30).contains(peak.level) else { continue }
            compared += 1
            #expect((6...7).contains(Int(peak.level) - Int(low.level)))
        }
        #expect(compared > all.peaks.count / 4)
    }
}
