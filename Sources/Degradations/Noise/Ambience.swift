/// Adds the sounds of a place at an exact signal-to-noise ratio.
package struct Ambience: MixedRecording {
    package static let name = "ambience"
    package static let kind = MaterialKind.ambience

    package var snrDecibels: Double
    package var seed: UInt64

    package init(snrDecibels: Double, seed: UInt64) {
        self.snrDecibels = snrDecibels
        self.seed = seed
    }
}
