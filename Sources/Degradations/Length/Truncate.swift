import AudioCore

/// Keeps only the beginning of the query.
///
/// `keepSeconds` 0.001…3600 s, rounded to whole frames, at least one; a shorter query stays as it is.
package struct Truncate: Degradation {
    package static let name = "truncate"
    package static let group = ConditionGroup.length
    package static let parameters = [
        Parameter("keepSeconds", .number(0.001...3600), milder: .up(to: 60, by: .ratio(1.1)))
    ]
    package static let movesEnds = true

    package var keepSeconds: Double

    package init(keepSeconds: Double) { self.keepSeconds = keepSeconds }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let frames = max(1, Int(bounded: (keepSeconds * Double(clip.audio.sampleRate)).rounded()))
        guard frames < clip.audio.frameCount else { return }
        let signal = clip.signalFrames
        clip.cut(from: 0, count: frames)
        clip.signalFrames = signal.clamped(to: 0..<frames)
    }
}
