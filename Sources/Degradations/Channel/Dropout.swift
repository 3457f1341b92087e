import AudioCore
import Foundation

/// Silences short stretches at random times, as lost packets or a bad contact do.
///
/// Gaps of `durationSeconds` 0.0001…10 s begin at independent times, `ratePerSecond` 0.001…100 of them a second on
/// average (a Poisson process); overlapping gaps merge. The share of frames silenced is stored as
/// `droppedFraction`.
public struct Dropout: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "dropout"
    /// What a plan may set.
    public static let parameters = [
        Parameter("ratePerSecond", .number(0.001...100, unit: "per second")),
        Parameter("durationSeconds", .number(0.0001...10, unit: "s")),
        .seed,
    ]

    /// Gaps a second, on average.
    public var ratePerSecond: Double
    /// The length of a gap, in seconds.
    public var durationSeconds: Double
    /// All chance comes from here.
    public var seed: UInt64

    /// Makes gaps.
    public init(ratePerSecond: Double, durationSeconds: Double, seed: UInt64) {
        self.ratePerSecond = ratePerSecond
        self.durationSeconds = durationSeconds
        self.seed = seed
    }

    /// Silences the gaps in every channel.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let frameCount = clip.audio.frameCount
        let length = max(1, Int((durationSeconds * rate).rounded()))
        var generator = SeededGenerator(seed: seed, Self.name)
        var dropped = 0
        var free = 0
        // The first gap may have begun before the clip.
        var seconds = -durationSeconds
        while true {
            seconds -= log(1 - generator.unit()) / ratePerSecond
            guard seconds * rate < Double(frameCount) else { break }
            let start = Int((seconds * rate).rounded())
            let gap = max(start, free)..<max(start, free, min(start + length, frameCount))
            for channel in 0..<clip.audio.channelCount {
                clip.audio.withMutableChannel(channel) { plane in
                    for frame in gap { plane[frame] = 0 }
                }
            }
            dropped += gap.count
            free = max(free, gap.upperBound)
        }
        clip.measurements["droppedFraction"] = Double(dropped) / Double(frameCount)
    }
}
