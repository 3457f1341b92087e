import AudioCore
import Foundation
import SignalProcessing

/// Brings the loudness to a target and limits the peaks, as a streaming service or a broadcaster does.
///
/// Loudness is the gated mean of the query in `targetLUFS` −60…0 (ITU-R BS.1770-5). After that gain, true peaks above
/// `ceilingDecibels` −20…0 dB of full scale are limited, with a gain that changes over 5 ms. The limiter lowers the
/// loudness again. Stores the loudness reached as `loudnessLUFS`, and the greatest change of gain of the limiter as
/// `limitedDecibels`. A query without a block above the gate of −70 LUFS stays as it is.
package struct Loudness: Degradation {
    package static let name = "loudness"
    package static let version = 2
    package static let parameters = [
        Parameter("targetLUFS", .number(-60...0), milder: .down(to: -23, by: .difference(1))),
        Parameter(
            "ceilingDecibels", .number(-20...0), ifAbsent: .value(-1),
            milder: .up(to: 0, by: .difference(0.5))),
    ]

    package var targetLUFS: Double
    package var ceilingDecibels: Double

    package init(targetLUFS: Double, ceilingDecibels: Double = -1) {
        self.targetLUFS = targetLUFS
        self.ceilingDecibels = ceilingDecibels
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        guard clip.audio.sampleRate >= 4000 else {
            throw DegradationError.unsuitable("\(Self.name): needs at least 4000 Hz")
        }
        guard let loudness = Self.lufs(of: clip.audio) else { return }
        clip.audio.scale(by: Float(Decibels.amplitudeRatio(targetLUFS - loudness)))
        clip.limit(toDecibels: ceilingDecibels, level: clip.audio.truePeakLevel)
        clip.measurements["loudnessLUFS"] = Self.lufs(of: clip.audio)
    }

    /// The integrated loudness by ITU-R BS.1770-5, with a weight of 1 for each channel; nil if no block passes the gate.
    ///
    /// Audio shorter than a block of 0.4 s counts as one block.
    package static func lufs(of audio: AudioBuffer) -> Double? {
        let rate = Double(audio.sampleRate)
        var power = [Double](repeating: 0, count: audio.frameCount)
        for channel in 0..<audio.channelCount {
            var samples = audio.withChannel(channel) { Array($0) }
            var filter = BiquadCascade(Biquad.loudnessWeighting(sampleRate: rate))
            filter.process(&samples)
            for frame in power.indices { power[frame] += Double(samples[frame]) * Double(samples[frame]) }
        }
        let length = min(power.count, max(1, Int(bounded: (0.4 * rate).rounded())))
        let step = max(1, length / 4)
        let blocks = stride(from: 0, through: power.count - length, by: step).map { start in
            power[start..<start + length].reduce(0, +) / Double(length)
        }
        func lufs(_ power: Double) -> Double { -0.691 + Decibels.fromPowerRatio(power) }
        func mean(_ blocks: [Double]) -> Double? {
            blocks.isEmpty ? nil : blocks.reduce(0, +) / Double(blocks.count)
        }
        let loud = blocks.filter { $0 > 0 && lufs($0) > -70 }
        guard let gate = mean(loud).map({ lufs($0) - 10 }) else { return nil }
        return mean(loud.filter { lufs($0) > gate }).map(lufs)
    }
}

extension Clip {
    /// Limits peaks above `decibels` of full scale, and stores the greatest change of gain as `limitedDecibels`.
    ///
    /// - Parameter level: the magnitude of each frame; nil takes that of its samples.
    mutating func limit(toDecibels decibels: Double, level: [Float]? = nil) {
        let limiter = Limiter(ceiling: Float(Decibels.amplitudeRatio(decibels)), reachSeconds: 0.0025)
        let gains = limiter.gains(for: level ?? audio.level, sampleRate: audio.sampleRate)
        audio.scale(by: gains)
        let least = Double(gains.min() ?? 1)
        measurements["limitedDecibels"] = -Decibels.fromPowerRatio(least * least)
    }
}
