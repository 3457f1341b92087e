import AudioCore
import Foundation

/// Reduces the dynamic range above a threshold, as a broadcaster does.
///
/// Above `thresholdDecibels` −80…0 dB of full scale, `ratio` 1…100 decibels of input give one decibel of output.
/// `attackSeconds` and `releaseSeconds` 0…5 s are the time constants of the gain, which is the same for all channels. The
/// compressor is feed-forward with a smooth decoupled peak detector, without delay and without make-up gain.
///
/// Giannoulis, Massberg and Reiss, "Digital dynamic range compressor design", JAES 60(6), 2012, eq. 17.
package struct Compression: Degradation {
    package static let name = "compression"
    package static let parameters = [
        Parameter("thresholdDecibels", .number(-80...0), milder: .up(to: 0, by: .difference(1))),
        Parameter("ratio", .number(1...100, unit: "to 1"), milder: .down(to: 1, by: .difference(0.5))),
        Parameter("attackSeconds", .number(0...5), ifAbsent: .value(0.005), milder: .never),
        Parameter("releaseSeconds", .number(0...5), ifAbsent: .value(0.1), milder: .never),
    ]

    package var thresholdDecibels: Double
    package var ratio: Double
    package var attackSeconds: Double
    package var releaseSeconds: Double

    package init(
        thresholdDecibels: Double, ratio: Double, attackSeconds: Double = 0.005, releaseSeconds: Double = 0.1
    ) {
        self.thresholdDecibels = thresholdDecibels
        self.ratio = ratio
        self.attackSeconds = attackSeconds
        self.releaseSeconds = releaseSeconds
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        clip.audio.scale(by: gains(for: clip.audio.level, sampleRate: Double(clip.audio.sampleRate)))
    }

    /// The factors for audio with these greatest magnitudes.
    func gains(for level: [Float], sampleRate: Double) -> [Float] {
        func decay(_ seconds: Double) -> Double { seconds > 0 ? exp(-1 / (seconds * sampleRate)) : 0 }
        let attack = decay(attackSeconds)
        let release = decay(releaseSeconds)
        let slope = 1 - 1 / ratio
        var released = 0.0
        var reduction = 0.0
        return level.map { magnitude in
            let over = 20 * log10(max(Double(magnitude), 1e-10)) - thresholdDecibels
            let wanted = max(0, over) * slope
            released = max(wanted, release * released + (1 - release) * wanted)
            reduction = attack * reduction + (1 - attack) * released
            return Float(Decibels.amplitudeRatio(-reduction))
        }
    }
}
