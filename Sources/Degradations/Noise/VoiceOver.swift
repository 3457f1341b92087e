import AudioCore
import Foundation

/// Speaks over the music and lowers it meanwhile, as a presenter does.
///
/// While the voice is louder than 20 dB below its mean, the music is `duckDecibels` 0…40 dB lower, with ramps of 0.1 s.
/// `snrDecibels` −60…120 dB is the mean power of the music before it is lowered over that of the voice, as for ``Noise``.
package struct VoiceOver: Degradation {
    package static let name = "voiceOver"
    package static let parameters = [
        Parameter(
            "duckDecibels", .number(0...40), ifAbsent: .value(10), milder: .down(to: 0, by: .difference(1))),
        .snrDecibels, .seed,
    ]

    private static let rampSeconds = 0.1

    package var duckDecibels: Double
    package var snrDecibels: Double
    package var seed: UInt64

    package var materialKind: MaterialKind? { .wideSpeech }

    package init(duckDecibels: Double = 10, snrDecibels: Double, seed: UInt64) {
        self.duckDecibels = duckDecibels
        self.snrDecibels = snrDecibels
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let voice = try clip.recording(of: .wideSpeech, from: material, using: &generator)
        let gains = gains(for: voice.samples, sampleRate: clip.audio.sampleRate)
        try clip.mix(voice, snrDecibels: snrDecibels, for: Self.name) { $0.scale(by: gains) }
    }

    /// The factors of the music under a voice of mean power 1.
    private func gains(for voice: [Float], sampleRate: Int) -> [Float] {
        let decay = exp(-1 / (Self.rampSeconds * Double(sampleRate)))
        var (power, reduction) = (0.0, 0.0)
        return voice.map { sample in
            power = decay * power + (1 - decay) * Double(sample) * Double(sample)
            reduction = decay * reduction + (1 - decay) * (power > 0.01 ? duckDecibels : 0)
            return Float(Decibels.amplitudeRatio(-reduction))
        }
    }
}
