import AudioCore

/// Adds several simultaneous voices at an exact signal-to-noise ratio.
///
/// `voices` 1…64 recordings of speech are scaled to the same mean power over the query and added. `snrDecibels`
/// −60…120 dB is defined as for ``Noise``.
package struct Babble: Degradation {
    package static let name = "babble"
    package static let version = 2
    package static let usesMaterial = true
    package static let addsNoise = true
    package static let parameters = [
        Parameter("voices", .integer(1...64), ifAbsent: .value(6)), .snrDecibels, .seed,
    ]

    package var voices: Int
    package var snrDecibels: Double
    package var seed: UInt64

    package init(voices: Int, snrDecibels: Double, seed: UInt64) {
        self.voices = voices
        self.snrDecibels = snrDecibels
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
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
