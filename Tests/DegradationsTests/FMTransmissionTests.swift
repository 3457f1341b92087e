import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

private func sent(_ audio: AudioBuffer, drive: Double = 0, hiss: Double = -120) throws -> Clip {
    var clip = Clip(audio)
    try FMTransmission(driveDecibels: drive, hissDecibels: hiss, seed: 4).apply(
        to: &clip, material: NoMaterial())
    return clip
}

@Test("Quiet audio passes unchanged below 15 kHz, and nothing above 17 kHz")
func passBand() throws {
    func response(_ frequency: Double) throws -> Double {
        let audio = TestSignals.sine(frequency: frequency, amplitude: 0.01, seconds: 3, sampleRate: 48_000)
        let middle = 48_000..<96_000
        return 20
            * log10(
                amplitude(of: frequency, in: try sent(audio).audio.samples[middle], sampleRate: 48_000) / 0.01
            )
    }
    for frequency in [50, 1000, 10_000] as [Double] { #expect(abs(try response(frequency)) < 0.1) }
    #expect(try response(19_000) < -25)
}

@Test("The hiss of the mono mix has its power", arguments: [1, 2, 6])
func hissOfTheMix(channels: Int) throws {
    let silence = AudioBuffer(
        samples: [Float](repeating: 0, count: channels * 96_000), sampleRate: 48_000, channelCount: channels)
    let mix = AudioBuffer(samples: try sent(silence, hiss: -40).audio.mono(), sampleRate: 48_000)
    #expect(abs(Decibels.fromPowerRatio(mix.meanPower) + 40) < 0.01)
}

@Test("The hiss is 20 dB stronger in the difference of the channels")
func hiss() throws {
    let silence = AudioBuffer(
        samples: [Float](repeating: 0, count: 2 * 96_000), sampleRate: 48_000, channelCount: 2)
    let audio = try sent(silence, hiss: -60).audio
    let mean = AudioBuffer(samples: audio.mono(), sampleRate: 48_000).meanPower
    let difference = zip(audio.channel(0), audio.channel(1)).map { ($0 - $1) / 2 }
    let ratio = AudioBuffer(samples: difference, sampleRate: 48_000).meanPower / mean
    #expect(abs(Decibels.fromPowerRatio(ratio) - 20) < 0.5)
}

@Test("Loud treble is limited before loud bass")
func trebleIsLimitedFirst() throws {
    func limited(_ frequency: Double) throws -> Double {
        let audio = TestSignals.sine(frequency: frequency, amplitude: 0.5, seconds: 1, sampleRate: 48_000)
        return try #require(try sent(audio, drive: 5).measurements["limitedDecibels"])
    }
    #expect(try limited(100) < 0.1)
    #expect(try limited(10_000) > 6)
}
