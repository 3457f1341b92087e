import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test(
    "The bell has its gain at its frequency and none far away, without delay",
    arguments: [-12, 6] as [Double])
func bellGains(gainDecibels: Double) throws {
    let equalizer = Equalizer(frequencyHertz: 1000, gainDecibels: gainDecibels, quality: 2)
    func response(_ frequency: Double) throws -> Double {
        var clip = Clip(
            TestSignals.sine(frequency: frequency, amplitude: 0.1, seconds: 3, sampleRate: 44_100))
        let middle = 44_100..<88_200
        let before = amplitude(of: frequency, in: clip.audio.samples[middle], sampleRate: 44_100)
        try equalizer.apply(to: &clip, material: NoMaterial())
        return 20
            * log10(amplitude(of: frequency, in: clip.audio.samples[middle], sampleRate: 44_100) / before)
    }
    #expect(abs(try response(1000) - gainDecibels) < 0.01)
    #expect(abs(try response(20)) < 0.05)
    #expect(abs(try response(16_000)) < 0.05)
    var clip = Clip(TestSignals.noise(seed: 1, amplitude: 0.1, seconds: 1, sampleRate: 16_000))
    let before = clip.audio.samples
    try equalizer.apply(to: &clip, material: NoMaterial())
    #expect(abs(CrossCorrelation.bestLag(of: clip.audio.samples, in: before, maxLag: 200).lag) < 0.05)
}
