import AudioCore

/// Adds echoes.
///
/// Each comes `delaySeconds` after the previous one and is louder by `gainDecibels`.
///
/// `delaySeconds` 0.001…5 s, rounded to whole frames; `gainDecibels` −60…0 dB; `repeats` 1…50. The length stays, and the
/// direct sound is not delayed. A sum above full scale is scaled.
public struct Echo: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "echo"
    /// What a plan may set.
    public static let parameters = [
        Parameter("delaySeconds", .number(0.001...5, unit: "s")),
        Parameter("gainDecibels", .number(-60...0, unit: "dB")),
        Parameter("repeats", .integer(1...50), ifAbsent: .value(1)),
    ]

    /// The time from one echo to the next, in seconds.
    public var delaySeconds: Double
    /// The gain from one echo to the next, in decibels; negative is quieter.
    public var gainDecibels: Double
    /// The number of echoes.
    public var repeats: Int

    /// Makes echoes.
    public init(delaySeconds: Double, gainDecibels: Double, repeats: Int = 1) {
        self.delaySeconds = delaySeconds
        self.gainDecibels = gainDecibels
        self.repeats = repeats
    }

    /// Adds the echoes to every channel.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let delay = max(1, Int((delaySeconds * Double(clip.audio.sampleRate)).rounded()))
        clip.audio = clip.audio.mapChannels { dry in
            var wet = Array(dry)
            for echo in 1...repeats where echo * delay < dry.count {
                let gain = Float(Decibels.amplitudeRatio(gainDecibels * Double(echo)))
                for frame in (echo * delay)..<dry.count { wet[frame] += gain * dry[frame - echo * delay] }
            }
            return wet
        }
        clip.scaleToFullScale()
    }
}
