import AudioCore

/// Adds several voices speaking at once, at an exact signal-to-noise ratio.
///
/// `voices` 1…64 recordings of speech, each brought to the same mean power over the query and then
/// summed. `snrDecibels` −60…120 dB, defined as for ``Noise``.
public struct Babble: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "babble"
    /// Recordings are needed.
    public static let usesMaterial = true
    /// What a plan may set.
    public static let parameters = [
        Parameter("voices", .integer(1...64), ifAbsent: .value(6)),
        .snrDecibels,
        .seed,
    ]

    /// How many speak.
    public var voices: Int
    /// Signal power over the power of all voices together, in decibels.
    public var snrDecibels: Double
    /// All chance comes from here.
    public var seed: UInt64

    /// Makes babble of `voices` voices at an SNR.
    public init(voices: Int, snrDecibels: Double, seed: UInt64) {
        self.voices = voices
        self.snrDecibels = snrDecibels
        self.seed = seed
    }

    /// Mixes the voices in and stores the SNR achieved.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var sum = [Float](repeating: 0, count: clip.audio.frameCount)
        for voice in 0..<voices {
            var generator = SeededGenerator(seed: seed, Self.name, String(voice))
            let speech = try clip.recording(of: .speech, from: material, using: &generator)
            for frame in sum.indices { sum[frame] += speech[frame] }
        }
        try clip.mix(sum, snrDecibels: snrDecibels, for: Self.name)
    }
}
