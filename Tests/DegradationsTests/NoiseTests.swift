import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

/// The SNR in decibels of the mono mix, from the difference of two clips and the scale that the second reports.
private func differenceSNR(_ before: Clip, _ after: Clip) throws -> Double {
    let scale = Float(pow(10, (after.measurements["scaleDecibels"] ?? 0) / 20))
    var signal = 0.0
    var noise = 0.0
    let dry = before.audio.mono()[before.signalFrames].map { Double($0) * Double(scale) }
    let wet = after.audio.mono()[after.signalFrames].map(Double.init)
    let mean = dry.reduce(0, +) / Double(dry.count)
    for (d, w) in zip(dry, wet) {
        signal += (d - mean) * (d - mean)
        noise += (w - d) * (w - d)
    }
    return 10 * log10(signal / noise)
}

private let noises: [@Sendable (Double) -> any Degradation] = [
    { Noise(colour: .white, snrDecibels: $0, seed: 11) },
    { Noise(colour: .pink, snrDecibels: $0, seed: 12) },
    { Noise(colour: .brown, snrDecibels: $0, seed: 13) },
    { Babble(voices: 4, snrDecibels: $0, seed: 14) },
    { Ambience(snrDecibels: $0, seed: 15) },
    { MusicNoise(snrDecibels: $0, seed: 16) },
]

@Test(
    "The SNR measured from what was added is the wanted one within 0.01 dB", arguments: noises.indices,
    [-20, -9, 0, 3, 30] as [Double])
func exactSNR(index: Int, snrDecibels: Double) throws {
    var clip = Clip(Tune().recording(seconds: 1.5, sampleRate: 22_050, channelCount: 2))
    try Silence(leadingSeconds: 0.3, trailingSeconds: 0.1).apply(to: &clip, material: NoMaterial())
    try DCOffset(amount: 0.02).apply(to: &clip, material: NoMaterial())
    let before = clip
    try noises[index](snrDecibels).apply(to: &clip, material: FormulaMaterial())
    #expect(abs(try differenceSNR(before, clip) - snrDecibels) < 0.01)
    #expect(abs(try #require(clip.measurements["snrDecibels"]) - snrDecibels) < 0.01)
    // Scaled to full scale only if the sum was above it.
    let isScaled = clip.measurements["scaleDecibels"] != nil
    #expect(isScaled ? abs(clip.audio.peak - 1) < 1e-6 : clip.audio.peak <= 1)
    #expect(clip.timeMap == before.timeMap && clip.signalFrames == before.signalFrames)
}

@Test("All channels get the same noise", arguments: noises.indices)
func sameNoiseInAllChannels(index: Int) throws {
    var clip = Clip(Tune().recording(seconds: 1, sampleRate: 8000, channelCount: 2))
    clip.audio.withMutableChannel(1) { $0.update(repeating: 0) }
    let before = clip.audio
    try noises[index](20).apply(to: &clip, material: FormulaMaterial())
    let wet = clip.audio.channel(0)
    let second = clip.audio.channel(1)
    #expect(zip(zip(wet, before.channel(0)), second).allSatisfy { abs($0.0 - $0.1 - $1) < 1e-6 })
    #expect(second.contains { abs($0) > 1e-4 })
}

@Test(
    "Octaves hold the power their colour says",
    arguments: [(NoiseColour.white, 3.01), (.pink, 0), (.brown, -3.01)])
func octavePowers(colour: NoiseColour, decibelsPerOctave: Double) throws {
    // The signal is a loud tone at a much lower frequency, and only the noise is measured.
    let rate = 32_000
    let tone = AudioBuffer(
        samples: (0..<(rate * 8)).map { 0.1 * Float(sin(2 * Double.pi * 30 * Double($0) / Double(rate))) },
        sampleRate: rate)
    var clip = Clip(tone)
    try Noise(colour: colour, snrDecibels: 20, seed: 3).apply(to: &clip, material: NoMaterial())
    let noise = zip(clip.audio.samples, tone.samples).map { $0 - $1 }
    let size = 1 << 17
    let fft = RealFFT(size: size)
    var power = [Float](repeating: 0, count: fft.binCount)
    fft.power(Array(noise[..<size]), into: &power)
    func octave(_ low: Double) -> Double {
        let bins = Int(low * Double(size) / Double(rate))..<Int(2 * low * Double(size) / Double(rate))
        return 10 * log10(bins.reduce(0) { $0 + Double(power[$1]) })
    }
    for (low, high) in [(125.0, 250.0), (250, 500), (500, 1000), (1000, 2000), (2000, 4000), (4000, 8000)] {
        #expect(abs(octave(high) - octave(low) - decibelsPerOctave) < 0.8)
    }
    if colour != .white {
        // Below 20 Hz there is only leakage of the window.
        let below = (1...Int(15 * Double(size) / Double(rate))).reduce(0) { $0 + Double(power[$1]) }
        #expect(10 * log10(below) < octave(125) - 15)
    }
}

@Test("The SNR of white noise up to 4 kHz is 7.4 dB higher at 44.1 kHz, and equal at 8 kHz")
func ratioTo4kHz() throws {
    var clip = Clip(Tune().recording(seconds: 4, sampleRate: 44_100))
    try Noise(colour: .white, snrDecibels: 5, seed: 2).apply(to: &clip, material: NoMaterial())
    #expect(abs(try #require(clip.measurements["snrDecibelsTo4kHz"]) - 12.4) < 0.15)
    var narrow = Clip(Tune().recording(seconds: 4, sampleRate: 8000))
    try Noise(colour: .white, snrDecibels: 5, seed: 2).apply(to: &narrow, material: NoMaterial())
    #expect(abs(try #require(narrow.measurements["snrDecibelsTo4kHz"]) - 5) < 0.05)
}

@Test(
    "A higher sample rate leaves the noise in the band up to 22.05 kHz as it is", arguments: [48_000, 96_000])
func fullBandIsThatOf44100Hertz(sampleRate: Int) throws {
    func ratio(at sampleRate: Int) throws -> Double {
        var clip = Clip(Tune().recording(seconds: 4, sampleRate: sampleRate))
        try Noise(colour: .white, snrDecibels: 5, seed: 2).apply(to: &clip, material: NoMaterial())
        #expect(abs(try #require(clip.measurements["snrDecibels"]) - 5) < 0.01)
        return try #require(clip.measurements["snrDecibelsTo4kHz"])
    }
    #expect(abs(try ratio(at: sampleRate) - ratio(at: 44_100)) < 0.1)
}

@Test("An SNR can apply to a band", arguments: [4000.0, 2000, 1000])
func ratioWithinABand(belowHertz: Double) throws {
    // The whole signal is in the band. The power of white noise up to 4 kHz is proportional to the width of the band.
    let rate = 44_100
    let tone = AudioBuffer(
        samples: (0..<(rate * 4)).map { 0.1 * Float(sin(2 * Double.pi * 500 * Double($0) / Double(rate))) },
        sampleRate: rate)
    for snr in [-5.0, 5, 15] {
        var clip = Clip(tone)
        try Noise(colour: .white, snrDecibels: snr, belowHertz: belowHertz, seed: 2)
            .apply(to: &clip, material: NoMaterial())
        let expected = snr - 10 * log10(4000 / belowHertz)
        #expect(abs(try #require(clip.measurements["snrDecibelsTo4kHz"]) - expected) < 0.2)
        let whole = snr - 10 * log10(Double(rate) / 2 / belowHertz)
        #expect(abs(try #require(clip.measurements["snrDecibels"]) - whole) < 0.2)
    }
}

/// Two channels of a common part and a part with opposite signs.
private func wide(middle: Float, side: Float) -> AudioBuffer {
    let (common, opposite) = (Tune(seed: 1), Tune(seed: 2))
    let times = (0..<88_200).map { Double($0) / 44_100 }
    let channels = [Float(1), -1].map { sign in
        times.map { middle * Float(common($0)) + sign * side * Float(opposite($0)) }
    }
    return AudioBuffer(samples: channels[0] + channels[1], sampleRate: 44_100, channelCount: 2)
}

@Test("The SNR is that of the mono mix, and wide channels hold more than it", arguments: noises.indices)
func ratioOfTheMonoMix(index: Int) throws {
    var clip = Clip(wide(middle: 0.3, side: 0.6))
    try noises[index](-6).apply(to: &clip, material: FormulaMaterial())
    #expect(abs(try #require(clip.measurements["snrDecibels"]) + 6) < 0.01)
    // Four times the power in the sides makes five times that of the mono mix, 7 dB.
    #expect(abs(try #require(clip.measurements["snrDecibelsPerChannel"]) - 1) < 0.5)
    var narrow = Clip(wide(middle: 0.3, side: 0))
    try noises[index](-6).apply(to: &narrow, material: FormulaMaterial())
    #expect(abs(try #require(narrow.measurements["snrDecibelsPerChannel"]) + 6) < 0.01)
}

@Test("Channels that cancel in the mono mix have no SNR", arguments: noises.indices)
func cancellingChannels(index: Int) {
    var clip = Clip(wide(middle: 1e-5, side: 0.6))
    let error = #expect(throws: DegradationError.self) {
        try noises[index](0).apply(to: &clip, material: FormulaMaterial())
    }
    #expect(error?.code == .unsuitableAudio && error?.description.contains("cancel") == true)
}

@Test("Silence has no SNR", arguments: noises.indices)
func silentSignal(index: Int) {
    var clip = Clip(AudioBuffer(samples: [Float](repeating: 0.2, count: 8000), sampleRate: 8000))
    let error = #expect(throws: DegradationError.self) {
        try noises[index](0).apply(to: &clip, material: FormulaMaterial())
    }
    #expect(error?.code == .unsuitableAudio)
}

@Test("Another seed has other noise", arguments: NoiseColour.allCases)
func seedsMatter(colour: NoiseColour) throws {
    let source = Tune().recording(seconds: 0.5, sampleRate: 8000)
    let all = try ([0, 1, 2] as [UInt64]).map { seed in
        var clip = Clip(source)
        try Noise(colour: colour, snrDecibels: 0, seed: seed).apply(to: &clip, material: NoMaterial())
        return clip.audio
    }
    #expect(all[0] != all[1] && all[1] != all[2] && all[0] != all[2])
}

@Test("The level of noise swings as asked, at the exact SNR", arguments: [6.0, 20])
func swingingNoise(swing: Double) throws {
    let seconds = 8
    var clip = Clip(Tune().recording(seconds: Double(seconds), sampleRate: 16_000))
    let before = clip
    try Noise(colour: .white, snrDecibels: 0, swingDecibels: swing, swingSeconds: 4, seed: 5)
        .apply(to: &clip, material: NoMaterial())
    #expect(abs(try differenceSNR(before, clip) - 0) < 0.01)
    let scale = Float(pow(10, (clip.measurements["scaleDecibels"] ?? 0) / 20))
    let noise = zip(clip.audio.samples, before.audio.samples).map { Double($0 - scale * $1) }
    let levels = (0..<(8 * seconds)).map { part in
        let frames = noise[part * 2000..<(part + 1) * 2000]
        return 10 * log10(frames.reduce(0) { $0 + $1 * $1 } / 2000)
    }
    // An eighth of a second is short against the period, and its level is known to 0.2 dB.
    #expect(abs((levels.max() ?? 0) - (levels.min() ?? 0) - swing) < 1)
    // After half a period a high level is a low one.
    for part in 0..<16 {
        let (first, second) = (levels[part] + levels[part + 16], levels[part + 32] + levels[part + 48])
        #expect(abs(first - second) < 2)
    }
    #expect(throws: DegradationError.self) {
        try Noise(colour: .white, snrDecibels: 0, swingSeconds: 4, seed: 5).validate()
    }
}

@Test("Independent noise differs by channel, and its mono mix has the exact SNR")
func independentNoise() throws {
    var clip = Clip(Tune().recording(seconds: 2, sampleRate: 16_000, channelCount: 2))
    let before = clip
    try Noise(colour: .pink, snrDecibels: 3, channels: .independent, seed: 6)
        .apply(to: &clip, material: NoMaterial())
    #expect(abs(try differenceSNR(before, clip) - 3) < 0.01)
    let scale = Float(pow(10, (clip.measurements["scaleDecibels"] ?? 0) / 20))
    let noises = (0..<2).map { channel in
        zip(clip.audio.channel(channel), before.audio.channel(channel)).map { Double($0 - scale * $1) }
    }
    let product = zip(noises[0], noises[1]).reduce(0) { $0 + $1.0 * $1.1 }
    let powers = noises.map { $0.reduce(0) { $0 + $1 * $1 } }
    #expect(abs(product / (powers[0] * powers[1]).squareRoot()) < 0.1)
    #expect(abs(10 * log10(powers[0] / powers[1])) < 1)
}
