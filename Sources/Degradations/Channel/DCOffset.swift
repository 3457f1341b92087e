import AudioCore

/// Shifts every sample by a constant, as cheap hardware does.
///
/// `amount` −1…1 of full scale. A result above full scale is scaled, never clipped.
public struct DCOffset: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "dcOffset"
    /// What a plan may set.
    public static let parameters = [Parameter("amount", .number(-1...1, unit: "of full scale"))]

    /// What is added to every sample.
    public var amount: Double

    /// Makes a shift.
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
