import AudioCore

/// Changes the level by `decibels`, −100…60 dB, without clipping.
public struct Gain: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "gain"
    /// What a plan may set.
    public static let parameters = [Parameter("decibels", .number(-100...60, unit: "dB"))]

    /// The change of level, in decibels.
    public var decibels: Double

    /// Makes a change of level.
    public init(decibels: Double) { self.decibels = decibels }

    /// Scales every sample.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        clip.audio.scale(by: Float(Decibels.amplitudeRatio(decibels)))
    }
}
