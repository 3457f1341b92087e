import AudioCore

/// Adds a constant to every sample, as cheap hardware does.
///
/// `amount` −1…1 of full scale. A result above full scale is scaled, not clipped.
public struct DCOffset: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "dcOffset"
    /// What a plan may set.
    public static let parameters = [Parameter("amount", .number(-1...1, unit: "of full scale"))]

    /// The constant, as a share of full scale.
    public var amount: Double

    /// Makes an offset.
    public init(amount: Double) { self.amount = amount }

    /// Adds the constant to every sample.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let shift = Float(amount)
        for channel in 0..<clip.audio.channelCount {
            clip.audio.withMutableChannel(channel) { plane in
                for frame in plane.indices { plane[frame] += shift }
            }
        }
        clip.scaleToFullScale()
    }
}
