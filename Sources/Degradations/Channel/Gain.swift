import AudioCore

/// Changes the level without clipping.
package struct Gain: Degradation {
    package static let name = "gain"
    package static let parameters = [
        Parameter("decibels", .number(-100...60), milder: .either(to: 0, by: .difference(1)))
    ]

    package var decibels: Double

    package init(decibels: Double) { self.decibels = decibels }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        clip.audio.scale(by: Float(Decibels.amplitudeRatio(decibels)))
    }
}
