/// Adds other music at an exact signal-to-noise ratio.
package struct MusicNoise: MixedRecording {
    package static let name = "music"
    package static let kind = MaterialKind.music

    package var snrDecibels: Double
    package var seed: UInt64

    package init(snrDecibels: Double, seed: UInt64) {
        self.snrDecibels = snrDecibels
        self.seed = seed
    }
}
