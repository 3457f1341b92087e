import AudioCore
import Foundation

/// Fades from the music into other music, as a DJ does.
///
/// The fade begins at `startFraction` 0…1 of the query and takes `fadeSeconds` 0.01…60 s; both fades keep the sum of powers. The
/// other music has the mean power of the query. A change of tempo is a step of its own. Stores the mean power of the
/// query's own music over that of the other as `musicRatioDecibels`.
package struct Crossfade: Degradation {
    package static let name = "crossfade"
    package static let parameters = [
        Parameter(
            "startFraction", .number(0...1, unit: "of the query"), ifAbsent: .value(0.5),
            milder: .up(to: 1, by: .difference(0.05))),
        Parameter("fadeSeconds", .number(0.01...60), milder: .up(to: 60, by: .ratio(1.2))),
        .seed,
    ]

    package var startFraction: Double
    package var fadeSeconds: Double
    package var seed: UInt64

    package static let group = ConditionGroup.noise
    package var materialKind: MaterialKind? { .music }

    package init(startFraction: Double = 0.5, fadeSeconds: Double, seed: UInt64) {
        self.startFraction = startFraction
        self.fadeSeconds = fadeSeconds
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        var other = try clip.recording(of: .music, from: material, using: &generator)
        let power = clip.audio.meanPower
        let start = startFraction * Double(clip.audio.frameCount)
        let length = fadeSeconds * Double(clip.audio.sampleRate)
        let turns = (0..<other.frameCount).map { min(max((Double($0) - start) / length, 0), 1) * .pi / 2 }
        other.scale(by: Float(power.squareRoot()))
        other.scale(by: turns.map { Float(sin($0)) })
        clip.audio.scale(by: turns.map { Float(cos($0)) })
        clip.measurements["musicRatioDecibels"] = Decibels.fromPowerRatio(
            clip.audio.meanPower / max(other.meanPower, .leastNonzeroMagnitude))
        clip.audio.add(other)
        clip.scaleToFullScale()
    }
}
