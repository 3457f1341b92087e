import AudioCore

/// Plays at a speed that changes linearly over the query, in time and frequency.
///
/// The change of speed is `fromPercent` at the first sample of the signal and `toPercent` at its last, both −20…20 %. It
/// is constant before and after. Samples are read at the exact positions of the parabola.
package struct Drift: Degradation {
    package static let name = "drift"
    package static let version = 2
    package static let group = ConditionGroup.skew
    package static let parameters = [
        Parameter("fromPercent", .number(-20...20), milder: .either(to: 0, by: .difference(0.1))),
        Parameter("toPercent", .number(-20...20), milder: .either(to: 0, by: .difference(0.1))),
    ]

    package var fromPercent: Double
    package var toPercent: Double

    package var sourceSecondsPerSecond: Double? { 1 + (fromPercent + toPercent) / 200 }

    package init(fromPercent: Double, toPercent: Double) {
        self.fromPercent = fromPercent
        self.toPercent = toPercent
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let first = 1 + fromPercent / 100
        let last = 1 + toPercent / 100
        let source = Double(clip.signalFrames.count) / rate
        let seconds = source / ((first + last) / 2)
        guard seconds > 0 else {
            throw DegradationError.unsuitable("\(Self.name): the clip holds no signal")
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
                    before: Int(bounded: Double(clip.signalFrames.lowerBound) / first),
                    after: Int(bounded: Double(clip.audio.frameCount - clip.signalFrames.upperBound) / last)
                )))
    }
}
