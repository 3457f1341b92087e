import AudioCore
import Foundation

/// Changes the level as a sine, as a guitar amplifier does.
///
/// `rateHertz` 0.1…50 Hz; at `depthPercent` 0…100 % the quietest moments are silent.
package struct Tremolo: Degradation {
    package static let name = "tremolo"
    package static let parameters = [
        Parameter("depthPercent", .number(0...100, unit: "%"), milder: .down(to: 0, by: .difference(1))),
        Parameter("rateHertz", .number(0.1...50, unit: "Hz"), ifAbsent: .value(5), milder: .never),
    ]

    package var depthPercent: Double
    package var rateHertz: Double

    package init(depthPercent: Double, rateHertz: Double = 5) {
        self.depthPercent = depthPercent
        self.rateHertz = rateHertz
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let step = 2 * Double.pi * rateHertz / Double(clip.audio.sampleRate)
        let depth = depthPercent / 200
        clip.audio = clip.audio.mapChannels { samples in
            samples.enumerated().map { $1 * Float(1 - depth * (1 - cos(step * Double($0)))) }
        }
    }
}
