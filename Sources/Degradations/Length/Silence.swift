import AudioCore

/// Adds silence before and after the query.
///
/// `leadingSeconds` and `trailingSeconds` 0…60 s, rounded to whole frames. The time map is extrapolated through leading
/// silence; `signalFrames` excludes the silence.
public struct Silence: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "silence"
    /// What a plan may set.
    public static let parameters = [
        Parameter("leadingSeconds", .number(0...60, unit: "s"), ifAbsent: .value(0)),
        Parameter("trailingSeconds", .number(0...60, unit: "s"), ifAbsent: .value(0)),
    ]
    /// True, as the query becomes longer.
    public static let movesEnds = true

    /// Silence before the first sample, in seconds.
    public var leadingSeconds: Double
    /// Silence after the last sample, in seconds.
    public var trailingSeconds: Double

    /// Makes silence at the ends.
    public init(leadingSeconds: Double = 0, trailingSeconds: Double = 0) {
        self.leadingSeconds = leadingSeconds
        self.trailingSeconds = trailingSeconds
    }

    /// Adds the silence and shifts the maps.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let lead = Int((leadingSeconds * rate).rounded())
        let trail = Int((trailingSeconds * rate).rounded())
        let signal = clip.signalFrames
        clip.cut(from: -lead, count: lead + clip.audio.frameCount + trail)
        clip.signalFrames = (signal.lowerBound + lead)..<(signal.upperBound + lead)
    }
}
