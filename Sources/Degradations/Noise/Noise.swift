import AudioCore

/// Adds random noise at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB is the mean power of the mono mix of the signal, without its DC offset, over that of the
/// noise. Both powers are over the signal's frames. Their band ends at `belowHertz` 100…96000 Hz, by default at 22.05 kHz,
/// or at half the sample rate if that is lower.
package struct Noise: Degradation {
    package static let name = "noise"
    package static let version = 3
    package static let parameters = [
        Parameter("colour", .choice(NoiseColour.allCases.map(\.rawValue)), ifAbsent: .value("white")),
        .snrDecibels,
        Parameter("belowHertz", .number(100...96_000, unit: "Hz"), ifAbsent: .optional, milder: .never),
        .seed,
    ]

    package var colour: NoiseColour
    package var snrDecibels: Double
    package var belowHertz: Double?
    package var seed: UInt64

    package init(colour: NoiseColour, snrDecibels: Double, belowHertz: Double? = nil, seed: UInt64) {
        self.colour = colour
        self.snrDecibels = snrDecibels
        self.belowHertz = belowHertz
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let noise = colour.samples(
            clip.audio.frameCount, sampleRate: clip.audio.sampleRate, using: &generator)
        try clip.mix(noise, snrDecibels: snrDecibels, belowHertz: belowHertz, for: Self.name)
    }
}
