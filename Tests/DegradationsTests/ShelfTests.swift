import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test(
    "The shelf has its gain far on its side, half of it at its frequency and none on the other",
    arguments: [Shelf.Side.low, .high], [-12, 6] as [Double])
func shelfGains(side: Shelf.Side, gainDecibels: Double) throws {
    let shelf = Shelf(side: side, frequencyHertz: 1000, gainDecibels: gainDecibels)
    func response(_ frequency: Double) throws -> Double {
        var clip = Clip(
            TestSignals.sine(frequency: frequency, amplitude: 0.1, seconds: 3, sampleRate: 44_100))
        let middle = 44_100..<88_200
        let before = amplitude(of: frequency, in: clip.audio.samples[middle], sampleRate: 44_100)
        try shelf.apply(to: &clip, material: NoMaterial())
        return 20
            * log10(amplitude(of: frequency, in: clip.audio.samples[middle], sampleRate: 44_100) / before)
    }
    #expect(abs(try response(50) - (side == .low ? gainDecibels : 0)) < 0.1)
    #expect(abs(try response(1000) - gainDecibels / 2) < 0.05)
    #expect(abs(try response(16_000) - (side == .high ? gainDecibels : 0)) < 0.1)
}

@Test("There is no delay, and a frequency beyond the rate is an error")
func shelfDelay() throws {
    var clip = Clip(TestSignals.noise(seed: 1, seconds: 1, sampleRate: 16_000))
    let before = clip.audio.samples
    try Shelf(side: .low, frequencyHertz: 500, gainDecibels: -20).apply(to: &clip, material: NoMaterial())
    #expect(abs(CrossCorrelation.bestLag(of: clip.audio.samples, in: before, maxLag: 200).lag) < 0.05)
    #expect(throws: DegradationError.self) {
        try Shelf(side: .high, frequencyHertz: 8000, gainDecibels: 3).apply(to: &clip, material: NoMaterial())
    }
}
