import AudioCore

/// Plays at a speed that changes linearly over the query, in time and frequency.
///
/// The change of speed is `fromPercent` at the first sample of the signal and `toPercent` at its last, both −20…20 %. It
/// is constant before and after. Samples are read at the exact positions of the parabola.
public struct Drift: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "drift"
    /// What a plan may set.
    public static let parameters = [
        Parameter("fromPercent", .number(-20...20, unit: "%")),
        Parameter("toPercent", .number(-20...20, unit: "%")),
    ]

    /// The change of speed at the start, in percent.
    public var fromPercent: Double
    /// The change of speed at the end, in percent.
    public var toPercent: Double

    /// Source seconds for one second of output.
    public var sourceSecondsPerSecond: Double? { 1 + (fromPercent + toPercent) / 200 }

    /// Makes a drift from one change of speed to another.
    public init(fromPercent: Double, toPercent: Double) {
        self.fromPercent = fromPercent
        self.toPercent = toPercent
    }

    /// Plays along the parabola and changes both maps.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let first = 1 + fromPercent / 100
        let last = 1 + toPercent / 100
        let source = Double(clip.signalFrames.count) / rate
        let seconds = source / ((first + last) / 2)
        guard seconds > 0 else {
            throw DegradationError(.unsuitableAudio, "\(Self.name): the clip holds no signal")
        }
        let slope = (last - first) / seconds
        clip.play(
            along: SpeedCourse(
                position: { time in
                    if time <= 0 { return first * time }
                    if time >= seconds { return source + last * (time - seconds) }
                    return first * time + slope * time * time / 2
                },
                speeds: min(first, last)...max(first, last),
                steepness: abs(slope),
                signalSeconds: seconds,
                margins: (
                    before: Int(Double(clip.signalFrames.lowerBound) / first),
                    after: Int(Double(clip.audio.frameCount - clip.signalFrames.upperBound) / last)
                )))
    }
}
