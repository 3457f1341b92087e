import AudioCore

/// Adds the sounds of a place at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB, defined as for ``Noise``.
public struct Ambience: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "ambience"
    /// What a plan may set.
    public static let parameters: [Parameter] = [.snrDecibels, .seed]

    /// Signal power over noise power, in decibels.
    public var snrDecibels: Double
    /// All chance comes from here.
    public var seed: UInt64

    /// Mixes in the sounds of a place at an SNR.
    public init(snrDecibels: Double, seed: UInt64) {
        self.snrDecibels = snrDecibels
        self.seed = seed
    }

    /// Mixes the sounds in and stores the SNR achieved.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let noise = try clip.recording(of: .ambience, from: material, using: &generator)
        try clip.mix(noise, snrDecibels: snrDecibels, for: Self.name)
    }
}
