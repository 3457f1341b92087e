import AudioCore

/// A degradation that mixes in an excerpt of a recording at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB is defined as for ``Noise``.
package protocol MixedRecording: Degradation {
    static var kind: MaterialKind { get }
    /// Signal power over noise power, in decibels.
    var snrDecibels: Double { get }
    /// The seed of all random numbers.
    var seed: UInt64 { get }
}

extension MixedRecording {
    package static var parameters: [Parameter] { [.snrDecibels, .seed] }
    package static var version: Int { 3 }
    package var materialKind: MaterialKind? { Self.kind }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let noise = try clip.recording(of: Self.kind, from: material, using: &generator)
        try clip.mix(noise, snrDecibels: snrDecibels, for: Self.name)
    }
}
