import AudioCore
import Foundation

/// Adds random noise at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB is the mean power of the mono mix of the signal, without its DC offset, over that of the
/// noise. Both powers are over the signal's frames. Their band ends at `belowHertz` 100…96000 Hz, by default at 22.05 kHz,
/// or at half the sample rate if that is lower.
///
/// The level of the noise swings by `swingDecibels` 0…40 dB, as a sine in decibels of period `swingSeconds` 0.05…60 s (2).
/// With `channels: independent` each channel has noise of its own, as microphones of a stereo recording do. The SNR is then
/// that of the mono mixes.
package struct Noise: Degradation {
    package enum Channels: String, Codable, Hashable, Sendable, CaseIterable {
        case same
        case independent
    }

    package static let name = "noise"
    package static let version = 3
    package static let parameters = [
        Parameter("colour", .choice(NoiseColour.allCases.map(\.rawValue)), ifAbsent: .value("white")),
        .snrDecibels,
        Parameter("belowHertz", .number(100...96_000), ifAbsent: .optional, milder: .never),
        Parameter(
            "swingDecibels", .number(0...40), ifAbsent: .optional, milder: .down(to: 0, by: .difference(1))),
        Parameter("swingSeconds", .number(0.05...60), ifAbsent: .optional, milder: .never),
        Parameter("channels", .choice(Channels.allCases.map(\.rawValue)), ifAbsent: .optional),
        .seed,
    ]

    package var colour: NoiseColour
    package var snrDecibels: Double
    package var belowHertz: Double?
    package var swingDecibels: Double?
    package var swingSeconds: Double?
    package var channels: Channels?
    package var seed: UInt64

    package init(
        colour: NoiseColour, snrDecibels: Double, belowHertz: Double? = nil, swingDecibels: Double? = nil,
        swingSeconds: Double? = nil, channels: Channels? = nil, seed: UInt64
    ) {
        self.colour = colour
        self.snrDecibels = snrDecibels
        self.belowHertz = belowHertz
        self.swingDecibels = swingDecibels
        self.swingSeconds = swingSeconds
        self.channels = channels
        self.seed = seed
    }

    package func validate() throws {
        try validateParameters()
        if swingSeconds != nil, swingDecibels == nil {
            throw DegradationError.invalid("\(Self.name): swingSeconds needs swingDecibels")
        }
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let (count, rate) = (clip.audio.frameCount, clip.audio.sampleRate)
        let channelCount = channels == .independent ? clip.audio.channelCount : 1
        let planes = (0..<channelCount).flatMap { channel in
            var generator =
                channel == 0
                ? SeededGenerator(seed: seed, Self.name)
                : SeededGenerator(seed: seed, Self.name, "channel \(channel)")
            return colour.samples(count, sampleRate: rate, using: &generator)
        }
        var noise = AudioBuffer(samples: planes, sampleRate: rate, channelCount: channelCount)
        if let swingDecibels { noise.scale(by: swing(swingDecibels, frameCount: count, sampleRate: rate)) }
        try clip.mix(noise, snrDecibels: snrDecibels, belowHertz: belowHertz, for: Self.name)
        clip.measurements["swingDecibels"] = swingDecibels
    }

    /// The factors of a level that swings from a phase that the seed decides.
    private func swing(_ decibels: Double, frameCount: Int, sampleRate: Int) -> [Float] {
        var generator = SeededGenerator(seed: seed, Self.name, "swing")
        let phase = 2 * Double.pi * generator.unit()
        let step = 2 * Double.pi / ((swingSeconds ?? 2) * Double(sampleRate))
        return (0..<frameCount).map { frame in
            Float(Decibels.amplitudeRatio(decibels / 2 * sin(phase + Double(frame) * step)))
        }
    }
}
