import AudioCore

/// Adds echoes.
///
/// Each comes `delaySeconds` after the previous one and is louder by `gainDecibels`.
///
/// `delaySeconds` 0.001…5 s, rounded to whole frames; `gainDecibels` −60…0 dB; `repeats` 1…50. The length stays, and the
/// direct sound is not delayed. A sum above full scale is scaled.
package struct Echo: Degradation {
    package static let name = "echo"
    package static let parameters = [
        Parameter("delaySeconds", .number(0.001...5), milder: .never),
        Parameter("gainDecibels", .number(-60...0), milder: .down(to: -60, by: .difference(1))),
        Parameter("repeats", .integer(1...50), ifAbsent: .value(1), milder: .down(to: 1, by: .difference(1))),
    ]

    package var delaySeconds: Double
    package var gainDecibels: Double
    package var repeats: Int

    package init(delaySeconds: Double, gainDecibels: Double, repeats: Int = 1) {
        self.delaySeconds = delaySeconds
        self.gainDecibels = gainDecibels
        self.repeats = repeats
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let delay = max(1, Int(bounded: (delaySeconds * Double(clip.audio.sampleRate)).rounded()))
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
