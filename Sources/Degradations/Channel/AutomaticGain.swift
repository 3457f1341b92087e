import AudioCore
import Foundation

/// Holds the level near a target, as the automatic gain of a recorder does.
///
/// The gain is that which brings the recent mean power of the channels to `targetDecibels`, −80…0 dB of full scale. Recent
/// means an exponential average. Its time constant is `attackSeconds` while the power is above the average, else
/// `releaseSeconds`, both 0.001…60 s. The average starts at the mean power of the clip. The gain stays within 20 dB of its
/// start. An average that rises faster than it falls is too high. So one factor for all frames brings the mean power to the
/// target at the end. A result above full scale is scaled. Stores the level as `levelDecibels`.
package struct AutomaticGain: Degradation {
    package static let name = "automaticGain"
    package static let version = 2
    package static let parameters = [
        Parameter("targetDecibels", .number(-80...0), milder: .never),
        Parameter(
            "attackSeconds", .number(0.001...60), ifAbsent: .value(0.1),
            milder: .up(to: 60, by: .ratio(1.5))),
        Parameter(
            "releaseSeconds", .number(0.001...60), ifAbsent: .value(1), milder: .up(to: 60, by: .ratio(1.5))),
    ]

    private static let rangeDecibels = 20.0

    package var targetDecibels: Double
    package var attackSeconds: Double
    package var releaseSeconds: Double

    package init(targetDecibels: Double, attackSeconds: Double = 0.1, releaseSeconds: Double = 1) {
        self.targetDecibels = targetDecibels
        self.attackSeconds = attackSeconds
        self.releaseSeconds = releaseSeconds
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let power = Self.power(of: clip.audio)
        let mean = power.reduce(0, +) / Double(power.count)
        guard mean > 0 else { return }
        let rate = Double(clip.audio.sampleRate)
        let attack = exp(-1 / (attackSeconds * rate))
        let release = exp(-1 / (releaseSeconds * rate))
        let target = Decibels.powerRatio(targetDecibels)
        let range = Decibels.powerRatio(Self.rangeDecibels)
        var average = mean
        let gains = power.map { power in
            let decay = power > average ? attack : release
            average = decay * average + (1 - decay) * power
            let limited = min(max(average, mean / range), mean * range)
            return Float((target / limited).squareRoot())
        }
        clip.audio.scale(by: gains)
        clip.audio.scale(by: Float((target / clip.audio.meanPower).squareRoot()))
        clip.scaleToFullScale()
        clip.measurements["levelDecibels"] = Decibels.fromPowerRatio(clip.audio.meanPower)
    }

    /// The mean power over channels, frame by frame.
    private static func power(of audio: AudioBuffer) -> [Double] {
        var power = [Double](repeating: 0, count: audio.frameCount)
        for channel in 0..<audio.channelCount {
            audio.withChannel(channel) { plane in
                for frame in plane.indices { power[frame] += Double(plane[frame]) * Double(plane[frame]) }
            }
        }
        return power.map { $0 / Double(audio.channelCount) }
    }
}
