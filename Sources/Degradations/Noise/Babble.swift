import AudioCore

/// Adds several simultaneous voices at an exact signal-to-noise ratio.
///
/// `voices` 1…64 recordings of speech are scaled to the same mean power over the query and added. `snrDecibels`
/// −60…120 dB is defined as for ``Noise``.
public struct Babble: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "babble"
    /// True, as it mixes in recordings.
    public static let usesMaterial = true
    /// What a plan may set.
    public static let parameters = [
        Parameter("voices", .integer(1...64), ifAbsent: .value(6)),
        .snrDecibels,
        .seed,
    ]

    /// The number of voices.
    public var voices: Int
    /// Signal power over the power of all voices, in decibels.
    public var snrDecibels: Double
    /// The seed of all random numbers.
    public var seed: UInt64

    /// Makes babble at an SNR.
    public init(voices: Int, snrDecibels: Double, seed: UInt64) {
        self.voices = voices
        self.snrDecibels = snrDecibels
        self.seed = seed
    }

    /// Mixes the voices in and stores the measured SNR.
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
