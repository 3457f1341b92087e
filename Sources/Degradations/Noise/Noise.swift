import AudioCore

/// Adds random noise at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB is the mean power of the signal without its DC offset over that of the noise. Both powers
/// are over the signal's frames, in the band up to half the sample rate or to `belowHertz` 100…96000 Hz.
public struct Noise: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "noise"
    /// What a plan may set.
    public static let parameters = [
        Parameter("colour", .choice(NoiseColour.allCases.map(\.rawValue)), ifAbsent: .value("white")),
        .snrDecibels,
        Parameter("belowHertz", .number(100...96_000, unit: "Hz"), ifAbsent: .optional),
        .seed,
    ]

    /// The spectrum.
    public var colour: NoiseColour
    /// Signal power over noise power, in decibels.
    public var snrDecibels: Double
    /// The end of the band of the SNR, in hertz; nil is half the sample rate.
    public var belowHertz: Double?
    /// The seed of all random numbers.
    public var seed: UInt64

    /// Makes noise of a colour at an SNR.
    public init(colour: NoiseColour, snrDecibels: Double, belowHertz: Double? = nil, seed: UInt64) {
        self.colour = colour
        self.snrDecibels = snrDecibels
        self.belowHertz = belowHertz
        self.seed = seed
    }

    /// Mixes the noise in and stores the measured SNR.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let noise = colour.samples(
            clip.audio.frameCount, sampleRate: clip.audio.sampleRate, using: &generator)
        try clip.mix(noise, snrDecibels: snrDecibels, belowHertz: belowHertz, for: Self.name)
    }
}

extension Parameter {
    /// Signal power over noise power.
    static let snrDecibels = Parameter("snrDecibels", .number(-60...120, unit: "dB"))
}
