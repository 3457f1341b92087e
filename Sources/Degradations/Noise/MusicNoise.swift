import AudioCore

/// Adds other music at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB, defined as for ``Noise``.
public struct MusicNoise: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "music"
    /// What a plan may set.
    public static let parameters: [Parameter] = [.snrDecibels, .seed]

    /// Signal power over noise power, in decibels.
    public var snrDecibels: Double
    /// All chance comes from here.
    public var seed: UInt64

    /// Mixes in other music at an SNR.
    public init(snrDecibels: Double, seed: UInt64) {
        self.snrDecibels = snrDecibels
        self.seed = seed
    }

    /// Mixes the music in and stores the SNR achieved.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let noise = try clip.recording(of: .music, from: material, using: &generator)
        try clip.mix(noise, snrDecibels: snrDecibels, for: Self.name)
    }
}
