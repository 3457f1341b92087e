import AudioCore
import Foundation

/// Evens out loudness as a broadcaster does: what is above a threshold rises more slowly.
///
/// Above `thresholdDecibels` −80…0 dB of full scale, `ratio` 1…100 decibels in give one out. `attackSeconds` and
/// `releaseSeconds` 0…5 s are the time constants of the gain, which is common to all channels. Feed-forward with a
/// smooth decoupled peak detector (Giannoulis, Massberg and Reiss, "Digital dynamic range compressor
/// design", JAES 60(6), 2012, eq. 17); no delay and no make-up gain.
public struct Compression: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "compression"
    /// What a plan may set.
    public static let parameters = [
        Parameter("thresholdDecibels", .number(-80...0, unit: "dB")),
        Parameter("ratio", .number(1...100, unit: "to 1")),
        Parameter("attackSeconds", .number(0...5, unit: "s"), ifAbsent: .value(0.005)),
        Parameter("releaseSeconds", .number(0...5, unit: "s"), ifAbsent: .value(0.1)),
    ]

    /// Where it sets in, in decibels of full scale.
    public var thresholdDecibels: Double
    /// Decibels in for one decibel out.
    public var ratio: Double
    /// How fast the gain falls, in seconds.
    public var attackSeconds: Double
    /// How fast the gain comes back, in seconds.
    public var releaseSeconds: Double

    /// Makes a compressor.
    public init(
        thresholdDecibels: Double, ratio: Double, attackSeconds: Double = 0.005, releaseSeconds: Double = 0.1
    ) {
        self.thresholdDecibels = thresholdDecibels
        self.ratio = ratio
        self.attackSeconds = attackSeconds
        self.releaseSeconds = releaseSeconds
    }

    /// Turns down what is too loud.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let gains = gains(for: Self.level(of: clip.audio), sampleRate: Double(clip.audio.sampleRate))
        for channel in 0..<clip.audio.channelCount {
            clip.audio.withMutableChannel(channel) { plane in
                for frame in plane.indices { plane[frame] *= gains[frame] }
            }
        }
    }

    /// The greatest magnitude over channels, frame by frame.
    private static func level(of audio: AudioBuffer) -> [Float] {
        var level = [Float](repeating: 0, count: audio.frameCount)
        for channel in 0..<audio.channelCount {
            audio.withChannel(channel) { plane in
                for frame in plane.indices { level[frame] = max(level[frame], abs(plane[frame])) }
            }
        }
        return level
    }

    private func gains(for level: [Float], sampleRate: Double) -> [Float] {
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
