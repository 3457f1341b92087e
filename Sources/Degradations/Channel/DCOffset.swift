import AudioCore

/// Adds a constant to every sample, as cheap hardware does.
///
/// `amount` −1…1 of full scale. A result above full scale is scaled, not clipped.
package struct DCOffset: Degradation {
    package static let name = "dcOffset"
    package static let parameters = [
        Parameter(
            "amount", .number(-1...1, unit: "of full scale"), milder: .either(to: 0, by: .difference(0.01)))
    ]

    package var amount: Double

    package init(amount: Double) { self.amount = amount }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let shift = Float(amount)
        clip.audio.changeChannels { plane in for frame in plane.indices { plane[frame] += shift } }
        clip.scaleToFullScale()
    }
}
