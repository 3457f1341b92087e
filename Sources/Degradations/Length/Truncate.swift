import AudioCore

/// Keeps only the beginning of the query.
///
/// `keepSeconds` 0.001…3600 s, rounded to whole frames, at least one; a shorter query stays as it is.
public struct Truncate: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "truncate"
    /// What a plan may set.
    public static let parameters = [Parameter("keepSeconds", .number(0.001...3600, unit: "s"))]
    /// True, as the query becomes shorter.
    public static let movesEnds = true

    /// The kept length in seconds.
    public var keepSeconds: Double

    /// Makes a cut after `keepSeconds`.
    public init(keepSeconds: Double) { self.keepSeconds = keepSeconds }

    /// Removes the end; the maps stay.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let frames = max(1, Int((keepSeconds * Double(clip.audio.sampleRate)).rounded()))
        guard frames < clip.audio.frameCount else { return }
        let signal = clip.signalFrames
        clip.cut(from: 0, count: frames)
        clip.signalFrames = signal.clamped(to: 0..<frames)
    }
}
