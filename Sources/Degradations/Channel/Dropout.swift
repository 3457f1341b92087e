import AudioCore
import Foundation

/// Silences short gaps at random times, as lost packets or a bad contact do.
///
/// Gaps of `durationSeconds` 0.0001…10 s begin at independent times, on average `ratePerSecond` 0.001…100 per second (a
/// Poisson process). They may overlap. Stores the share of silenced frames as `droppedFraction`.
public struct Dropout: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "dropout"
    /// What a plan may set.
    public static let parameters = [
        Parameter("ratePerSecond", .number(0.001...100, unit: "per second")),
        Parameter("durationSeconds", .number(0.0001...10, unit: "s")),
        .seed,
    ]

    /// The mean number of gaps per second.
    public var ratePerSecond: Double
    /// The length of a gap in seconds.
    public var durationSeconds: Double
    /// The seed of all random numbers.
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
        // The first gap may begin before the clip.
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
