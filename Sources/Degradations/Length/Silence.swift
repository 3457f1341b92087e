import AudioCore

/// Adds silence before and after the query.
///
/// `leadingSeconds` and `trailingSeconds` 0…60 s, rounded to whole frames. The time map is extrapolated through leading
/// silence; `signalFrames` excludes the silence.
package struct Silence: Degradation {
    package static let name = "silence"
    package static let group = ConditionGroup.length
    package static let parameters = [
        Parameter(
            "leadingSeconds", .number(0...60), ifAbsent: .value(0),
            milder: .down(to: 0, by: .difference(0.1))),
        Parameter(
            "trailingSeconds", .number(0...60), ifAbsent: .value(0),
            milder: .down(to: 0, by: .difference(0.1))),
    ]
    package static let movesEnds = true

    package var leadingSeconds: Double
    package var trailingSeconds: Double

    package init(leadingSeconds: Double = 0, trailingSeconds: Double = 0) {
        self.leadingSeconds = leadingSeconds
        self.trailingSeconds = trailingSeconds
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let lead = Int(bounded: (leadingSeconds * rate).rounded())
        let trail = Int(bounded: (trailingSeconds * rate).rounded())
        let signal = clip.signalFrames
        clip.cut(from: -lead, count: lead + clip.audio.frameCount + trail)
        clip.signalFrames = (signal.lowerBound + lead)..<(signal.upperBound + lead)
    }
}
