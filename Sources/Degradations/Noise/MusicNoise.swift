/// Adds other music at an exact signal-to-noise ratio.
public struct MusicNoise: MixedRecording {
    /// The name in plans, rows and reports.
    public static let name = "music"
    /// The kind of recording.
    public static let kind = MaterialKind.music

    /// Signal power over noise power, in decibels, −60…120.
    public var snrDecibels: Double
    /// The seed of all random numbers.
    public var seed: UInt64

    /// Makes other music at an SNR.
    public init(snrDecibels: Double, seed: UInt64) {
        self.snrDecibels = snrDecibels
        self.seed = seed
    }
}
