import SignalProcessing
import TestSupport
import Testing

@Suite struct SlidingCorrelationTests {
    /// Noise that repeats its samples 500 ..< 1500 at three places, once at a lower level.
    private static func signal() -> [Float] {
        var signal = TestSignals.noise(seed: 3, seconds: 5, sampleRate: 4000).samples
        for (place, gain) in [(4321, Float(1)), (9000, 0.25), (19_000, 1)] {
            for index in 0..<1000 { signal[place + index] = gain * signal[500 + index] }
        }
        return signal
    }

    @Test func findsEveryRepeatedPlace() {
        let sliding = SlidingCorrelation(Self.signal(), cutLength: 1000)
        let places = sliding.places(resembling: 500, from: 1500, least: 0.8, spacing: 40)
        #expect(places.map(\.start) == [4321, 9000, 19_000])
        #expect(places.allSatisfy { $0.coefficient > 0.9999 })
        let later = sliding.places(resembling: 500, from: 9001, least: 0.8, spacing: 40)
        #expect(later.map(\.start) == [19_000])
    }

    @Test func agreesWithTheDefinition() throws {
        let signal = Self.signal()
        let sliding = SlidingCorrelation(signal, cutLength: 700)
        let place = try #require(
            sliding.places(resembling: 900, from: 4600, least: 0.5, spacing: 40).first)
        func sum(_ a: Int, _ b: Int) -> Double {
            (0..<700).reduce(0) { $0 + Double(signal[a + $1]) * Double(signal[b + $1]) }
        }
        let start = place.start
        let expected = sum(900, start) / (sum(900, 900) * sum(start, start)).squareRoot()
        #expect(abs(place.coefficient - expected) < 1e-4)
    }

    @Test func aSignalShorterThanACutHasNoPlace() {
        let sliding = SlidingCorrelation([Float](repeating: 1, count: 10), cutLength: 10)
        #expect(sliding.places(resembling: 0, from: 1, least: 0.1, spacing: 1).isEmpty)
    }
}
