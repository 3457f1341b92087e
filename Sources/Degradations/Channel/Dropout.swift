import AudioCore
import Foundation

/// Silences short gaps at random times, as lost packets or a bad contact do.
///
/// Gaps of `durationSeconds` 0.0001…10 s begin at independent times, on average `ratePerSecond` 0.001…100 per second (a
/// Poisson process). They may overlap. Stores the share of silenced frames as `droppedFraction`.
package struct Dropout: Degradation {
    package static let name = "dropout"
    package static let parameters = [
        Parameter(
            "ratePerSecond", .number(0.001...100, unit: "per second"),
            milder: .down(to: 0.001, by: .ratio(1.1))),
        Parameter("durationSeconds", .number(0.0001...10), milder: .down(to: 0.0001, by: .ratio(1.1))),
        .seed,
    ]

    package var ratePerSecond: Double
    package var durationSeconds: Double
    package var seed: UInt64

    package init(ratePerSecond: Double, durationSeconds: Double, seed: UInt64) {
        self.ratePerSecond = ratePerSecond
        self.durationSeconds = durationSeconds
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let frameCount = clip.audio.frameCount
        let length = max(1, Int(bounded: (durationSeconds * rate).rounded()))
        var generator = SeededGenerator(seed: seed, Self.name)
        var dropped = 0
        var free = 0
        // The first gap may begin before the clip.
        var seconds = -durationSeconds
        while true {
            seconds -= log(1 - generator.unit()) / ratePerSecond
            guard seconds * rate < Double(frameCount) else { break }
            let start = Int(bounded: (seconds * rate).rounded())
            let gap = max(start, free)..<max(start, free, min(start + length, frameCount))
            clip.audio.changeChannels { plane in for frame in gap { plane[frame] = 0 } }
            dropped += gap.count
            free = max(free, gap.upperBound)
        }
        clip.measurements["droppedFraction"] = Double(dropped) / Double(frameCount)
    }
}
