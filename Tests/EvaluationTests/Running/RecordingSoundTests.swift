import AudioCore
import Evaluation
import Foundation
import Testing

@Suite struct RecordingSoundTests {
    private func sound(seconds: Double = 2, rate: Int = 44_100, _ value: (Double) -> Double)
        -> RecordingSound?
    {
        let count = Int(seconds * Double(rate))
        return RecordingSound(
            AudioBuffer(
                samples: (0..<count).map { Float(value(Double($0) / Double(rate))) }, sampleRate: rate))
    }

    private static func tone(_ hertz: Double, _ seconds: Double) -> Double { sin(2 * .pi * hertz * seconds) }

    @Test(arguments: [8000, 44_100, 48_000])
    func aToneHasItsLevelItsFrequencyAndOnePeak(_ rate: Int) throws {
        let sound = try #require(sound(rate: rate) { 0.5 * Self.tone(1000, $0) })
        // The power of a sine of amplitude 0.5 is 1/8.
        #expect(abs(sound.loudnessDecibels - 10 * log10(0.125)) < 0.01)
        #expect(abs(sound.spectralCentroidHertz - 1000) < 1)
        #expect(sound.peaksPerFrame == 1)
    }

    @Test func aConstantOffsetIsNoSound() throws {
        let sound = try #require(sound { 0.4 + 0.5 * Self.tone(1000, $0) })
        #expect(abs(sound.loudnessDecibels - 10 * log10(0.125)) < 0.01)
        #expect(abs(sound.spectralCentroidHertz - 1000) < 1)
    }

    @Test func tonesOfEqualPowerHaveTheMeanAsCentroid() throws {
        let sound = try #require(sound { 0.2 * (Self.tone(500, $0) + Self.tone(2500, $0)) })
        #expect(abs(sound.spectralCentroidHertz - 1500) < 1 && sound.peaksPerFrame == 2)
        // 5 kHz is outside the range of peaks.
        let high = try #require(self.sound { 0.2 * (Self.tone(500, $0) + Self.tone(5000, $0)) })
        #expect(high.peaksPerFrame == 1)
    }

    @Test func silenceAndClicksHaveNoSound() {
        #expect(sound { _ in 0 } == nil)
        #expect(sound(seconds: 0.05) { Self.tone(1000, $0) } == nil)
    }
}
