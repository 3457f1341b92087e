/// Adds the sounds of a place at an exact signal-to-noise ratio.
public struct Ambience: MixedRecording {
    /// The name in plans, rows and reports.
    public static let name = "ambience"
    /// What is mixed in.
    public static let kind = MaterialKind.ambience

    /// Signal power over noise power, in decibels, −60…120.
    public var snrDecibels: Double
    /// All chance comes from here.
    public var seed: UInt64

    /// Mixes in the sounds of a place at an SNR.
    public init(snrDecibels: Double, seed: UInt64) {
        self.snrDecibels = snrDecibels
        self.seed = seed
    }
}
