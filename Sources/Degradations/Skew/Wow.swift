import AudioCore
import Foundation

/// Plays at a speed that varies as a sine, like a worn record or tape.
///
/// The speed at second t of the signal is 1 + depth·sin(2π(rate·t + phase)). `depthPercent` 0…10 %; `rateHertz`
/// 0.05…50 Hz, which above about 6 Hz is called flutter; `phaseTurns` 0…1, drawn if it is missing. Depth over rate is
/// limited, so that time deviates by at most half a second.
package struct Wow: Degradation {
    package static let name = "wow"
    package static let version = 2
    package static let group = ConditionGroup.skew
    package static let parameters = [
        Parameter("depthPercent", .number(0...10), milder: .down(to: 0, by: .difference(0.05))),
        Parameter("rateHertz", .number(0.05...50), milder: .never),
        Parameter("phaseTurns", .number(0...1), ifAbsent: .value(["from": 0, "to": 1]), milder: .never),
    ]

    package var depthPercent: Double
    package var rateHertz: Double
    /// The phase at the first sample; 0.25 is fastest.
    package var phaseTurns: Double

    package var sourceSecondsPerSecond: Double? { 1 }

    package init(depthPercent: Double, rateHertz: Double, phaseTurns: Double) {
        self.depthPercent = depthPercent
        self.rateHertz = rateHertz
        self.phaseTurns = phaseTurns
    }

    /// Half of the range of the deviation of time.
    private var amplitudeSeconds: Double { depthPercent / 100 / (2 * .pi * rateHertz) }

    package func validate() throws {
        try validateParameters()
        guard amplitudeSeconds <= 0.25 else {
            throw DegradationError.invalid(
                "\(Self.name): \(depthPercent) % at \(rateHertz) Hz moves time by "
                    + "\(2 * amplitudeSeconds) s; expected at most 0.5 s")
        }
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let depth = depthPercent / 100
        let amplitude = amplitudeSeconds
        let (rateHertz, phaseTurns) = (rateHertz, phaseTurns)
        let start = cos(2 * .pi * phaseTurns)
        let reserve = 2 * amplitude * Double(clip.audio.sampleRate)
        let after = clip.audio.frameCount - clip.signalFrames.upperBound
        clip.play(
            along: SpeedCourse(
                position: { $0 + amplitude * (start - cos(2 * .pi * (rateHertz * $0 + phaseTurns))) },
                speeds: (1 - depth)...(1 + depth), steepness: depth * 2 * .pi * rateHertz,
                signalSeconds: Double(clip.signalFrames.count) / Double(clip.audio.sampleRate),
                margins: (
                    before: max(0, Int(bounded: Double(clip.signalFrames.lowerBound) - reserve)),
                    after: max(0, Int(bounded: Double(after) - reserve))
                )))
    }
}
