import AudioCore
import Degradations
import SignalProcessing
import Testing

/// White noise for speech, so that the spectrum of a crowd is that of its shelf.
private struct WhiteVoices: Material {
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        guard kind == .wideSpeech else { throw DegradationError(.missingMaterial, "not full-band") }
        return (0..<frameCount).map { _ in Float(generator.uniform(in: -1...1)) }
    }
}

private let rate = 16_000
private let quiet = AudioBuffer(
    samples: (0..<(4 * rate)).map { $0.isMultiple(of: 2) ? 1e-3 : -1e-3 }, sampleRate: rate)

/// What a crowd adds to a quiet signal.
private func added(_ crowd: Crowd) throws -> (samples: [Float], clip: Clip) {
    var clip = Clip(quiet)
    try crowd.apply(to: &clip, material: WhiteVoices())
    return (zip(clip.audio.samples, quiet.samples).map { $0 - $1 }, clip)
}

private func power(_ samples: [Float], through filter: BiquadCascade) -> Double {
    var filtered = samples
    var filter = filter
    filter.process(&filtered)
    return AudioBuffer(samples: filtered, sampleRate: rate).meanPowerAC
}

@Test("A crowd has the ratio that is asked for", arguments: [-9, 0, 6] as [Double])
func crowdRatio(decibels: Double) throws {
    let (samples, clip) = try added(Crowd(snrDecibels: decibels, seed: 1))
    let ratio = quiet.meanPowerAC / AudioBuffer(samples: samples, sampleRate: rate).meanPowerAC
    #expect(abs(Decibels.fromPowerRatio(ratio) - decibels) < 0.01)
    #expect(abs(clip.measurements["snrDecibels", default: .nan] - decibels) < 0.01)
}

@Test("A crowd reaches above 4 kHz, weaker by its shelf")
func crowdSpectrum() throws {
    let high = BiquadCascade.butterworthHighPass(order: 8, frequency: 6500, sampleRate: Double(rate))
    let low = BiquadCascade.butterworthLowPass(order: 8, frequency: 2500, sampleRate: Double(rate))
    let ratios = try [0, -12].map { shelf in
        let samples = try added(Crowd(snrDecibels: -20, highShelfDecibels: shelf, seed: 2)).samples
        return Decibels.fromPowerRatio(power(samples, through: high) / power(samples, through: low))
    }
    #expect(abs(ratios[0] - Decibels.fromPowerRatio(1500.0 / 2500)) < 1)
    #expect(abs(ratios[0] - ratios[1] - 12) < 1)
}

@Test("The seed alone decides the crowd, and the number of voices changes it")
func crowdSeed() throws {
    func samples(_ voices: Int, _ seed: UInt64) throws -> [Float] {
        try added(Crowd(voices: voices, snrDecibels: 0, seed: seed)).samples
    }
    #expect(try samples(3, 1) == samples(3, 1))
    #expect(try samples(3, 1) != samples(3, 2))
    #expect(try samples(3, 1) != samples(4, 1))
}
