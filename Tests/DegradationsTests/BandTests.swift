import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

/// The change of a steady tone in decibels, measured away from the ends.
private func response(_ band: Band, at frequency: Double) throws -> Double {
    var clip = Clip(TestSignals.sine(frequency: frequency, seconds: 3, sampleRate: 16_000))
    let before = amplitude(of: frequency, in: clip.audio.samples[16_000..<32_000], sampleRate: 16_000)
    try band.apply(to: &clip, material: NoMaterial())
    return 20
        * log10(
            amplitude(of: frequency, in: clip.audio.samples[16_000..<32_000], sampleRate: 16_000) / before)
}

@Test("The edges are 6 dB down, the middle is unchanged, and the slopes follow the order")
func bandEdges() throws {
    let phone = Band(.phone)
    for edge in [300.0, 3400] { #expect(abs(try response(phone, at: edge) + 6.02) < 0.05) }
    #expect(abs(try response(phone, at: 1000)) < 0.01)
    #expect(abs(try response(phone, at: 335.1) + 3.01) < 0.1)
    let upper = try response(phone, at: 3044)
    #expect(-3.2 < upper && upper < -2)
    // Twice Butterworth of order 4 is 1 / (1 + (f/f0)^±8). The bilinear transform makes the upper slope steeper.
    #expect(abs(try response(phone, at: 150) + 48.2) < 0.2)
    #expect(try response(phone, at: 6000) < -39)
    #expect(abs(try response(Band(lowHertz: 400, order: 2), at: 200) + 24.6) < 0.2)
    #expect(abs(try response(Band(highHertz: 500, order: 2), at: 1000) + 25.0) < 0.2)
}

@Test(
    "Nothing is moved in time",
    arguments: [Band(.phone), Band(.am), Band(highHertz: 500), Band(lowHertz: 2000)])
func bandDelay(band: Band) throws {
    var clip = Clip(TestSignals.noise(seed: 1, seconds: 2, sampleRate: 16_000))
    let before = clip
    try band.apply(to: &clip, material: NoMaterial())
    let found = CrossCorrelation.bestLag(of: clip.audio.samples, in: before.audio.samples, maxLag: 800)
    #expect(abs(found.lag) < 0.05)
    #expect(clip.timeMap == before.timeMap && clip.audio.frameCount == before.audio.frameCount)
}

@Test("An upper edge beyond the rate changes nothing; a lower edge beyond the rate is an error")
func bandBeyondTheRate() throws {
    var clip = Clip(Tune().recording(seconds: 0.5, sampleRate: 8000))
    let before = clip.audio
    try Band(highHertz: 5000).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio == before)
    #expect(throws: DegradationError.self) {
        try Band(lowHertz: 4000).apply(to: &clip, material: NoMaterial())
    }
}
