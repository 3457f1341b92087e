import AudioCore
import Foundation

/// Damages the beginning of a query as a recorder does that has just been switched on.
///
/// The first `silentSeconds` 0…5 s are zeros. The level then rises linearly over `fadeSeconds` 0…5 s. With
/// `thumpDecibels` −60…60 dB over the RMS of the clip, a pulse follows the zeros and falls to 1/e in 5 ms. Length and
/// truth stay. A result above full scale is scaled.
package struct StartUp: Degradation {
    package static let name = "startUp"
    package static let parameters = [
        Parameter(
            "silentSeconds", .number(0...5), ifAbsent: .value(0),
            milder: .down(to: 0, by: .difference(0.01))),
        Parameter(
            "fadeSeconds", .number(0...5), ifAbsent: .value(0), milder: .down(to: 0, by: .difference(0.01))),
        Parameter(
            "thumpDecibels", .number(-60...60), ifAbsent: .optional,
            milder: .down(to: -60, by: .difference(1))),
    ]

    private static let decaySeconds = 0.005

    package var silentSeconds: Double
    package var fadeSeconds: Double
    package var thumpDecibels: Double?

    package init(silentSeconds: Double = 0, fadeSeconds: Double = 0, thumpDecibels: Double? = nil) {
        self.silentSeconds = silentSeconds
        self.fadeSeconds = fadeSeconds
        self.thumpDecibels = thumpDecibels
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let rms = clip.audio.meanPowerAC.squareRoot()
        let silent = min(Int(bounded: (silentSeconds * rate).rounded()), clip.audio.frameCount)
        let fade = Int(bounded: (fadeSeconds * rate).rounded())
        let thump = thumpDecibels.map { rms * Decibels.amplitudeRatio($0) } ?? 0
        clip.audio.changeChannels { plane in
            for frame in 0..<silent { plane[frame] = 0 }
            for frame in silent..<plane.count {
                let after = frame - silent
                if after < fade { plane[frame] *= Float(after) / Float(fade) }
                if thump > 0 {
                    plane[frame] += Float(thump * exp(-Double(after) / rate / Self.decaySeconds))
                }
            }
        }
        clip.scaleToFullScale()
    }
}
