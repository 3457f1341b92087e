import AudioCore
import Foundation
import SignalProcessing

/// Sends through FM radio: pre-emphasis, a limiter, 15 kHz, hiss, and de-emphasis.
///
/// `emphasisMicroseconds` 1…100 is 50 in most countries and 75 in America and Korea. Audio raised by `driveDecibels` 0…24 dB
/// is limited behind the pre-emphasis, so treble is limited first. `hissDecibels` −120…−20 dB of full scale is the mean
/// power of the hiss of the mono mix. It rises with frequency before the de-emphasis. As with a weak station, it is 20 dB
/// stronger in the difference of two channels than in their mean. So each of two channels has 20 dB more. There is no delay.
package struct FMTransmission: Degradation {
    package static let name = "fm"
    package static let version = 2
    package static let parameters = [
        Parameter("emphasisMicroseconds", .number(1...100), ifAbsent: .value(50), milder: .never),
        Parameter(
            "driveDecibels", .number(0...24), ifAbsent: .value(0), milder: .down(to: 0, by: .difference(1))),
        Parameter(
            "hissDecibels", .number(-120 ... -20), ifAbsent: .value(-60),
            milder: .down(to: -120, by: .difference(2))),
        .seed,
    ]

    /// The programme of FM stereo ends below its pilot tone of 19 kHz.
    private static let highestHertz = 15_000.0
    /// The power of the hiss in the difference over that in the mean, from its place around the subcarrier of 38 kHz.
    private static let differencePower = 100.0

    package var emphasisMicroseconds: Double
    package var driveDecibels: Double
    package var hissDecibels: Double
    package var seed: UInt64

    package init(
        emphasisMicroseconds: Double = 50, driveDecibels: Double = 0, hissDecibels: Double = -60, seed: UInt64
    ) {
        self.emphasisMicroseconds = emphasisMicroseconds
        self.driveDecibels = driveDecibels
        self.hissDecibels = hissDecibels
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        let pole = Float(exp(-1e6 / (emphasisMicroseconds * rate)))
        clip.audio.scale(by: Float(Decibels.amplitudeRatio(driveDecibels)))
        clip.audio = band(clip.audio).mapChannels { Self.emphasised($0, pole: pole) }
        clip.limit(toDecibels: 0)
        clip.audio = clip.audio.mapChannels { Self.deemphasised($0, pole: pole) }
        clip.audio.add(hiss(like: clip.audio, pole: pole))
        clip.scaleToFullScale()
    }

    private func band(_ audio: AudioBuffer) -> AudioBuffer {
        let rate = Double(audio.sampleRate)
        guard Self.highestHertz < 0.49 * rate else { return audio }
        return audio.filteredBothWays(
            .butterworthLowPass(order: 6, frequency: Self.highestHertz, sampleRate: rate))
    }

    /// Noise of a demodulator, whose amplitude rises with frequency, behind the de-emphasis.
    private func hiss(like audio: AudioBuffer, pole: Float) -> AudioBuffer {
        func noise(_ part: String) -> [Float] {
            var generator = SeededGenerator(seed: seed, Self.name, part)
            let white = GaussianNoise.samples(audio.frameCount + 1, using: &generator)
            let rising = zip(white.dropFirst(), white).map { $0 - $1 }
            return rising.withUnsafeBufferPointer { Self.deemphasised($0, pole: pole) }
        }
        let mean = noise("mean")
        let spread = Float(Self.differencePower.squareRoot())
        let difference = audio.channelCount == 2 ? noise("difference") : []
        let planes = (0..<audio.channelCount).flatMap { channel -> [Float] in
            guard !difference.isEmpty else { return mean }
            return zip(mean, difference).map { $0 + (channel == 0 ? spread : -spread) * $1 }
        }
        var hiss = band(
            AudioBuffer(samples: planes, sampleRate: audio.sampleRate, channelCount: audio.channelCount))
        let power = AudioBuffer(samples: hiss.mono(), sampleRate: hiss.sampleRate).meanPower
        hiss.scale(by: Float((Decibels.powerRatio(hissDecibels) / max(power, 1e-30)).squareRoot()))
        return hiss
    }

    /// The inverse of ``deemphasised(_:pole:)``.
    private static func emphasised(_ plane: UnsafeBufferPointer<Float>, pole: Float) -> [Float] {
        var last: Float = 0
        return plane.map { sample in
            defer { last = sample }
            return (sample - pole * last) / (1 - pole)
        }
    }

    private static func deemphasised(_ plane: UnsafeBufferPointer<Float>, pole: Float) -> [Float] {
        var last: Float = 0
        return plane.map { sample in
            last = (1 - pole) * sample + pole * last
            return last
        }
    }
}
